import { withoutConfigurationSecrets } from '#server/domains/network/index.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { seesConfigurationSecrets } from '#server/kernel/principal.ts';
import { maskedAnswer } from '#server/kernel/secrets/masked-answer.ts';

/** The lines of a configuration in a rule or an issue. */
type RuleTexts = { parents: string[]; rule?: string; message?: string };

/**
 * Returns rules or issues with masks for a reader without the permission. A file has each line apart from those above it,
 * or all of them in one text: there, secrets that the lines above announce would not be found any more.
 */
export async function withMasks<One extends RuleTexts>(
  { principal }: Pick<ReadContext, 'principal'>,
  list: readonly One[],
): Promise<One[]> {
  if (seesConfigurationSecrets(principal)) return [...list];
  const texts = list.map(
    ({ parents, rule, message }): RuleTexts => ({
      parents,
      ...(rule !== undefined && { rule }),
      ...(message !== undefined && { message }),
    }),
  );
  const masked = (await maskedAnswer(texts, withoutConfigurationSecrets)) as RuleTexts[];
  return list.map((one, at) => ({ ...one, ...masked[at] }));
}
