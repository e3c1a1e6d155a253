import type { StreamItem } from '#server/kernel/event-feed.ts';

/** An event as it goes to every stream: created once, shared by all. */
export type StreamEvent = {
  id: number;
  topic: string;
  /** Ids of the documents that it is about. */
  subjects: readonly string[];
  kind: string;
  /** Access lists of the documents that it is about (`mayReceiveEvents` in db/access.ts). */
  documents: readonly (readonly (readonly string[])[])[];
  /** For an event about several trees: the access list of each, by its id. */
  trees?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The event as JSON: `{id, source, topic, time, payload}`. */
  text: string;
};

/** Maximum number of events that wait for a slow reader; on overflow they are dropped, and read again from the database. */
export const WAITING = 256;

/**
 * The buffer of events for one reader. It holds a bounded number of events, shared with other readers; on overflow it drops
 * them and remembers only the overflow, since the reader continues from the last id it received.
 */
export type StreamBuffer = {
  put: (event: StreamEvent) => void;
  /** Returns the next event after `after`; undefined: none waits. */
  take: (after: number) => StreamEvent | undefined;
  /** Returns whether events were dropped since the last call. */
  overflowed: () => boolean;
};

/** Opens the buffer of a stream. */
export function openWaiting(): StreamBuffer {
  let queue: StreamEvent[] = [];
  let lost = false;
  return {
    put(event) {
      if (lost) return;
      if (queue.length < WAITING) queue.push(event);
      else {
        queue = [];
        lost = true;
      }
    },
    take(after) {
      for (let event = queue.shift(); event; event = queue.shift()) {
        if (event.id > after) return event;
      }
      return undefined;
    },
    overflowed() {
      const was = lost;
      lost = false;
      return was;
    },
  };
}

/** Returns the item that reports missing events: the reader continues at `next`, and may have missed earlier ones. */
export const gapAt = (next: number): StreamItem => ({
  id: String(next - 1),
  text: JSON.stringify({ topic: 'gap', oldestId: String(next) }),
  isGap: true,
});

/** Returns the event, JSON, that makes the reader of a stream read again a job that it follows. */
export const unknownProgressOf = (job: string, id: string): string =>
  JSON.stringify({
    id,
    source: '@vendor/operations-manager',
    topic: 'jobProgressed',
    time: new Date().toISOString(),
    payload: { _id: job },
  });
