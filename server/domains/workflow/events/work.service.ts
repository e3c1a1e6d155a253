import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import type { Durable } from '#server/durable/port.ts';
import { runAtIntervals } from '#server/kernel/timing/interval-task.ts';
import { pruneEvents } from './reading.service.ts';
import { startSequencer } from './sequencer.service.ts';
import { beginStarts, enqueueStarts } from './starting.service.ts';

/** Interval at which each process deletes what has expired, in milliseconds. */
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
  /** Deletes what this work has left and has expired. */
  forget?: () => Promise<unknown>;
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
  forget = async () => {},
}: EventWorkDependencies): Promise<() => Promise<void>> {
  if (durable) await beginStarts(db);
  const endSequencer = startSequencer({
    db,
    log,
    handleEvents: async () => {
      const started = durable ? await enqueueStarts(db, durable, log) : false;
      return (await others()) || started;
    },
  });
  const endPruning = runAtIntervals(
    PRUNED_MS,
    () => Promise.all([pruneEvents(db, kept), forget()]),
    (error) => log.debug({ err: error }, 'what has expired could not be deleted'),
  );
  return async () => {
    await Promise.all([endSequencer(), endPruning()]);
  };
}
