import { JsonText } from './json-text.ts';
import type { Caller } from './principal.ts';

/** What a stream is asked for. */
export type SubscriptionRequest = {
  topics?: readonly string[] | undefined;
  subjects?: readonly string[] | undefined;
  /** The last event that the reader has; absent: from now on. */
  after?: number | undefined;
};

/** A caller, and how to find out who it is now. */
export type Listener = { caller: Caller; again: () => Promise<Caller> };

/** What a stream gives: an event or a gap, as JSON, with the id to resume at. */
export type StreamItem = { id: string; text: string; isGap?: true };

/** The text of a gap, which has a name of its own on the wire. */
export class GapText<Value> extends JsonText<Value> {}

/** What a reader goes through; `from` is the id to resume at as long as nothing has come. */
export type Subscription = AsyncIterableIterator<StreamItem> & { from: string };

/** Events to every stream of this process: one listener and one read, however many streams there are. */
export type Feed = {
  /**
   * Begin to give events, from this moment on or after an id.
   *
   * @throws ServiceError TOO_MANY_REQUESTS, SERVICE_UNAVAILABLE while the service stops
   */
  open: (listener: Listener, asked: SubscriptionRequest) => Promise<Subscription>;
  /** Events may have come: called for each notification. */
  heard: () => void;
  /** Rights changed, or sessions ended. */
  accessChanged: () => void;
  /** End every stream: the service stops. */
  close: () => void;
  /** Whether streams can be opened, which ends when the service stops. */
  isOpen: () => boolean;
  /** Streams that are open. */
  count: () => number;
};
