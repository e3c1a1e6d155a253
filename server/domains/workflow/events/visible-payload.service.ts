import { mayReceiveEvents } from '#db/access.ts';
import { withoutConfigurationSecrets } from '#server/domains/network/index.ts';
import { type Caller, seesConfigurationSecrets } from '#server/kernel/principal.ts';
import { maskedAnswer } from '#server/kernel/secrets/masked-answer.ts';
import { mayReadKind } from './readers.ts';
import type { StreamEvent } from './stream.ts';

/** The part of an event that decides who receives it, and which part of its payload. */
export type GatedEvent = Pick<StreamEvent, 'kind' | 'documents' | 'trees'>;

/** Returns whether a caller's roles may read such documents, and the access list of one of the documents admits it. */
export const mayReceive = ({ kind, documents }: GatedEvent, caller: Caller): boolean =>
  mayReadKind(caller, kind) && mayReceiveEvents(documents, caller, kind);

type TreeNodeReference = { treeId?: unknown; version?: unknown; nodePath?: unknown };

/**
 * Returns the payload of an event as a caller may read it. An event of a compliance run over several trees goes to everyone
 * who may read one of them: the places in the other trees are removed.
 *
 * @returns the same object when nothing has to be removed
 */
function visiblePayload(
  payload: Record<string, unknown>,
  { trees }: GatedEvent,
  caller: Caller,
): Record<string, unknown> {
  if (!trees || !Array.isArray(payload.places)) return payload;
  const mayReadTree = (id: unknown) => {
    const list = typeof id === 'string' ? trees[id] : undefined;
    return list ? mayReceiveEvents([[list]], caller, 'tree') : caller.roles.includes('admin');
  };
  const places = (payload.places as TreeNodeReference[]).filter(({ treeId }) => mayReadTree(treeId));
  if (places.length === payload.places.length) return payload;
  const { treeId = '', version = '', nodePath = '' } = places[0] ?? {};
  return { ...payload, treeId, version, nodePath, places };
}

/**
 * Returns the payload of an event as a caller may read it: like `visiblePayload`, with the secrets of configurations masked
 * where the caller reads masks (decision 0112).
 */
export async function shownPayload(
  payload: Record<string, unknown>,
  event: GatedEvent,
  caller: Caller,
): Promise<Record<string, unknown>> {
  return maskedPayload(visiblePayload(payload, event, caller), caller);
}

/**
 * Returns a payload with the secrets of configurations masked, where the caller reads masks.
 *
 * @returns the same object when nothing has to be masked
 */
export const maskedPayload = async (
  payload: Record<string, unknown>,
  caller: Caller,
): Promise<Record<string, unknown>> =>
  seesConfigurationSecrets(caller)
    ? payload
    : ((await maskedAnswer(payload, withoutConfigurationSecrets)) as Record<string, unknown>);

/** Returns the text of an event, JSON, as a caller may read it. */
export async function visibleText(streamEvent: StreamEvent, caller: Caller): Promise<string> {
  if (!streamEvent.trees && seesConfigurationSecrets(caller)) return streamEvent.text;
  const event = JSON.parse(streamEvent.text) as { payload: Record<string, unknown> };
  const payload = await shownPayload(event.payload, streamEvent, caller);
  return payload === event.payload ? streamEvent.text : JSON.stringify({ ...event, payload });
}

/** An event as a caller may read it, and as it is sent to subscribers (contract/decisions#6). */
export type VisibleEvent = {
  id: string;
  source: string;
  topic: string;
  time: string;
  payload: Record<string, unknown>;
};

/** Returns an event as a caller may read it; undefined when it may not read what the event is about. */
export async function visibleEvent(
  streamEvent: StreamEvent,
  caller: Caller,
): Promise<VisibleEvent | undefined> {
  if (!mayReceive(streamEvent, caller)) return undefined;
  const event = JSON.parse(streamEvent.text) as VisibleEvent;
  return { ...event, payload: await shownPayload(event.payload, streamEvent, caller) };
}
