import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '../client.ts';

/** Longest pause between two attempts to reach a database that is away. */
const LONGEST_PAUSE_MS = 2000;

/**
 * Run what may be repeated until the database is there: its absence fails nothing.
 *
 * @param isAway what says that the database is away
 * @throws anything else
 */
export async function retryUntilAvailable<T>(
  run: () => Promise<T>,
  isAway: (error: unknown) => boolean = isUnavailable,
): Promise<T> {
  for (let pause = 50; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await run();
    } catch (error) {
      if (!isAway(error)) throw error;
      await sleep(pause);
    }
  }
}
