import { withoutConfigurationSecrets } from '#server/domains/network/index.ts';
import { type Caller, seesConfigurationSecrets } from '#server/kernel/principal.ts';

/** Returns a configuration as a caller may read it: with its secrets masked, where they are (decision 0112). */
export const shownConfiguration = async (caller: Caller, text: string): Promise<string> =>
  seesConfigurationSecrets(caller) ? text : withoutConfigurationSecrets(text);
