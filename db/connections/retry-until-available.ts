import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '../client.ts';

/** Longest pause between two attempts to reach an unavailable database. */
const LONGEST_PAUSE_MS = 2000;

/**
 * Runs a repeatable operation until the database is available.
 *
 * @param run the operation; it may run several times
 * @param isAway checks whether an error means that the database is unavailable
 * @returns the result of the attempt that succeeded
 * @throws any other error
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
