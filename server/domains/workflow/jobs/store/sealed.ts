import type { Decorator, Task } from '#db/schemas/workflow/task.ts';
import type { SealLocation, Vault } from '#server/kernel/secrets/vault.ts';
import type { Head } from '../reducer/document.ts';
import { MASK } from './named-secrets.ts';

/**
 * Jobs whose values are sealed at rest (contract/lifecycle#secrets): those whose decorators mark a value, and those that
 * hold a value that is secret by its name (named-secrets.ts). Such a value passes from task to task under many names, so
 * everything in such a job that can hold a value is sealed. The job's `doc` shows only the variables that every job has,
 * and which tasks failed; its field `sealed` holds the rest. `state`, the values of past iterations, and separately stored
 * values are one sealed text each.
 */

/** A head as it is stored. `plainSecrets`: a migration found secrets in it that were not sealed when the job ended. */
export type StoredHead = Head & { sealed?: string; plainSecrets?: true };

type Marked = {
  decorators?: readonly Decorator[] | null | undefined;
  tasks?: Readonly<Record<string, Task>> | undefined;
};

/** Returns whether a workflow marks values of its jobs, or of tasks, as encrypted (contract/resources#2.13). */
export const marksSecrets = ({ decorators, tasks = {} }: Marked): boolean =>
  encrypts(decorators) || Object.values(tasks).some(({ variables }) => encrypts(variables?.decorators));

/** The seal contexts of a job's sealed texts. The id of a separately stored value is unique by itself. */
export const headPlace = (job: string): SealLocation => ['jobs', job, 'doc'];
/** Returns the place to which the sealed values in the state of a job are bound. */
export const statePlace = (job: string): SealLocation => ['jobs', job, 'state'];
/** Returns the place to which the sealed values in a large value are bound. */
export const valuePlace = (id: string): SealLocation => ['job_values', id];
/** Returns the place to which the sealed values that an iteration keeps are bound. */
export const keptPlace = (iteration: string): SealLocation => ['job_tasks', iteration, 'kept'];

const encrypts = (decorators: Marked['decorators']): boolean =>
  decorators?.some(({ type }) => type === 'encryption') ?? false;

/** Seals the values of a head. Filters and events see the rest: who started the job, and which tasks failed when. */
export function sealedHead(vault: Pick<Vault, 'seal'>, head: Head, texts: readonly string[]): StoredHead {
  const { variables, error } = head;
  const { _id, initiator } = variables;
  return {
    ...head,
    variables: { _id, initiator },
    error: error.map(({ task, timestamp }) => ({ task, message: MASK, timestamp })),
    sealed: vault.seal(JSON.stringify({ variables, error, texts }), headPlace(head._id)),
  };
}

/** Returns a head with its sealed values opened. @throws Error when it was sealed with another key */
export function openedHead<Stored extends { _id: string; sealed?: string | null; plainSecrets?: true }>(
  vault: Pick<Vault, 'open'>,
  { sealed, plainSecrets: _, ...head }: Stored,
): Omit<Stored, 'sealed' | 'plainSecrets'> {
  if (!sealed) return head;
  const { variables, error } = openedText(vault, head._id, sealed);
  return { ...head, variables, error };
}

/** Opens what `sealedHead` sealed. Jobs stored by earlier versions have no texts. */
export const openedText = (vault: Pick<Vault, 'open'>, job: string, sealed: string): SealedHead =>
  JSON.parse(vault.open(sealed, headPlace(job))) as SealedHead;

type SealedHead = Pick<Head, 'variables' | 'error'> & {
  /** Secrets of the whole job, which are hidden wherever they occur. */
  texts?: readonly string[];
};

/** Seals a JSON text, and returns the sealed text as JSON. */
export const sealedJson = (vault: Pick<Vault, 'seal'>, json: string, place: SealLocation): string =>
  JSON.stringify(vault.seal(json, place));

/** Opens the content of a column that may be sealed: sealed content is a JSON string, unsealed content never is. */
export const openedJson = (vault: Pick<Vault, 'open'>, json: string, place: SealLocation): string =>
  json.startsWith('"') ? vault.open(JSON.parse(json) as string, place) : json;
