import { readingMasked } from '#db/masked-texts.ts';
import { type Caller, seesConfigurationSecrets } from '#server/kernel/principal.ts';
import { type MaskText, maskedAnswer, permitsConfigurations } from '#server/kernel/secrets/masked-answer.ts';
import { operationsOf } from './authorize.ts';
import type { TaskOutcome } from './outcome.ts';

/** Returns whether a task does the work of an endpoint whose answers are masked; starting a job reads no configuration. */
const readsConfigurations = (app: string, name: string): boolean =>
  operationsOf(app, name).some(
    ({ permission }) => permitsConfigurations(permission) && !permission.startsWith('OperationsManager.'),
  );

/**
 * Runs a task as its account reads: like the guard of the endpoints that do the same work, with masks in the outcome, and with
 * lists that neither filter nor sort by texts with secrets. Masks must be applied here: they do not recognise what a later
 * task computes from a secret, such as a part of it (decision 0153).
 *
 * @param perform runs the task
 * @param caller the account for which the task runs
 * @param mask masks the secrets in a text of a configuration
 * @returns the outcome itself for a caller who reads secrets in configurations, and of a task that reads no configurations
 */
export async function maskedOutcome(
  perform: () => Promise<TaskOutcome>,
  { app, name }: { app?: string | null | undefined; name: string },
  caller: Caller,
  mask: MaskText,
): Promise<TaskOutcome> {
  if (seesConfigurationSecrets(caller) || !readsConfigurations(app ?? '', name)) return perform();
  return (await maskedAnswer(await readingMasked(perform), mask)) as TaskOutcome;
}
