import { calculateForRequest } from '#server/kernel/calculations/calculation-pool.ts';
import { unprocessable } from '#server/kernel/errors.ts';
import { sizeOf } from '#server/kernel/json/value-size.ts';
import {
  type CalculatedProposal,
  calculatedProposal,
  type PreviewDiff,
  type PreviewSource,
  type ProposalSource,
  previewDiff,
} from './calculate.ts';

/** Characters of a configuration and its rules that are worked on here: some milliseconds. */
const MOST_AT_ONCE = 10_000;

const isSmall = (asked: object): boolean => sizeOf(asked, MOST_AT_ONCE) <= MOST_AT_ONCE;

/**
 * Calculates a proposal: here when that takes but a moment, else in a thread.
 *
 * @throws ServiceError UNPROCESSABLE_CONTENT when it takes too long or too much memory, and for rules or configurations that
 *   nothing can be proposed of; TOO_MANY_REQUESTS
 */
export async function calculateProposal(
  asked: ProposalSource,
): Promise<Exclude<CalculatedProposal, { refused: string }>> {
  const told = isSmall(asked)
    ? calculatedProposal(asked)
    : ((await inThread('proposal', asked)) as CalculatedProposal);
  if ('refused' in told) throw unprocessable(`Nothing can be proposed: ${told.refused}`);
  return told;
}

/** Calculates the preview of a proposal, likewise. @throws ServiceError UNPROCESSABLE_CONTENT, TOO_MANY_REQUESTS */
export const calculatePreview = async (asked: PreviewSource): Promise<PreviewDiff> =>
  isSmall(asked) ? previewDiff(asked) : ((await inThread('preview', asked)) as PreviewDiff);

const inThread = (name: string, asked: object): Promise<unknown> =>
  calculateForRequest(name, asked, (reason) =>
    unprocessable(`The configuration and its rules are too large: that ${reason}`),
  );
