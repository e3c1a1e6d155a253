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
  asked: ProposalSource,
): Promise<Exclude<CalculatedProposal, { refused: string }>> {
  const told = await calculateInTime('proposal', asked, calculatedProposal, MOST_AT_ONCE, tooLarge);
  if ('refused' in told) throw unprocessable(`Nothing can be proposed: ${told.refused}`);
  return told;
}

/** Calculates the preview of a proposal in the same way. @throws ServiceError UNPROCESSABLE_CONTENT, TOO_MANY_REQUESTS */
export const calculatePreview = (asked: PreviewSource): Promise<PreviewDiff> =>
  calculateInTime('preview', asked, previewDiff, MOST_AT_ONCE, tooLarge);
