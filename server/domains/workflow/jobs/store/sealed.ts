import type { Decorator, Task } from '#db/schemas/workflow/task.ts';
import type { SealContext, Vault } from '#server/kernel/secrets/vault.ts';
import type { Head } from '../reducer/document.ts';
import { MASK } from './named-secrets.ts';

/**
 * Jobs whose values are sealed at rest (contract/lifecycle#secrets): those whose decorators mark a value, and those that
 * hold one that is secret by its name (named-secrets.ts). Such a value goes from task to task under many names, so it is
 * not looked for: of such a job everything is sealed that can hold a value. Its `doc` shows the
 * variables that every job has and where it went wrong, and the member `sealed` holds the rest; `state`, what past passes
 * keep, and values that stand apart are a sealed text each.
 */

/** A head as it is stored; `plainSecrets`: a migration found it to hold secrets, which were not sealed when it ended. */
export type StoredHead = Head & { sealed?: string; plainSecrets?: true };

type Marked = {
  decorators?: readonly Decorator[] | null | undefined;
  tasks?: Readonly<Record<string, Task>> | undefined;
};

/** Whether a workflow marks values of its jobs, or of tasks, as encrypted (contract/resources#2.13). */
export const marksSecrets = ({ decorators, tasks = {} }: Marked): boolean =>
  encrypts(decorators) || Object.values(tasks).some(({ variables }) => encrypts(variables?.decorators));

/** Where sealed texts of jobs belong. A value that stands apart has an id that no other has. */
export const headPlace = (job: string): SealContext => ['jobs', job, 'doc'];
export const statePlace = (job: string): SealContext => ['jobs', job, 'state'];
export const valuePlace = (id: string): SealContext => ['job_values', id];
export const keptPlace = (iteration: string): SealContext => ['job_tasks', iteration, 'kept'];

const encrypts = (decorators: Marked['decorators']): boolean =>
  decorators?.some(({ type }) => type === 'encryption') ?? false;

/** A head with its values sealed. Filters and events see what is left: who started it, and which tasks failed when. */
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

/** A head as it was before it was stored. @throws Error when it was sealed with another key */
export function openedHead<Stored extends { _id: string; sealed?: string | null; plainSecrets?: true }>(
  vault: Pick<Vault, 'open'>,
  { sealed, plainSecrets: _, ...head }: Stored,
): Omit<Stored, 'sealed' | 'plainSecrets'> {
  if (!sealed) return head;
  const { variables, error } = openedText(vault, head._id, sealed);
  return { ...head, variables, error };
}

/** What `sealedHead` sealed. Jobs that were stored earlier tell no texts. */
export const openedText = (vault: Pick<Vault, 'open'>, job: string, sealed: string): SealedHead =>
  JSON.parse(vault.open(sealed, headPlace(job))) as SealedHead;

type SealedHead = Pick<Head, 'variables' | 'error'> & {
  /** Secrets of the whole job, which are hidden wherever they stand. */
  texts?: readonly string[];
};

/** A JSON text as the JSON text of the sealed one. */
export const sealedJson = (vault: Pick<Vault, 'seal'>, json: string, place: SealContext): string =>
  JSON.stringify(vault.seal(json, place));

/** What a column holds that is sealed or not: sealed, it is a text, which nothing is that was not. */
export const openedJson = (vault: Pick<Vault, 'open'>, json: string, place: SealContext): string =>
  json.startsWith('"') ? vault.open(JSON.parse(json) as string, place) : json;
