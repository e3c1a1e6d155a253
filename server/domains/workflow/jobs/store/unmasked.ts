import { type Issue, invalidRequest } from '#server/kernel/errors.ts';
import type { JobDocument } from '../reducer/document.ts';
import { withKnownSecrets } from './named-secrets.ts';

/**
 * Returns values sent for a task of a job, with the secrets that their masks stand for.
 *
 * @param path path of the values in the request
 * @throws ServiceError BAD_REQUEST for a mask without a known secret
 */
export function unmasked(
  { head, state }: JobDocument,
  task: string,
  sent: Record<string, unknown>,
  path: readonly string[],
): Record<string, unknown> {
  const issues: Issue[] = [];
  const values = withKnownSecrets(sent, [state.tasks[task]?.incoming, head.variables], (at) => {
    const message = 'is the mask of a secret that the task did not receive: send the secret itself, or null';
    issues.push({ path: [...path, ...at], message, code: 'secret_required' });
  });
  if (issues.length > 0) throw invalidRequest(issues);
  return values;
}
