import type { ZodError } from 'zod';
import type { Issue } from './errors.ts';

type ZodIssue = ZodError['issues'][number];

/** Most issues that one refusal lists; the rest is counted. A body of 20,000 empty items must not answer megabytes. */
const MOST = 100;

/**
 * What Zod found, in the shape of decisions §2: every issue, the member named, an unknown member each by its own name.
 */
export function issuesOf(error: ZodError): Issue[] {
  const issues = error.issues.flatMap(flatten);
  if (issues.length <= MOST) return issues;
  const rest = issues.length - MOST;
  return [
    ...issues.slice(0, MOST),
    { path: [], message: `and ${rest} more issues`, code: 'too_many_issues' },
  ];
}

function flatten(issue: ZodIssue): Issue[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `unknown member ${JSON.stringify(key.slice(0, 100))}`,
      code: 'unrecognized_keys',
    }));
  }
  // A union says only that no option fits: the option that came closest says what is wrong.
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const closest = issue.errors.reduce((best, option) => (depth(option) > depth(best) ? option : best));
    return closest.flatMap((inner) => flatten({ ...inner, path: [...issue.path, ...inner.path] }));
  }
  return [{ path, message: issue.message, code: issue.code }];
}

/** How far into the value an option got before it failed; a whole other type did not get in at all. */
const depth = (issues: readonly ZodIssue[]) => Math.min(...issues.map((issue) => issue.path.length));
