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
/** Maximum number of rows of the outbox that one check sequences. */
const MOST = 500;

type SequencerDependencies = {
  db: Database;
  log: Pick<Logger, 'debug'>;
  /**
   * Processes events that a consumer has not processed yet. @returns whether there were any. Absent: the sequencer rests
   * until this process publishes again, and leaves all other events to processes that have this function.
   */
  handleEvents?: () => Promise<boolean>;
};

/**
 * Assigns ids to committed events, for as long as this process lives (`sequence_events`). Every process checks; the first
 * one does it for all. A check is one statement, and happens at once when this process has published an event.
 *
 * @returns a function that stops it
 */
export function startSequencer({ db, log, handleEvents }: SequencerDependencies): () => Promise<void> {
  const state = { delay: SOON_MS, stopped: false };
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  const look = async () => {
    const [found] = await rows<{ n: string | null; behind: boolean }>(
      db,
      sql`select sequence_events(${MOST}) as n,
        exists(select 1 from event_cursors where event_id < (select max(id) from events)) as behind`,
    );
    const sequenced = Number(found?.n ?? 0) > 0;
    const processed = handleEvents && (sequenced || found?.behind) ? await handleEvents() : false;
    return processed || sequenced;
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
          return !handleEvents && state.delay === LATEST_MS;
        },
        (error: unknown) => {
          // The database is unavailable: committed events wait there.
          state.delay = LATEST_MS;
          log.debug({ err: error }, 'events could not be put in order');
          return false;
        },
      )
      .then((isResting) => {
        looking = undefined;
        if (!isResting) again(state.delay);
      });
  };
  const stopListening = onPublished(db, () => {
    if (looking) state.delay = SOON_MS;
    else if (state.delay > SOON_MS) again(SOON_MS);
  });
  again(SOON_MS);
  return async () => {
    state.stopped = true;
    stopListening();
    clearTimeout(timer);
    await looking;
  };
}
