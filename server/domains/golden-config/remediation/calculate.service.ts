import { calculateForRequest } from '#server/kernel/calculations/calculation-pool.ts';
import { unprocessable } from '#server/kernel/errors.ts';
import type { CalculatedProposal, PreviewDiff, PreviewSource, ProposalSource } from './calculate.ts';

const tooLarge = (reason: string) =>
  unprocessable(`The configuration and its rules are too large: the calculation ${reason}`);

/**
 * Calculates a proposal in a thread: a few rules with expressions and a short configuration can take minutes.
 *
 * @throws ServiceError UNPROCESSABLE_CONTENT when it takes too long or too much memory, and for rules or configurations
 *   that allow no proposal; TOO_MANY_REQUESTS
 */
export async function calculateProposal(
  source: ProposalSource,
): Promise<Exclude<CalculatedProposal, { error: string }>> {
  const calculated = (await calculateForRequest('proposal', source, tooLarge)) as CalculatedProposal;
  if ('error' in calculated) throw unprocessable(`Nothing can be proposed: ${calculated.error}`);
  return calculated;
}

/** Calculates the preview of a proposal in the same way. @throws ServiceError UNPROCESSABLE_CONTENT, TOO_MANY_REQUESTS */
export const calculatePreview = async (source: PreviewSource): Promise<PreviewDiff> =>
  (await calculateForRequest('preview', source, tooLarge)) as PreviewDiff;
