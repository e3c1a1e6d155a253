import type { Job } from '#db/schemas/job.ts';
import type { Decorator, Task } from '#db/schemas/task.ts';
import { isObject } from '#server/engines/workflows/variables.ts';

/** What stands where a value is not shown (lifecycle §0.7, Secrets). */
export const MASK = '********';

/** A job with the values masked that its decorators mark as encrypted (interface §2.13). */
export function masked(job: Job): Job {
  const shown = withMasks(job, job.decorators ?? []);
  const tasks = Object.fromEntries(Object.entries(shown.tasks).map(([id, task]) => [id, maskedTask(task)]));
  return { ...shown, tasks };
}

const maskedTask = (task: Task): Task => {
  const decorators = task.variables?.decorators ?? [];
  return decorators.length === 0 ? task : withMasks(task, decorators);
};

/** A copy of a document with masks at the places that decorators name. */
export function withMasks<Doc extends object>(doc: Doc, decorators: readonly Decorator[]): Doc {
  let shown: unknown = doc;
  for (const { type, pointer } of decorators) {
    if (type !== 'encryption' || !pointer.startsWith('/')) continue;
    const path = pointer
      .slice(1)
      .split('/')
      .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
    shown = maskAt(shown, path);
  }
  // Only values were replaced.
  return shown as Doc;
}

function maskAt(value: unknown, [name, ...below]: readonly string[]): unknown {
  if (name === undefined) return value === null || value === undefined ? value : MASK;
  if (Array.isArray(value)) return value.map((one, at) => (String(at) === name ? maskAt(one, below) : one));
  if (!isObject(value) || !Object.hasOwn(value, name)) return value;
  return { ...value, [name]: maskAt(value[name], below) };
}
