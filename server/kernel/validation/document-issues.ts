import { type Issue, refused, ServiceError } from '../errors.ts';

/** Most issues that one refusal lists; the rest is counted. */
const MOST = 100;

/**
 * Refuse a request with everything that is wrong with it, or let it pass when nothing is (contract/decisions#2).
 *
 * @throws ServiceError BAD_REQUEST with at most 100 issues
 */
export function assertNone(issues: readonly Issue[]): void {
  if (issues.length === 0) return;
  const rest = issues.length - MOST;
  const more = { path: [], message: `and ${rest} more issues`, code: 'too_many_issues' };
  throw refused(rest > 0 ? [...issues.slice(0, MOST), more] : [...issues]);
}

/** What a check would refuse, as issues to tell together with others. */
export function issuesIn(check: () => void): Issue[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof ServiceError && error.issues) return error.issues;
    throw error;
  }
}

export const issue = (path: (string | number)[], message: string, code = 'invalid_value'): Issue => ({
  path,
  message,
  code,
});
