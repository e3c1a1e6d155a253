import { and } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import { isOneOf } from '#db/expressions.ts';
import { sessions } from '#db/tables/identity/accounts.ts';
import { isAlive, type SessionLimits } from '#server/domains/identity/index.ts';
import { ServiceError, unavailable } from '#server/kernel/errors.ts';
import type { Feed } from '#server/kernel/event-feed.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { followJobs, REFRESHED_MS } from './progress.service.ts';
import { PAGE, readEvents, readTransient, storedEventRange } from './reading.service.ts';
import { openStream, type Stream } from './streams.service.ts';

/** Interval of the checks whether the sessions behind the streams still exist, in milliseconds. */
const WATCHED_MS = 15_000;
/** Delay between a change of rights and looking them up, in milliseconds: many changes come together. */
const SETTLED_MS = 50;
/** Delay before the next attempt to read while the database is unavailable, in milliseconds. */
const RETRY_MS = 500;

type FeedDependencies = {
  db: Database;
  log: Pick<Logger, 'warn' | 'debug'>;
  /** Maximum number of streams per account in this process. */
  perCaller: number;
  /** Reads the limits after which a session expires. */
  sessionLimits: () => Promise<SessionLimits>;
};

/** Opens the event feed of this process; call `heard` for each notification of new events. */
export function openFeed({ db, log, perCaller, sessionLimits }: FeedDependencies): Feed {
  const streams = new Set<Stream>();
  /** Id of the last event passed to the streams. */
  let position = 0;
  let reading = false;
  let again = false;
  let closed = false;
  let watching: NodeJS.Timeout | undefined;
  let settling: NodeJS.Timeout | undefined;
  let waking: Promise<void> | undefined;
  /** Events that are not stored, on their way to the streams. */
  const passing: string[] = [];
  let following: NodeJS.Timeout | undefined;

  /** Passes new events to the streams; concurrent calls share one read, followed by one more. */
  const follow = async () => {
    do {
      again = false;
      const page = await readEvents(db, { after: position });
      for (const stream of streams) stream.hear(page);
      position = Math.max(position, page.at(-1)?.id ?? 0);
      if (page.length === PAGE) again = true;
    } while (again && streams.size > 0);
  };
  const heard = () => {
    if (streams.size === 0) return;
    again = true;
    if (reading) return;
    reading = true;
    follow()
      .catch((error: unknown) => {
        again = true;
        log.debug({ err: error }, 'events could not be read');
      })
      .finally(() => {
        reading = false;
        if (again) setTimeout(heard, RETRY_MS);
      });
  };

  /** Passes events that are not stored to the streams that follow their jobs; those that arrive meanwhile come next. */
  const relay = async () => {
    const followed = followedJobs();
    const texts = passing.splice(0).filter((text) => followed.has(jobIn(text)));
    if (texts.length === 0) return;
    const events = await readTransient(db, texts);
    for (const stream of streams) stream.pass(events);
  };
  const missed = () => {
    for (const stream of streams) stream.miss();
  };
  const passed = (text?: string) => {
    if (text === undefined) missed();
    else if (streams.size > 0 && passing.push(text) === 1) void relayAll();
  };
  const relayAll = async () => {
    // In the next turn: what arrives together is read together.
    await new Promise(setImmediate);
    while (passing.length > 0) {
      await relay().catch((error: unknown) => {
        log.debug({ err: error }, 'progress of jobs could not be read');
        missed();
      });
    }
  };
  const followedJobs = () => new Set([...streams].flatMap(({ progress }) => [...progress]));
  /** Jobs stay followed while a stream that follows them is open. */
  const keepFollowing = () => {
    if (closed) return;
    following ??= setTimeout(() => {
      following = undefined;
      const jobs = followedJobs();
      if (jobs.size === 0) return;
      followJobs(db, jobs)
        .catch((error: unknown) => log.debug({ err: error }, 'jobs could not be followed'))
        .finally(keepFollowing);
    }, REFRESHED_MS);
  };

  /** Nothing is read while no stream is open: the first stream looks up the current position. */
  const wake = async () => {
    if (streams.size > 0) return;
    waking ??= storedEventRange(db)
      .then(({ newest }) => {
        position = Math.max(position, newest);
      })
      .finally(() => {
        waking = undefined;
      });
    await waking;
  };

  const endAs = (stream: Stream, error: unknown) => {
    if (error instanceof ServiceError && error.code === 'UNAUTHORIZED') stream.end(error);
    else log.debug({ err: error }, 'rights of event streams could not be looked up');
  };
  /** Looks up the callers behind these streams again; streams of one session share one lookup. */
  const ask = async (openStreams: Iterable<Stream>) => {
    const bySession = new Map<string, Promise<Caller>>();
    for (const stream of openStreams) {
      const { listener } = stream;
      const { session } = listener.caller;
      const answer = (session === null ? undefined : bySession.get(session)) ?? listener.again();
      if (session !== null) bySession.set(session, answer);
      try {
        stream.listener = { ...listener, caller: await answer };
      } catch (error) {
        endAs(stream, error);
      }
    }
  };
  /** Rechecks streams whose session no longer exists (expiry notifies nobody), and those without a session. */
  const watch = async () => {
    const own = [...streams].flatMap(({ listener }) => listener.caller.session ?? []);
    const alive = await db
      .select({ hash: sessions.tokenHash })
      .from(sessions)
      .where(and(isOneOf(sessions.tokenHash, [...new Set(own)]), isAlive(await sessionLimits())));
    const hashes = new Set(alive.map(({ hash }) => hash));
    const gone = (stream: Stream) => !hashes.has(stream.listener.caller.session ?? '');
    await ask([...streams].filter(gone));
  };
  const watched = () => {
    watching = undefined;
    if (streams.size === 0 || closed) return;
    watch()
      .catch((error: unknown) =>
        log.debug({ err: error }, 'sessions of event streams could not be looked up'),
      )
      .finally(keepWatch);
  };
  const keepWatch = () => {
    if (!closed) watching ??= setTimeout(watched, WATCHED_MS);
  };

  const open: Feed['open'] = async (listener, request) => {
    if (closed) throw unavailable('The service is stopping');
    const mine = () => [...streams].filter((one) => one.listener.caller.id === listener.caller.id).length;
    if (mine() >= perCaller) throw tooMany(perCaller);
    const kept = request.after === undefined ? undefined : await storedEventRange(db);
    await wake();
    if (closed) throw unavailable('The service is stopping');
    if (mine() >= perCaller) throw tooMany(perCaller);
    const opened = openStream(listener, request, {
      db,
      kept,
      position: () => position,
      leave: (stream) => streams.delete(stream),
    });
    streams.add(opened.stream);
    keepWatch();
    if (opened.stream.progress.size > 0) {
      // A step after this is sent, and what was read before the stream began is older.
      await followJobs(db, opened.stream.progress).catch((error: unknown) => {
        opened.stream.end();
        throw error;
      });
      keepFollowing();
    }
    // Reads the events that arrived since the position was looked up.
    heard();
    return opened.iterator;
  };

  return {
    open,
    heard,
    passed,
    accessChanged() {
      if (streams.size === 0) return;
      settling ??= setTimeout(() => {
        settling = undefined;
        ask([...streams]).catch((error: unknown) => log.warn({ err: error }, 'rights behind streams'));
      }, SETTLED_MS);
    },
    isOpen: () => !closed,
    close() {
      closed = true;
      clearTimeout(watching);
      clearTimeout(settling);
      clearTimeout(following);
      for (const stream of [...streams]) stream.end(unavailable('The service is stopping'));
    },
    count: () => streams.size,
  };
}

/** Returns the id of the job that an event of its progress is about. */
const jobIn = (text: string) => (JSON.parse(text) as { subjects: [string] }).subjects[0];

const tooMany = (most: number) =>
  new ServiceError(
    'TOO_MANY_REQUESTS',
    `This account already has ${most} open event streams: close one first`,
    {
      headers: { 'Retry-After': '5' },
    },
  );
