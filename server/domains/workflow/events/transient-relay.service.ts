import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import { followJobs, REFRESHED_MS } from './progress.service.ts';
import { readTransient } from './reading.service.ts';
import type { Stream } from './streams.service.ts';

/** Passes events that are not stored to the streams of this process. */
export type TransientRelay = {
  /** Passes an event on. @param text undefined: events may have been missed */
  pass: (text?: string) => void;
  /** Keeps the jobs followed for as long as a stream that follows them is open. */
  keepFollowing: () => void;
  close: () => void;
};

/** Opens the relay to these streams, which change while it is open. */
export function openTransientRelay(
  { db, log }: { db: Database; log: Pick<Logger, 'debug'> },
  streams: ReadonlySet<Stream>,
): TransientRelay {
  /** Events on their way to the streams. */
  const queue: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let isRelaying = false;

  const followedJobs = () => new Set([...streams].flatMap(({ progress }) => [...progress]));
  const missed = () => {
    for (const stream of streams) stream.miss();
  };
  /** Passes events to the streams that follow their jobs; those that arrive meanwhile come next. */
  const relay = async () => {
    const followed = followedJobs();
    const texts = queue.splice(0).filter((text) => followed.has(jobIn(text)));
    if (texts.length === 0) return;
    const events = await readTransient(db, texts);
    for (const stream of streams) stream.pass(events);
  };
  /** One at a time: events that arrive while others are read follow them. */
  const relayAll = async () => {
    if (isRelaying) return;
    isRelaying = true;
    // In the next turn: what arrives together is read together.
    await new Promise(setImmediate);
    while (queue.length > 0) {
      await relay().catch((error: unknown) => {
        log.debug({ err: error }, 'progress of jobs could not be read');
        missed();
      });
    }
    isRelaying = false;
  };
  const keepFollowing = () => {
    if (isClosed) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      const jobs = followedJobs();
      if (jobs.size === 0) return;
      followJobs(db, jobs)
        .catch((error: unknown) => log.debug({ err: error }, 'jobs could not be followed'))
        .finally(keepFollowing);
    }, REFRESHED_MS);
  };

  return {
    pass(text) {
      if (text === undefined) return missed();
      if (streams.size === 0) return;
      queue.push(text);
      void relayAll();
    },
    keepFollowing,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** Returns the id of the job that an event of its progress is about. */
const jobIn = (text: string) => (JSON.parse(text) as { subjects: [string] }).subjects[0];
