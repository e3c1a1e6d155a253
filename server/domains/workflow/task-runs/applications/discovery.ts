import type { ComponentType } from '#db/schemas/assets/project.ts';
import { isObject, ownField } from '#server/kernel/json/objects.ts';

/** A component that discovery starts at or finds: by its name or id. */
export type Wanted = {
  type: DiscoveryType;
  kind: ComponentType | null;
  value: string;
  parent: Parent | null;
};
export type Parent = { name: string; type: DiscoveryType };

/** A found component, with the components that use it. */
export type Discovered = { name: string; id: string; parent: Parent[] };

/** Names of the kinds of component in the maps that imported workflows read. */
const TYPES = {
  workflow: 'workflow',
  transformation: 'transformation',
  mopCommandTemplate: 'mop-template',
  mopAnalyticTemplate: 'mop-analytic-template',
  template: 'template',
  jsonForm: 'json-forms',
} as const satisfies Record<ComponentType, string>;
export type DiscoveryType = (typeof TYPES)[ComponentType] | 'automation' | 'ac-agenda-job';

/** Returns the word of the discovery tasks for a kind of asset. */
export const discoveryTypeOf = (kind: ComponentType): DiscoveryType => TYPES[kind];

/** Lists of an entry point, each with the kind that its names stand for; null: automations. */
const ENTRIES: Readonly<Record<string, ComponentType | null>> = {
  workflow: 'workflow',
  transformation: 'transformation',
  template: 'template',
  'json-forms': 'jsonForm',
  'mop-template': 'mopCommandTemplate',
  'mop-analytic-template': 'mopAnalyticTemplate',
  automation: null,
  operationsAutomation: null,
  catalogAutomation: null,
};

/** Maximum number of components that one discovery finds. */
export const MOST_COMPONENTS = 5000;

/**
 * Returns the components that an entry point names: `{workflow: ["Name"], transformation: ["id"], …}`.
 *
 * @returns the name of a property that is not known, or no list of names; else the components
 */
export function entriesOf(entryPoint: Readonly<Record<string, unknown>>): Wanted[] | { wrong: string } {
  const found: Wanted[] = [];
  for (const [field, names] of Object.entries(entryPoint)) {
    const kind = ownField(ENTRIES, field);
    if (kind === undefined) return { wrong: field };
    // A query that finds nothing returns null.
    for (const name of Array.isArray(names) ? names : names === null || names === '' ? [] : [names]) {
      if (typeof name !== 'string') return { wrong: field };
      found.push({ type: kind ? TYPES[kind] : 'automation', kind: kind ?? null, value: name, parent: null });
    }
  }
  return found;
}

/** Returns the applications and adapters that bring the tasks of a workflow, without those of its start and end. */
export function applicationsIn(workflow: Readonly<Record<string, unknown>>): string[] {
  const tasks = isObject(workflow.tasks) ? Object.values(workflow.tasks) : [];
  return tasks.flatMap((task) => (isObject(task) && typeof task.app === 'string' ? [task.app] : []));
}

/** Returns an empty list for each kind, because workflows read all of them. */
export const emptyMap = (): Record<string, Discovered[]> =>
  Object.fromEntries(
    [...Object.values(TYPES), 'automation', 'forms', 'golden-config'].map((type) => [type, []]),
  );
