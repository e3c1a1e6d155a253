import type { Vault } from '#server/vault.ts';
import { type Head, idOf, type JobDocument, type TaskState } from './document.ts';
import { LARGE, largeIdOf } from './large.ts';
import { secretTextsIn, withoutSecretsInErrors } from './named-secrets.ts';
import { sealedHead, sealedJson, statePlace, valuePlace } from './sealed.ts';

/** A job as it is written, in JSON: what is large stands apart, and a mark in its place (lifecycle §6.3). */
export type Compressed = { head: string; state: string; values: { id: string; text: string }[] };

/**
 * A job as it is written, with values over 1 MiB taken out.
 *
 * @param fetched values that stand apart already, by id
 * @param seed a UUID that no other event has: ids of values are made of it
 * @param vault seals all of it that can hold a value; null: it is stored as it is
 */
export function compressed(
  document: JobDocument,
  fetched: ReadonlyMap<string, unknown>,
  seed: string,
  vault: Pick<Vault, 'seal'> | null,
): Compressed {
  if (!vault) return lightened(document, fetched, seed);
  const { _id } = document.head;
  const told = { ...document, head: withoutSecretsInErrors(document) };
  const light = lightened(told, fetched, seed);
  return {
    head: JSON.stringify(sealedHead(vault, JSON.parse(light.head) as Head, secretTextsIn(document))),
    state: sealedJson(vault, light.state, statePlace(_id)),
    values: light.values.map(({ id, text }) => ({ id, text: sealedJson(vault, text, valuePlace(id)) })),
  };
}

function lightened(
  { head, state }: JobDocument,
  fetched: ReadonlyMap<string, unknown>,
  seed: string,
): Compressed {
  const values: Compressed['values'] = [];
  const texts = { head: JSON.stringify(head), state: JSON.stringify(state) };
  // A text cannot hold a value that is longer than itself: most jobs are not looked into.
  const isRoomy = { head: texts.head.length > LARGE, state: texts.state.length > LARGE };
  if (!isRoomy.head && !isRoomy.state) return { ...texts, values };
  const marks = new Map<unknown, object>();
  for (const [id, value] of fetched) marks.set(value, { $largeData: id, size: sizeOf(value) });
  const mark = (value: unknown): unknown => {
    if (value === null || value === undefined || largeIdOf(value) !== null) return value;
    const known = marks.get(value);
    if (known) return known;
    const text = JSON.stringify(value);
    if (text === undefined || text.length <= LARGE) return value;
    const made = { $largeData: idOf(seed, values.length), size: text.length };
    values.push({ id: made.$largeData, text });
    marks.set(value, made);
    return made;
  };
  const apart = (members: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, mark(value)]));
  const lighter = ({ incoming, outgoing, ...task }: TaskState): TaskState => ({
    ...task,
    ...(incoming && { incoming: apart(incoming) }),
    ...(outgoing && { outgoing: apart(outgoing) }),
  });
  const tasks = () =>
    Object.fromEntries(Object.entries(state.tasks).map(([id, task]) => [id, lighter(task)]));
  return {
    head: isRoomy.head ? JSON.stringify({ ...head, variables: apart(head.variables) }) : texts.head,
    state: isRoomy.state ? JSON.stringify({ ...state, tasks: tasks() }) : texts.state,
    values,
  };
}

const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0;
