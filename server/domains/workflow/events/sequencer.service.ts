import type { Logger } from 'pino';
import { type Database, rows } from '#db/client.ts';
import { onPublished } from '#db/connections/publish.ts';
import { sql } from '#db/statement.ts';

/**
 * Delay before the next check, in milliseconds: right after an event, and after a long idle time. Events of this process
 * are known at once, and events that another one put in order are announced, so the latter only finds those of a process
 * that was lost in between.
 */
const SOON_MS = 4;
const LATEST_MS = 1000;
/** Rows of the outbox that are sequenced at once. */
const MOST = 500;

type SequencerDependencies = {
  db: Database;
  log: Pick<Logger, 'debug'>;
  /** Runs at each check, when there may be new events. @returns whether it had something to do */
  besides?: () => Promise<boolean>;
};

/**
 * Assigns ids to committed events, for as long as this process lives (`sequence_events`). Every process checks; the first
 * one does it for all. A check is cheap, and happens at once when this process has published an event.
 *
 * @returns a function that stops it
 */
export function startSequencer({ db, log, besides }: SequencerDependencies): () => Promise<void> {
  const state = { delay: SOON_MS, stopped: false };
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  const look = async () => {
    const [found] = await rows<{ n: string | null }>(db, sql`select sequence_events(${MOST}) as n`);
    const more = besides ? await besides() : false;
    return more || Number(found?.n ?? 0) > 0;
  };
  const again = (ms: number) => {
    clearTimeout(timer);
    if (state.stopped) return;
    state.delay = ms;
    timer = setTimeout(go, ms);
  };
  const go = () => {
    // A running check may have started before the new event: another one follows it.
    if (looking) return;
    const requestedDelay = state.delay;
    state.delay = Math.min(requestedDelay * 2, LATEST_MS);
    looking = look()
      .then(
        (found) => {
          if (found) state.delay = SOON_MS;
        },
        (error: unknown) => {
          // The database is unavailable: committed events wait there.
          state.delay = LATEST_MS;
          log.debug({ err: error }, 'events could not be put in order');
        },
      )
      .finally(() => {
        looking = undefined;
        again(state.delay);
      });
  };
  const unheed = onPublished(db, () => {
    if (looking) state.delay = SOON_MS;
    else if (state.delay > SOON_MS) again(SOON_MS);
  });
  again(SOON_MS);
  return async () => {
    state.stopped = true;
    unheed();
    clearTimeout(timer);
    await looking;
  };
}
