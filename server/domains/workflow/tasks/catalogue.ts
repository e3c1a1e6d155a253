import { ARTIFACTS } from './applications/artifacts.ts';
import { CONFIGURATION } from './applications/configuration.ts';
import { GATEWAY } from './applications/gateway.ts';
import { ORCHESTRATORS } from './applications/orchestrators.ts';
import { DATA } from './data.ts';
import { DEVICES } from './devices.ts';
import { FLOW } from './flow.ts';
import { MANUAL_TASKS } from './manual-tasks.ts';
import type { TaskType } from './task-type.ts';

/** Every task of this platform, by application and name. */
export const CATALOGUE: readonly TaskType[] = [
  ...FLOW,
  ...DATA,
  ...MANUAL_TASKS,
  ...DEVICES,
  ...CONFIGURATION,
  ...GATEWAY,
  ...ORCHESTRATORS,
  ...ARTIFACTS,
].sort((a, b) => (keyOf(a.app, a.name) < keyOf(b.app, b.name) ? -1 : 1));

function keyOf(app: string, name: string): string {
  return JSON.stringify([app, name]);
}

const byKey = new Map(CATALOGUE.map((task) => [keyOf(task.app, task.name), task]));

/** Other names of our applications in imported documents. */
const ALIASES: ReadonlyMap<string, string> = new Map([['NSOManager', 'OrchestratorManager']]);

/** Returns the task type of an application, or undefined. */
export const taskTypeOf = (app: string, name: string): TaskType | undefined =>
  byKey.get(keyOf(ALIASES.get(app) ?? app, name));

/** Application and name of every task, under each name that its application has. */
export const KNOWN_TASKS: readonly { app: string; name: string }[] = CATALOGUE.flatMap(({ app, name }) =>
  [app, ...[...ALIASES].flatMap(([alias, own]) => (own === app ? [alias] : []))].map((one) => ({
    app: one,
    name,
  })),
);

/** The names of the applications that provide tasks. */
export const APPS: readonly string[] = [...new Set(CATALOGUE.map(({ app }) => app))];

/** Returns whether an application with this name or alias provides tasks. */
export const isOurs = (app: string): boolean => ALIASES.has(app) || APPS.includes(app);
