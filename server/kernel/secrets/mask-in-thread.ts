import { calculateOr } from '../calculations/calculation-pool.ts';
import { ServiceError } from '../errors.ts';
import type { MaskElsewhere, TextForm } from './masked-answer.ts';

/** The input of the calculation: a text, and how secrets are found in it. */
export type TextToMask = { form: TextForm; text: string };

/** Time limit of one text in milliseconds, and how many answers of reads may wait for a thread. */
const MOST_MS = 60_000;
const MOST_WAITING = 50;

/**
 * Returns a function that masks texts in a thread.
 *
 * @param hasWritten whether the answer is that of a write, which is done: it waits for a thread however many others do
 * @throws ServiceError from that function: TOO_MANY_REQUESTS when too many wait, SERVICE_UNAVAILABLE when a text takes more
 *   time or memory than allowed
 */
export const maskInThread =
  (hasWritten: boolean): MaskElsewhere =>
  (form, text) =>
    calculateOr<string>(
      'masked text',
      { form, text } satisfies TextToMask,
      (reason) => {
        throw new ServiceError(
          'SERVICE_UNAVAILABLE',
          `The answer is too long to mask its secrets (it ${reason}): request a smaller part`,
        );
      },
      { ms: MOST_MS, waiting: hasWritten ? Number.POSITIVE_INFINITY : MOST_WAITING },
    );
