import type { Job } from '#db/schemas/workflow/job.ts';
import type { Decorator, Task } from '#db/schemas/workflow/task.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { namesOf } from '#server/kernel/json/pointer.ts';
import { MASK, secretTextsOf, withoutNamedSecrets } from './named-secrets.ts';

/**
 * Returns a job with masks for the values that its decorators mark as encrypted (contract/resources#2.13), or that are
 * secret by name.
 */
export function masked(job: Job, texts: readonly string[] = secretTextsOf(job)): Job {
  const shown = withoutNamedSecrets(withMasks(job, job.decorators ?? []), texts);
  const tasks = Object.fromEntries(Object.entries(shown.tasks).map(([id, task]) => [id, maskedTask(task)]));
  return { ...shown, tasks };
}

const maskedTask = (task: Task): Task => {
  const decorators = task.variables?.decorators ?? [];
  return decorators.length === 0 ? task : withMasks(task, decorators);
};

/** Returns a copy of a document with masks at the locations that decorators name. */
export function withMasks<Doc extends object>(doc: Doc, decorators: readonly Decorator[]): Doc {
  let shown: unknown = doc;
  for (const { type, pointer } of decorators) {
    if (type !== 'encryption' || !pointer.startsWith('/')) continue;
    shown = maskAt(shown, namesOf(pointer));
  }
  // Only values were replaced: the type stays.
  return shown as Doc;
}

function maskAt(value: unknown, [name, ...below]: readonly string[]): unknown {
  if (name === undefined) return value === null || value === undefined ? value : MASK;
  if (Array.isArray(value)) return value.map((one, at) => (String(at) === name ? maskAt(one, below) : one));
  if (!isObject(value) || !Object.hasOwn(value, name)) return value;
  return { ...value, [name]: maskAt(value[name], below) };
}
