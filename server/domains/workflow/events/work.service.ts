import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import type { Durable } from '#server/durable/port.ts';
import { throttleCall } from '#server/kernel/timing/throttle-call.ts';
import { pruneEvents } from './reading.service.ts';
import { startSequencer } from './sequencer.service.ts';
import { beginStarts, enqueueStarts } from './starting.service.ts';

/** Interval at which each process deletes old events, in milliseconds. */
const PRUNED_MS = 60_000;

type EventWorkDependencies = {
  db: Database;
  log: Pick<Logger, 'debug' | 'warn'>;
  /** Maximum number of stored events, and their maximum age. */
  kept: { most: number; hours: number };
  /** Enqueues what events start; absent: they start nothing. */
  durable?: Pick<Durable, 'enqueue'>;
  /** Further work on new events. @returns whether there were any */
  others?: () => Promise<boolean>;
};

/**
 * Processes events for as long as this process lives: assigns their ids, starts their triggers, and deletes old ones.
 *
 * @returns a function that stops it
 */
export async function startEvents({
  db,
  log,
  kept,
  durable,
  others = async () => false,
}: EventWorkDependencies): Promise<() => Promise<void>> {
  if (durable) await beginStarts(db);
  const prune = throttleCall(PRUNED_MS, () => pruneEvents(db, kept));
  return startSequencer({
    db,
    log,
    besides: async () => {
      await prune();
      const started = durable ? await enqueueStarts(db, durable, log) : false;
      return (await others()) || started;
    },
  });
}
