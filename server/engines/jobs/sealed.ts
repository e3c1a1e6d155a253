import type { Decorator, Task } from '#db/schemas/task.ts';
import type { Vault } from '#server/vault.ts';
import type { Head } from './document.ts';
import { MASK } from './secrets.ts';

/**
 * Jobs whose values are sealed at rest (lifecycle §0.7, Secrets). A value that a decorator marks goes from task to task
 * under many names, so it is not looked for: of such a job everything is sealed that can hold a value. Its `doc` shows the
 * variables that every job has and where it went wrong, and the member `sealed` holds the rest; `state`, what past passes
 * keep, and values that stand apart are a sealed text each.
 */

/** A head as it is stored. */
export type StoredHead = Head & { sealed?: string };

type Marked = {
  decorators?: readonly Decorator[] | null | undefined;
  tasks?: Readonly<Record<string, Task>> | undefined;
};

/** Whether a workflow marks values of its jobs, or of tasks, as encrypted (interface §2.13). */
export const marksSecrets = ({ decorators, tasks = {} }: Marked): boolean =>
  encrypts(decorators) || Object.values(tasks).some(({ variables }) => encrypts(variables?.decorators));

const encrypts = (decorators: Marked['decorators']): boolean =>
  decorators?.some(({ type }) => type === 'encryption') ?? false;

/** A head with its values sealed. Filters and events see what is left: who started it, and which tasks failed when. */
export function sealedHead(vault: Pick<Vault, 'seal'>, head: Head): StoredHead {
  const { variables, error } = head;
  const { _id, initiator } = variables;
  return {
    ...head,
    variables: { _id, initiator },
    error: error.map(({ task, timestamp }) => ({ task, message: MASK, timestamp })),
    sealed: vault.seal(JSON.stringify({ variables, error })),
  };
}

/** A head as it was before it was stored. @throws Error when it was sealed with another key */
export function openedHead<Stored extends { sealed?: string | null }>(
  vault: Pick<Vault, 'open'>,
  { sealed, ...head }: Stored,
): Omit<Stored, 'sealed'> {
  // What `sealedHead` sealed.
  return sealed
    ? { ...head, ...(JSON.parse(vault.open(sealed)) as Pick<Head, 'variables' | 'error'>) }
    : head;
}

/** A JSON text as the JSON text of the sealed one. */
export const sealedJson = (vault: Pick<Vault, 'seal'>, json: string): string =>
  JSON.stringify(vault.seal(json));

/** What a column holds that is sealed or not: sealed, it is a text, which nothing is that was not. */
export const openedJson = (vault: Pick<Vault, 'open'>, json: string): string =>
  json.startsWith('"') ? vault.open(JSON.parse(json) as string) : json;
