import { type Issue, invalidRequest, ServiceError } from '../errors.ts';

/** Most issues that one response lists; the rest is counted. */
const MOST = 100;

/**
 * Rejects a request with all of its issues; does nothing when there are none (contract/decisions#2).
 *
 * @throws ServiceError BAD_REQUEST with at most 100 issues
 */
export function assertNone(issues: readonly Issue[]): void {
  if (issues.length === 0) return;
  const rest = issues.length - MOST;
  const more = { path: [], message: `and ${rest} more issues`, code: 'too_many_issues' };
  throw invalidRequest(rest > 0 ? [...issues.slice(0, MOST), more] : [...issues]);
}

/** Returns the issues of a check, to report together with others. @throws any error of the check that has no issues */
export function issuesIn(check: () => void): Issue[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof ServiceError && error.issues) return error.issues;
    throw error;
  }
}

/**
 * Returns an issue of a document.
 *
 * @param path its place in the request
 * @param message completes a sentence that begins with the field
 * @param code for programs, such as `too_big`
 */
export const issue = (path: (string | number)[], message: string, code = 'invalid_value'): Issue => ({
  path,
  message,
  code,
});
