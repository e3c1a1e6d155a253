import type { Task } from '#db/schemas/task.ts';
import type { Workflow } from '#db/schemas/workflow.ts';

/** Where a value comes from: a variable of the job, or an output of a task (design: workflow semantics, Variables). */
export type Source = { task: string; variable: string };

const WRITTEN = /^\$var\.([^.]+)\.(.+)$/s;

/** What a text refers to, when all of it is one `$var.job.x` or `$var.<task>.x`; text around it makes it literal. */
export function sourceOf(value: unknown): Source | null {
  const found = typeof value === 'string' ? WRITTEN.exec(value) : null;
  return found ? { task: found[1] ?? '', variable: found[2] ?? '' } : null;
}

/** What a reference object `{task, variable}` or `{task, value}` refers to; null for other values and static ones. */
export function objectSourceOf(value: unknown): Source | null {
  if (!isObject(value) || typeof value.task !== 'string' || ['', 'static'].includes(value.task)) return null;
  const variable = Object.hasOwn(value, 'variable') ? value.variable : value.value;
  return typeof variable === 'string' && variable !== '' ? { task: value.task, variable } : null;
}

/** The variable of the job that a text names, or null. */
export function jobVariable(value: unknown): string | null {
  const source = sourceOf(value);
  return source?.task === 'job' ? source.variable : null;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The tasks of a workflow with their ids, in document order. */
export const tasksOf = (workflow: Pick<Workflow, 'tasks'>): [string, Task][] =>
  Object.entries(workflow.tasks);

/** The values that a task is given, and where its results go. */
export const incomingOf = ({ variables }: Task): Record<string, unknown> => variables?.incoming ?? {};
export const outgoingOf = ({ variables }: Task): Record<string, unknown> => variables?.outgoing ?? {};

/** Tasks whose incoming `job_variable` is the name of a variable of the job, without `$var`. */
const CHANGE_BY_NAME = new Set(['push', 'pop', 'shift']);

/** One place where a task reads or writes a variable of the job. */
export type Use = {
  variable: string;
  task: Task;
  /** Member of incoming or outgoing; `error` for the error variable. */
  member: string;
  /** Members below that one, as far as the place lies deeper. */
  below: readonly string[];
  value?: unknown;
};

/** Deepest place that is looked into: requests are no deeper (server/sound.ts). */
const DEEPEST = 200;

/** Every place where a task reads a variable of the job, however deep it stands. */
export function readsOf(task: Task): Use[] {
  const uses: Use[] = [];
  const incoming = incomingOf(task);
  const look = (value: unknown, member: string, below: readonly string[]) => {
    const named = jobVariable(value);
    if (named !== null) uses.push({ variable: named, task, member, below });
    if (typeof value !== 'object' || value === null || below.length > DEEPEST) return;
    const source = objectSourceOf(value);
    if (source?.task === 'job') uses.push({ variable: source.variable, task, member, below });
    for (const [key, one] of Object.entries(value)) look(one, member, [...below, key]);
  };
  for (const [member, value] of Object.entries(incoming)) look(value, member, []);
  const changed = incoming.job_variable;
  if (CHANGE_BY_NAME.has(task.name) && isName(changed) && sourceOf(changed) === null) {
    uses.push({ variable: changed, task, member: 'job_variable', below: [] });
  }
  return uses;
}

/** Every place where a task sets a variable of the job. */
export function writesOf(task: Task): Use[] {
  const uses: Use[] = [];
  const { name, value } = incomingOf(task);
  if (task.name === 'newVariable' && isName(name) && sourceOf(name) === null) {
    uses.push({ variable: name, task, member: 'value', below: [], value });
  }
  for (const [member, goal] of Object.entries(outgoingOf(task))) {
    const variable = jobVariable(goal);
    if (variable !== null) uses.push({ variable, task, member, below: [] });
  }
  const failed = jobVariable(task.variables?.error);
  if (failed !== null) uses.push({ variable: failed, task, member: 'error', below: [] });
  return uses;
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';
