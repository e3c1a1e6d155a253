import type { StreamItem } from '#server/kernel/event-feed.ts';

/** An event as it goes to every stream: made once, shared by all. */
export type StreamEvent = {
  id: number;
  topic: string;
  /** Ids of what it is about. */
  subjects: readonly string[];
  kind: string;
  /** Access lists of the documents that it is about (`mayHear` in db/access.ts). */
  documents: readonly (readonly (readonly string[])[])[];
  /** Of an event about several trees: the access list of each, by its id. */
  trees?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The event as JSON: `{id, source, topic, time, payload}`. */
  text: string;
};

/** Events that wait for a slow reader at most; beyond it they are forgotten here, and read again from the database. */
export const WAITING = 256;

/**
 * What waits for one reader. It holds a bounded number of events that are shared with other readers; when more come it
 * forgets them and remembers only that, for the reader goes on from the last id it was given.
 */
export type StreamBuffer = {
  put: (told: StreamEvent) => void;
  /** The next event after `after`; undefined: none waits. */
  take: (after: number) => StreamEvent | undefined;
  /** Whether some were forgotten since this was asked last. */
  overflowed: () => boolean;
};

export function openWaiting(most = WAITING): StreamBuffer {
  let queue: StreamEvent[] = [];
  let lost = false;
  return {
    put(told) {
      if (lost) return;
      if (queue.length < most) queue.push(told);
      else {
        queue = [];
        lost = true;
      }
    },
    take(after) {
      for (let told = queue.shift(); told; told = queue.shift()) {
        if (told.id > after) return told;
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

/** What is told of events that are no longer kept: the reader goes on at `next`, and may have missed what was before. */
export const gapAt = (next: number): StreamItem => ({
  id: String(next - 1),
  text: JSON.stringify({ topic: 'gap', oldestId: String(next) }),
  isGap: true,
});
