import type { Task } from '#db/schemas/workflow/task.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { isObject } from '#server/kernel/json/objects.ts';

/** Where a value comes from: a variable of the job, or an output of a task (contract/engines#variables). */
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

/** The tasks of a workflow with their ids, in document order. */
export const tasksOf = (workflow: Pick<Workflow, 'tasks'>): [string, Task][] =>
  Object.entries(workflow.tasks);

/** The values that a task is given, and where its results go. */
export const incomingOf = ({ variables }: Task): Record<string, unknown> => variables?.incoming ?? {};
export const outgoingOf = ({ variables }: Task): Record<string, unknown> => variables?.outgoing ?? {};

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

export const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';
