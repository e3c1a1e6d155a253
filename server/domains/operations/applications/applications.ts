import type { Application } from '#db/schemas/operations/application.ts';
import type { LogLevelInput } from '#db/schemas/operations/logger-props.ts';
import { invalid } from '#server/kernel/errors.ts';
import { isObject, type JsonObject, ownField } from '#server/kernel/json/objects.ts';
import type { Endpoint } from '#server/kernel/platform.ts';

/** Applications without which nobody could start any other again (contract/lifecycle#10). */
const ALWAYS_RUNNING = new Set(['Authorization', 'Health', 'Applications']);

/** Fields of applications and adapters under the names of the lists of their health, by which clients sort both. */
export const HEALTH_FIELDS = { id: 'name', package_id: 'model' } as const;

/** Returns whether an application may be stopped and started. */
export const isStoppable = (name: string): boolean => !ALWAYS_RUNNING.has(name);

/**
 * Returns the application of that name. Tasks use `MOP` where the area is `Mop`, and names that differ only in case mean
 * the same area: without an exact match, case is ignored (decision 0025).
 */
export const applicationNamed = <One extends { id: string }>(
  all: readonly One[],
  name: string,
): One | undefined =>
  all.find(({ id }) => id === name) ?? all.find(({ id }) => id.toLowerCase() === name.toLowerCase());

/** The purpose of each application, in one sentence (contract/endpoints#areas). */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  AdapterModels: 'Adapter models and the schemas of their settings',
  Adapters: 'Connections to orchestrators, gateways and other services',
  Applications: 'The parts of the platform: settings, starting and stopping',
  Audit: 'Record of who changed what, and when',
  Authorization: 'Accounts, groups, roles and views',
  AutomationStudio: 'Projects, workflows, templates and transformations',
  Automationgateway: 'Traceroutes and commands on hosts',
  ConfigurationManager: 'Golden configurations, compliance, backups and parsers',
  Health: 'Status of the service, its version and metrics',
  Integrations: 'Connections to other systems whose OpenAPI document is stored as a model',
  JsonForms: 'Forms that users fill in',
  Mop: 'Command templates and analytic templates',
  Oauth: 'Service accounts and their tokens',
  OperationsManager: 'Automations, triggers, jobs and tasks',
  OrchestratorManager: 'Actions and queries of orchestrators',
  Prebuilts: 'Packages of automations and other assets',
  Profiles: 'Settings of the platform',
  Session: 'Signing in and out',
  Tags: 'Labels on documents',
  TemplateBuilder: 'Rendering and parsing text with templates',
  Transformations: 'Transformations of JSON documents',
  WorkflowBuilder: 'Schemas of workflows',
  WorkflowEngine: 'Workers that start jobs and execute tasks, and their metrics',
};

/** An area of the interface: the application that handles it, and the prefix of its endpoints. */
export type Area = { name: string; prefix: string; description: string };

/**
 * Returns the areas of a catalogue, by name. `prefix` is the first segment that most of an area's paths share, "" where no
 * segment is shared by more than half of them.
 */
export function areasOf(catalogue: readonly Endpoint[]): Area[] {
  const segments = new Map<string, string[]>();
  for (const { permission, path } of catalogue) {
    const name = permission.split('.', 1)[0] ?? '';
    const known = segments.get(name) ?? [];
    known.push(path.split('/')[1] ?? '');
    segments.set(name, known);
  }
  return [...segments]
    .map(([name, firsts]) => ({ name, prefix: majorityOf(firsts), description: DESCRIPTIONS[name] ?? '' }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const majorityOf = (words: readonly string[]): string =>
  words.find((word) => words.filter((other) => other === word).length * 2 > words.length) ?? '';

/**
 * Returns an application as the first start creates it (contract/resources#2.16).
 *
 * @param heapLimit maximum heap memory of a process, in MiB
 */
export const newApplication = ({ name, prefix }: Area, heapLimit: number): Application => ({
  name,
  type: 'Application',
  model: `@vendor/app-${prefix || name.toLowerCase()}`,
  isEncrypted: true,
  loggerProps: {
    description: 'Log settings of the application',
    log_level: 'info',
    console_level: 'info',
  },
  properties: { id: name, type: name, brokers: [], groups: [] },
  profiling: false,
  virtual: true,
  systemProps: { maxOldSpaceSize: heapLimit },
  eventDeduplication: { active: true, cacheTtl: 60_000, algorithm: 'md5', uniqueProps: ['/id'] },
});

/** The fields to replace. */
export type ApplicationChange = { [Member in keyof Application]?: Application[Member] | undefined };

/** Fields that identify an application: areas are built in, and cannot become another one. */
const FIXED = ['name', 'type', 'model', 'isEncrypted', 'virtual'] as const;

/** Returns the fixed fields that an update would change. */
export const fixedFieldsChanged = (stored: Application, sent: ApplicationChange): string[] =>
  FIXED.filter((field) => sent[field] !== undefined && sent[field] !== stored[field]);

/** The operations on the running state of an application or adapter, with their participles for messages. */
export const RUN_WORDS = { start: 'started', stop: 'stopped', restart: 'restarted' } as const;

/** Returns the level of a request. @throws ServiceError BAD_REQUEST when it is given twice or not at all */
export function levelIn({ properties, loglevel, transport }: LogLevelInput) {
  const level = properties ?? (loglevel && { level: loglevel, transport });
  if (level && !(properties && (loglevel ?? transport) !== undefined)) return level;
  throw invalid(
    ['loglevel'],
    'set the level once: {loglevel, transport?} or {properties: {level, transport?}}',
  );
}

/** Returns logger settings with another level: of one transport, or of file and console where none is named. */
export function withLevel(
  loggerProps: Application['loggerProps'],
  { level, transport }: ReturnType<typeof levelIn>,
): NonNullable<Application['loggerProps']> {
  if (transport === 'syslog') return { ...loggerProps, syslog: { ...loggerProps?.syslog, level } };
  return {
    ...loggerProps,
    ...(transport !== 'console' && { log_level: level }),
    ...(transport !== 'file' && { console_level: level }),
  };
}

/**
 * Merges one object over another, including nested objects; lists and values are replaced.
 *
 * @param under object that is kept where `over` has no field
 * @param over object whose values win
 * @returns a new object; both arguments stay unchanged
 */
export function merge(under: JsonObject, over: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...under };
  for (const [name, value] of Object.entries(over)) {
    const below = ownField(merged, name);
    merged[name] = isObject(below) && isObject(value) ? merge(below, value) : value;
  }
  return merged;
}
