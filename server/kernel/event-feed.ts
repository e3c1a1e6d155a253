import { JsonText } from './json-text.ts';
import type { Caller } from './principal.ts';

/** The request for a stream of events. */
export type SubscriptionRequest = {
  topics?: readonly string[] | undefined;
  subjects?: readonly string[] | undefined;
  /** The last event that the reader has; absent: from now on. */
  after?: number | undefined;
  /** Ids of jobs that the reader may see: each of their steps is sent to it. */
  progress?: readonly string[] | undefined;
};

/** A caller, and a function that returns its current rights. */
export type Listener = { caller: Caller; again: () => Promise<Caller> };

/** An event or a gap of a stream, as JSON, with the id to resume at. */
export type StreamItem = { id: string; text: string; isGap?: true };

/** The text of a gap, which has its own event name on the wire. */
export class GapText<Value> extends JsonText<Value> {}

/** The iterator of a reader; `from` is the id to resume at before the first event. */
export type Subscription = AsyncIterableIterator<StreamItem> & { from: string };

/** The events for every stream of this process: one listener and one read, however many streams are open. */
export type Feed = {
  /**
   * Opens a stream of events, from now on or after an id.
   *
   * @throws ServiceError TOO_MANY_REQUESTS, SERVICE_UNAVAILABLE while the service stops
   */
  open: (listener: Listener, request: SubscriptionRequest) => Promise<Subscription>;
  /** Called for each notification: there may be new events. */
  catchUp: () => void;
  /** Called with an event that is not stored; without one: some may have been missed. */
  passOn: (event?: string) => void;
  /** Called when rights changed or sessions ended. */
  accessChanged: () => void;
  /** Ends every stream when the service stops. */
  close: () => void;
  /** Returns whether streams can be opened: false once the service stops. */
  isOpen: () => boolean;
  /** Returns the number of open streams. */
  count: () => number;
};
