import type { Database } from '#db/client.ts';
import type { Listener, StreamItem, Subscription, SubscriptionRequest } from '#server/kernel/event-feed.ts';
import { OWN_PAGE, readEvents } from './reading.service.ts';
import { gapAt, openWaiting, type StreamEvent, unknownProgressOf, WAITING } from './stream.ts';
import { mayReceive, visibleText } from './visible-payload.service.ts';

/** One stream, as the feed sees it. */
export type Stream = {
  listener: Listener;
  /** Receives new events, in order. */
  hear: (events: readonly StreamEvent[]) => void;
  /** Ids of the jobs that its reader follows. */
  progress: ReadonlySet<string>;
  /** Receives events that are not stored. */
  pass: (events: readonly StreamEvent[]) => void;
  /** Events that are not stored may have been missed: the reader has to read again the jobs that it follows. */
  miss: () => void;
  /** Ends the stream; its reader receives `why` as an error. */
  end: (why?: Error) => void;
};

type StreamDependencies = {
  db: Database;
  /** The events stored when the stream was requested; undefined: it starts now. */
  kept: { oldest: number; newest: number } | undefined;
  /** Returns the id of the last event that the feed has passed on. */
  position: () => number;
  leave: (stream: Stream) => void;
};

/**
 * Opens one stream. It reads the database up to the feed's position, and from there on receives events from the feed; a
 * reader too slow for that reads the database again, from its last event. No event is missed or sent twice, and the events
 * waiting in memory are bounded.
 */
export function openStream(listener: Listener, request: SubscriptionRequest, around: StreamDependencies) {
  const start = startOf(request.after, around);
  let { gap } = start;
  /** Events that are not stored, and the jobs of which some were lost. */
  let passing: StreamEvent[] = [];
  const lost = new Set<string>();
  let ended: { why: Error | undefined } | undefined;
  let wake = () => {};

  const stream: Stream = {
    listener,
    progress: new Set(request.progress),
    pass(events) {
      const mine = events.filter(isFollowed);
      if (mine.length === 0) return;
      passing.push(...mine);
      if (passing.length > WAITING) stream.miss();
      else wake();
    },
    miss() {
      passing = [];
      for (const job of stream.progress) lost.add(job);
      if (lost.size > 0) wake();
    },
    hear(events) {
      if (stored.receive(events)) wake();
    },
    end(why) {
      if (ended) return;
      ended = { why };
      around.leave(stream);
      wake();
    },
  };
  const isFollowed = (event: StreamEvent) =>
    event.subjects.some((id) => stream.progress.has(id)) && mayReceive(event, stream.listener.caller);
  const stored = openStoredEvents(start, request, around, (event) =>
    mayReceive(event, stream.listener.caller),
  );

  /** Returns the next item that is not stored. It has the id of the last stored event, at which the stream resumes. */
  const nextPassing = async (): Promise<StreamItem | undefined> => {
    const id = String(stored.lastId());
    for (const job of lost) {
      lost.delete(job);
      return { id, text: unknownProgressOf(job, id) };
    }
    // Rights may have changed while it waited.
    for (let event = passing.shift(); event; event = passing.shift()) {
      if (!isFollowed(event)) continue;
      const text = await visibleText(event, stream.listener.caller);
      return { id, text: text.replace('{"id":"0"', `{"id":"${id}"`) };
    }
    return undefined;
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
      const event = await stored.next();
      if (event) {
        const text = await visibleText(event, stream.listener.caller);
        return { done: false, value: { id: String(event.id), text } };
      }
      const passed = await nextPassing();
      if (passed) return { done: false, value: passed };
      if (!ended) await woken;
    }
  };
  const iterator: Subscription = {
    from: String(start.given),
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

/**
 * Opens the stored events of a stream, in order: those that the database has up to the feed's position, then those that the
 * feed passes on.
 *
 * @param start id after which the stream starts, and up to which it reads the database
 * @param mayRead decides whether its reader may have an event
 */
function openStoredEvents(
  start: { given: number; target: number },
  { topics, subjects }: SubscriptionRequest,
  { db, position }: StreamDependencies,
  mayRead: (event: StreamEvent) => boolean,
) {
  const byTopic = topics && new Set(topics);
  const bySubject = subjects && new Set(subjects);
  const waiting = openWaiting();
  let { given, target } = start;
  let page: StreamEvent[] = [];
  /** Id of the last event covered once the page is consumed. */
  let pageEnd = given;

  const matches = (event: StreamEvent) => {
    if (byTopic && !byTopic.has(event.topic)) return false;
    if (bySubject && !event.subjects.some((id) => bySubject.has(id))) return false;
    return mayRead(event);
  };
  const readPage = async () => {
    const span = { after: given, upTo: target, most: OWN_PAGE, topics, subjects };
    page = [...(await readEvents(db, span))];
    pageEnd = page.length < OWN_PAGE ? target : given;
  };

  return {
    /** Returns the id of the last event that was covered. */
    lastId: () => given,

    /** Receives new events of the feed. @returns whether one of them is for this stream */
    receive(events: readonly StreamEvent[]): boolean {
      const mine = events.filter((event) => event.id > given && matches(event));
      for (const event of mine) waiting.put(event);
      return mine.length > 0;
    },

    /** Returns the next event; undefined when none is available now. */
    async next(): Promise<StreamEvent | undefined> {
      for (;;) {
        for (let read = page.shift(); read; read = page.shift()) {
          given = read.id;
          if (matches(read)) return read;
        }
        given = Math.max(given, pageEnd);
        if (given < target) {
          await readPage();
          continue;
        }
        for (let event = waiting.take(given); event; event = waiting.take(given)) {
          given = event.id;
          // Rights may have changed while it waited.
          if (matches(event)) return event;
        }
        if (!waiting.overflowed()) return undefined;
        target = position();
      }
    },
  };
}

/** Returns where a stream starts, up to which event it reads the database, and the gap item if events are missing. */
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

/** Limits an id to the stored events. An id beyond the newest comes from another database: the stream starts now. */
function within(after: number, { oldest, newest }: { oldest: number; newest: number }): number {
  if (after > newest) return newest;
  return Math.max(after, oldest - 1);
}
