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
 * Returns the outcome of a task with the masks that its account would get from the endpoints that do the same work. Masks
 * must be applied here: they do not recognise what a later task computes from a secret, such as a part of it (decision 0153).
 *
 * @param outcome of the run
 * @param caller the account for which the task ran
 * @param mask masks the secrets in a text of a configuration
 * @returns the same outcome for a caller who reads secrets in configurations, and of a task that reads no configurations
 */
export async function maskedOutcome(
  outcome: TaskOutcome,
  { app, name }: { app?: string | null | undefined; name: string },
  caller: Caller,
  mask: MaskText,
): Promise<TaskOutcome> {
  if (seesConfigurationSecrets(caller) || !readsConfigurations(app ?? '', name)) return outcome;
  return (await maskedAnswer(outcome, mask)) as TaskOutcome;
}
