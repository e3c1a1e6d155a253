import { calculateInTime } from '#server/kernel/calculations/calculation-pool.ts';
import { unprocessable } from '#server/kernel/errors.ts';
import {
  type CalculatedProposal,
  calculatedProposal,
  type PreviewDiff,
  type PreviewSource,
  type ProposalSource,
  previewDiff,
} from './calculate.ts';

/** Largest configuration with its rules, in characters, that is calculated on the main thread: some milliseconds. */
const MOST_AT_ONCE = 10_000;

const tooLarge = (reason: string) =>
  unprocessable(`The configuration and its rules are too large: the calculation ${reason}`);

/**
 * Calculates a proposal: on the main thread when it is small, otherwise in a worker thread.
 *
 * @throws ServiceError UNPROCESSABLE_CONTENT when it takes too long or too much memory, and for rules or configurations
 *   that allow no proposal; TOO_MANY_REQUESTS
 */
export async function calculateProposal(
  source: ProposalSource,
): Promise<Exclude<CalculatedProposal, { error: string }>> {
  const calculated = await calculateInTime('proposal', source, calculatedProposal, MOST_AT_ONCE, tooLarge);
  if ('error' in calculated) throw unprocessable(`Nothing can be proposed: ${calculated.error}`);
  return calculated;
}

/** Calculates the preview of a proposal in the same way. @throws ServiceError UNPROCESSABLE_CONTENT, TOO_MANY_REQUESTS */
export const calculatePreview = (source: PreviewSource): Promise<PreviewDiff> =>
  calculateInTime('preview', source, previewDiff, MOST_AT_ONCE, tooLarge);
