import { forbidden } from '#server/kernel/errors.ts';
import { type Caller, seesConfigurationSecrets } from '#server/kernel/principal.ts';

/**
 * Denies writing rules, variables of rules and parsers to callers who read masks: rules are applied to whole
 * configurations, so that a verdict would reveal whether a guess of a secret is right (decision 0159).
 *
 * @param written what the request writes, as the beginning of the message (`Rules`); null when it writes none of these
 * @throws ServiceError FORBIDDEN
 */
export function assertMayWriteRules(caller: Caller, written: string | null = 'Rules'): void {
  if (written === null || seesConfigurationSecrets(caller)) return;
  throw forbidden(
    `${written} can ask about secrets in configurations, which are masked for you: writing them needs the permission ConfigurationManager.getBackupWithSecrets`,
  );
}

/** Returns how `assertMayWriteRules` names variables; null when none are given. */
export const givenVariables = (variables: object | null | undefined): string | null =>
  variables && Object.keys(variables).length > 0 ? 'Variables of rules' : null;
