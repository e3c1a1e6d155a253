import type { Task } from '#db/schemas/workflow/task.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { isObject } from '#server/kernel/json/objects.ts';

/** The source of a value: a variable of the job, or an output of a task (contract/engines#variables). */
export type Source = { task: string; variable: string };

const WRITTEN = /^\$var\.([^.]+)\.(.+)$/s;

/** Returns the source of a text that is exactly one `$var.job.x` or `$var.<task>.x`; any other text is literal. */
export function sourceOf(value: unknown): Source | null {
  const found = typeof value === 'string' ? WRITTEN.exec(value) : null;
  return found ? { task: found[1] ?? '', variable: found[2] ?? '' } : null;
}

/**
 * Returns the source of a reference object `{task, variable}` or `{task, value}`; null for other values and static ones.
 */
export function objectSourceOf(value: unknown): Source | null {
  if (!isObject(value) || typeof value.task !== 'string' || ['', 'static'].includes(value.task)) return null;
  const variable = Object.hasOwn(value, 'variable') ? value.variable : value.value;
  return typeof variable === 'string' && variable !== '' ? { task: value.task, variable } : null;
}

/** Returns the variable of the job that a text references, or null. */
export function jobVariable(value: unknown): string | null {
  const source = sourceOf(value);
  return source?.task === 'job' ? source.variable : null;
}

/** Returns the tasks of a workflow with their ids, in document order. */
export const tasksOf = (workflow: Pick<Workflow, 'tasks'>): [string, Task][] =>
  Object.entries(workflow.tasks);

/** Returns the incoming values of a task, by name. */
export const incomingOf = ({ variables }: Task): Record<string, unknown> => variables?.incoming ?? {};
/** Returns where a task writes its results, by the name of the result. */
export const outgoingOf = ({ variables }: Task): Record<string, unknown> => variables?.outgoing ?? {};

/** A use of a job variable: a position where a task reads or writes it. */
export type Use = {
  variable: string;
  task: Task;
  /** Field of incoming or outgoing; `error` for the error variable. */
  member: string;
  /** Fields below that one, for a deeper position. */
  below: readonly string[];
  value?: unknown;
};

/** Returns every use in which a task sets a variable of the job. */
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

/** Returns whether a value is text that can name something. */
export const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';
