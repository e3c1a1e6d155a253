import { calculateOr } from '../calculations/calculation-pool.ts';
import { unprocessable } from '../errors.ts';
import { type Difference, differences, type Grain } from './text-differences.ts';

/** Most characters of both texts that are compared on the event loop. */
const MOST_AT_ONCE = 20_000;

/**
 * Returns the differences between two texts; large texts are compared in a thread.
 *
 * @param before the older text
 * @param after the newer text
 * @throws ServiceError UNPROCESSABLE_CONTENT when that takes too long or too much memory; TOO_MANY_REQUESTS
 */
export async function compareTexts(before: string, after: string, grain: Grain): Promise<Difference[]> {
  if (before.length + after.length <= MOST_AT_ONCE) return differences(before, after, grain);
  return calculateOr<Difference[]>('differences', { before, after, grain }, (reason) => {
    throw unprocessable(`The texts differ too much to be compared: the calculation ${reason}`);
  });
}
