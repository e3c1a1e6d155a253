import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import type { SessionLimits } from '#server/domains/identity/index.ts';
import { ServiceError, unavailable } from '#server/kernel/errors.ts';
import type { Feed } from '#server/kernel/event-feed.ts';
import { followJobs } from './progress.service.ts';
import { PAGE, readEvents, storedEventRange } from './reading.service.ts';
import { openStreamRights } from './stream-rights.service.ts';
import { openStream, type Stream } from './streams.service.ts';
import { openTransientRelay } from './transient-relay.service.ts';

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

/** Opens the event feed of this process; call `catchUp` for each notification of new events. */
export function openFeed({ db, log, perCaller, sessionLimits }: FeedDependencies): Feed {
  const streams = new Set<Stream>();
  const relay = openTransientRelay({ db, log }, streams);
  const rights = openStreamRights({ db, log, sessionLimits }, streams);
  /** Id of the last event passed to the streams. */
  let position = 0;
  let reading = false;
  let again = false;
  let closed = false;
  let waking: Promise<void> | undefined;

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
  const catchUp = () => {
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
        if (again) setTimeout(catchUp, RETRY_MS);
      });
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
    rights.keepWatch();
    if (opened.stream.progress.size > 0) {
      // A step after this is sent, and what was read before the stream began is older.
      await followJobs(db, opened.stream.progress).catch((error: unknown) => {
        opened.stream.end();
        throw error;
      });
      relay.keepFollowing();
    }
    // Reads the events that arrived since the position was looked up.
    catchUp();
    return opened.iterator;
  };

  return {
    open,
    catchUp,
    passOn: relay.pass,
    accessChanged: rights.accessChanged,
    isOpen: () => !closed,
    close() {
      closed = true;
      relay.close();
      rights.close();
      for (const stream of [...streams]) stream.end(unavailable('The service is stopping'));
    },
    count: () => streams.size,
  };
}

const tooMany = (most: number) =>
  new ServiceError(
    'TOO_MANY_REQUESTS',
    `This account already has ${most} open event streams: close one first`,
    {
      headers: { 'Retry-After': '5' },
    },
  );
