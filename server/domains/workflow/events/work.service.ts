import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import type { Durable } from '#server/durable/port.ts';
import { throttleCall } from '#server/kernel/timing/throttle-call.ts';
import { pruneEvents } from './reading.service.ts';
import { startSequencer } from './sequencer.service.ts';
import { beginStarts, enqueueStarts } from './starting.service.ts';

/** How often each process takes old events away. */
const PRUNED_MS = 60_000;

type EventWorkDependencies = {
  db: Database;
  log: Pick<Logger, 'debug' | 'warn'>;
  /** How many events are kept at most, and for how long. */
  kept: { most: number; hours: number };
  /** Takes what events start; absent: they start nothing. */
  durable?: Pick<Durable, 'enqueue'>;
};

/**
 * What has to be done with events as long as this process lives: they get their ids, start what waits for them, and old
 * ones go.
 *
 * @returns a function that ends it
 */
export async function startEvents({
  db,
  log,
  kept,
  durable,
}: EventWorkDependencies): Promise<() => Promise<void>> {
  if (durable) await beginStarts(db);
  const prune = throttleCall(PRUNED_MS, () => pruneEvents(db, kept));
  return startSequencer({
    db,
    log,
    besides: async () => {
      await prune();
      return durable ? enqueueStarts(db, durable, log) : false;
    },
  });
}
