import { withoutConfigurationSecrets } from '#server/domains/network/index.ts';
import { type Caller, seesConfigurationSecrets } from '#server/kernel/principal.ts';

/**
 * Returns a configuration as a caller may read it: with its secrets masked, where they are (decision 0112).
 *
 * @param caller who reads it
 * @param text a configuration, or any part of one
 * @returns the text itself for a caller who may read secrets
 */
export const shownConfiguration = async (caller: Caller, text: string): Promise<string> =>
  seesConfigurationSecrets(caller) ? text : withoutConfigurationSecrets(text);
