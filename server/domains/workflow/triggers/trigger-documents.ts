import { isDeepStrictEqual } from 'node:util';
import {
  EndpointTrigger,
  EventTrigger,
  type ImportedTrigger,
  ManualTrigger,
  ScheduleTrigger,
  type Trigger,
} from '#db/schemas/workflow/trigger.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { importedStamps, type Maker, without } from '../automations/automation-documents.ts';
import { nextRun, scheduleIssues } from './schedule.ts';

/** Version of the format in which triggers are stored: that of the exports we read. */
const FORM = 3;
/** Maximum length of a name, source and topic, since indexes contain them. */
const LONGEST = 255;

/** Fields that only the server writes; values in a request are ignored. */
export const SERVER_FIELDS = [
  'type',
  'lastExecuted',
  'lastResult',
  'nextRunAt',
  'locked',
  'migrationVersion',
];

const SHAPES = {
  manual: ManualTrigger.shape,
  endpoint: EndpointTrigger.shape,
  eventSystem: EventTrigger.shape,
  schedule: ScheduleTrigger.shape,
};

/** Returns the fields that a PATCH may set, by type (contract/lifecycle#6.2). */
export const editableOf = (type: Trigger['type']): string[] =>
  Object.keys(SHAPES[type]).filter((name) => !SERVER_FIELDS.includes(name));

/**
 * Returns the issues with a trigger whose fields have the right types (contract/lifecycle#6.2), except for its schema
 * (trigger-schema.service.ts).
 *
 * @param path path of the trigger in the request
 */
export function triggerIssues(trigger: ImportedTrigger, path: (string | number)[]): Issue[] {
  const issues: Issue[] = [];
  const report = (field: string, message: string) =>
    issues.push({ path: [...path, field], message, code: 'invalid_value' });
  const named = (field: string, text: string) => {
    if (text === '' || text.length > LONGEST) report(field, `must have 1 to ${LONGEST} characters`);
  };
  named('name', trigger.name);
  if ((trigger.actionType ?? 'automations') !== 'automations') report('actionType', 'must be automations');
  if (trigger.type === 'schedule') issues.push(...scheduleIssues(trigger, path));
  if (trigger.type === 'endpoint' && (trigger.verb ?? 'POST') !== 'POST') report('verb', 'must be POST');
  if (trigger.type === 'eventSystem') {
    named('source', trigger.source);
    named('topic', trigger.topic);
  }
  return issues;
}

/** Returns when a trigger is due next from now on: null while it is disabled; no fields for triggers without a schedule. */
const due = (trigger: ImportedTrigger, now: Date) =>
  trigger.type === 'schedule'
    ? { nextRunAt: trigger.enabled ? nextRun(trigger, now.getTime()) : null, locked: false }
    : {};

/**
 * Returns a new trigger for an automation; unknown fields are kept.
 *
 * @param runAs the account for which it runs; absent: the account that creates it
 */
export function newTrigger(
  given: ImportedTrigger,
  { id, actionId, runAs }: { id: string; actionId: string; runAs?: string },
  { account, now }: Maker,
): Trigger {
  const whole = {
    ...without(
      given,
      SERVER_FIELDS.filter((name) => name !== 'type'),
    ),
    enabled: given.enabled ?? true,
  };
  // The type is that of `given`: only fields that all types have were added.
  return {
    ...whole,
    ...(given.type === 'endpoint' && { verb: 'POST', schema: given.schema ?? null }),
    ...due(whole, now),
    _id: id,
    description: given.description ?? '',
    actionType: 'automations',
    actionId,
    runAs: runAs ?? account,
    lastExecuted: null,
    created: now.toISOString(),
    createdBy: account,
    lastUpdated: now.toISOString(),
    lastUpdatedBy: account,
    migrationVersion: given.migrationVersion ?? FORM,
  } as Trigger;
}

/** Fields that determine when a schedule starts. */
const TIMES = [
  'enabled',
  'firstRunAt',
  'repeatUnit',
  'repeatFrequency',
  'repeatInterval',
  'schedule',
] as const;

/**
 * Returns the document after a write over one of the same type. The next due time stays, unless the write changes the times
 * of the trigger: a new name must not make a schedule forget missed runs.
 *
 * @param runAs the account for which it runs from now on; absent: the account that writes it
 */
export function changedTrigger(
  stored: Trigger,
  next: Trigger,
  { account, now, runAs = account }: Maker & { runAs?: string },
): Trigger {
  const before: Record<string, unknown> = stored;
  const after: Record<string, unknown> = next;
  const sameTimes = TIMES.every((name) => isDeepStrictEqual(before[name] ?? null, after[name] ?? null));
  const timed =
    sameTimes && stored.type === 'schedule' ? { nextRunAt: stored.nextRunAt ?? null } : due(next, now);
  const kept = Object.fromEntries(
    [...SERVER_FIELDS, '_id', 'created', 'createdBy'].flatMap((name) =>
      Object.hasOwn(before, name) ? [[name, before[name]]] : [],
    ),
  );
  return {
    ...next,
    ...kept,
    ...timed,
    runAs,
    lastUpdated: grownStamp(now, stored.lastUpdated),
    lastUpdatedBy: account,
    // The type and its fields are those of the stored trigger.
  } as Trigger;
}

/** Returns the document that an import stores: with its own timestamps, or those of the trigger that it overwrites. */
export function importedTrigger(
  given: ImportedTrigger,
  place: { id: string; actionId: string },
  maker: Maker,
  before?: Trigger,
): Trigger {
  const made = newTrigger(given, place, maker);
  if (before) return changedTrigger(before, made, maker);
  return { ...made, ...importedStamps(given, maker) };
}

/** Returns a copy of a trigger for a clone of its automation, and the automatic changes to it (contract/endpoints#4.21). */
export function clonedTrigger(
  original: Trigger,
  place: { id: string; actionId: string },
  maker: Maker,
): { trigger: Trigger; automaticChanges: string[] } {
  const { type } = original;
  if ((type !== 'schedule' && type !== 'eventSystem') || original.enabled === false) {
    return { trigger: newTrigger(original, place, maker), automaticChanges: [] };
  }
  const what = type === 'schedule' ? 'schedule' : 'event';
  return {
    trigger: newTrigger({ ...original, enabled: false }, place, maker),
    automaticChanges: [`Disabled: the ${what} would start both automations`],
  };
}

/** Returns the form that a trigger fills in, by name or id, and the transformation that it runs, by id; null: none. */
export function referencesOf(trigger: ImportedTrigger): { formId: string | null; jst: string | null } {
  const fields: Record<string, unknown> = trigger;
  const textIn = (field: string) => (typeof fields[field] === 'string' ? fields[field] : null);
  return { formId: textIn('formId'), jst: textIn('jst') };
}

/** Returns a message when an imported file names an account for which the trigger should run. */
export const runAsChanges = ({ runAs }: ImportedTrigger, stored: Trigger): string[] =>
  runAs === undefined || runAs === null || runAs === stored.runAs
    ? []
    : ['runAs is ignored in a file: the trigger runs as the account that imported it'];

/** Returns a message when a trigger did not get the requested route. */
export const routeChanges = (given: ImportedTrigger, stored: Trigger): string[] =>
  given.type === 'endpoint' && stored.type === 'endpoint' && given.routeName !== stored.routeName
    ? [`Route ${given.routeName} is taken: the route of this trigger is ${stored.routeName}`]
    : [];
