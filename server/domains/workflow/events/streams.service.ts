import type { Database } from '#db/client.ts';
import type { Listener, StreamItem, Subscription, SubscriptionRequest } from '#server/kernel/event-feed.ts';
import { OWN_PAGE, readEvents } from './reading.service.ts';
import { gapAt, openWaiting, type StreamEvent } from './stream.ts';
import { mayReceive, visibleText } from './visible-payload.service.ts';

/** One stream, as the feed sees it. */
export type Stream = {
  listener: Listener;
  /** Takes what came, in order. */
  hear: (told: readonly StreamEvent[]) => void;
  /** Ends it; its reader is told why by an error. */
  end: (why?: Error) => void;
};

type StreamDependencies = {
  db: Database;
  /** What was kept when the stream was asked for; undefined: it is to begin now. */
  kept: { oldest: number; newest: number } | undefined;
  /** Up to which event the feed has handed out. */
  position: () => number;
  leave: (stream: Stream) => void;
};

/**
 * One stream. It goes through the database up to where the feed stands, and from there on takes what the feed hands it; a
 * reader who was too slow for that goes through the database again, from the last event it was given. Nothing is missed,
 * nothing is given twice, and what waits in memory is bounded.
 */
export function openStream(listener: Listener, asked: SubscriptionRequest, around: StreamDependencies) {
  const { topics, subjects } = asked;
  const byTopic = topics && new Set(topics);
  const bySubject = subjects && new Set(subjects);
  const waiting = openWaiting();
  const start = startOf(asked.after, around);
  let { given, target, gap } = start;
  let page: StreamEvent[] = [];
  /** Where the reader stands once it has the page. */
  let pageEnd = given;
  let ended: { why: Error | undefined } | undefined;
  let wake = () => {};

  const stream: Stream = {
    listener,
    hear(told) {
      let any = false;
      for (const one of told) {
        if (one.id <= given || !matches(one)) continue;
        waiting.put(one);
        any = true;
      }
      if (any) wake();
    },
    end(why) {
      if (ended) return;
      ended = { why };
      around.leave(stream);
      wake();
    },
  };
  const matches = (told: StreamEvent) => {
    if (byTopic && !byTopic.has(told.topic)) return false;
    if (bySubject && !told.subjects.some((id) => bySubject.has(id))) return false;
    return mayReceive(told, stream.listener.caller);
  };

  /** The next event, or undefined when there is none now. */
  const nextEvent = async (): Promise<StreamEvent | undefined> => {
    for (;;) {
      const read = page.shift();
      if (read) {
        given = read.id;
        if (matches(read)) return read;
        continue;
      }
      given = Math.max(given, pageEnd);
      if (given < target) {
        const span = { after: given, upTo: target, most: OWN_PAGE, topics, subjects };
        page = [...(await readEvents(around.db, span))];
        pageEnd = page.length < OWN_PAGE ? target : given;
        continue;
      }
      const told = waiting.take(given);
      if (told) {
        given = told.id;
        // Rights may have changed while it waited.
        if (matches(told)) return told;
        continue;
      }
      if (!waiting.overflowed()) return undefined;
      target = around.position();
    }
  };

  const next = async (): Promise<IteratorResult<StreamItem>> => {
    for (;;) {
      if (ended?.why) throw ended.why;
      if (ended) return { done: true, value: undefined };
      if (gap) {
        const value = gap;
        gap = undefined;
        return { done: false, value };
      }
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const told = await nextEvent();
      if (told) {
        const text = visibleText(told, stream.listener.caller);
        return { done: false, value: { id: String(told.id), text } };
      }
      if (!ended) await woken;
    }
  };
  const iterator: Subscription = {
    from: String(given),
    next: () =>
      next().catch((error: unknown) => {
        stream.end();
        throw error;
      }),
    async return() {
      stream.end();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return { stream, iterator };
}

/** Where a stream begins: after which event, how far the database is gone through, and whether something is missing. */
function startOf(after: number | undefined, { kept, position }: StreamDependencies) {
  const target = position();
  if (after === undefined || !kept) return { given: target, target, gap: undefined };
  const given = within(after, kept);
  return {
    given,
    target: Math.max(target, kept.newest),
    gap: given === after ? undefined : gapAt(given + 1),
  };
}

/** An id from a time to come is one of another database: nothing can be said of what was missed, so it goes on from now. */
function within(after: number, { oldest, newest }: { oldest: number; newest: number }): number {
  if (after > newest) return newest;
  return Math.max(after, oldest - 1);
}
