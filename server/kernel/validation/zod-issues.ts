import type { ZodError } from 'zod';
import { clipped } from '#server/kernel/text/clipped.ts';
import { type Issue, MOST_ISSUES } from '../errors.ts';
import './messages.ts';

type ZodIssue = ZodError['issues'][number];

/** Longest path segment or message that a response repeats, in characters. */
const LONGEST = 300;

/**
 * Returns Zod's issues in the shape of contract/decisions#2, one for each unknown field; at most one issue more than a
 * response lists (`invalidRequest` cuts the list off and adds an issue that says so).
 */
export function issuesOf(error: ZodError): Issue[] {
  const issues: Issue[] = [];
  flatten(error.issues, [], issues);
  return issues;
}

function flatten(found: readonly ZodIssue[], above: readonly PropertyKey[], issues: Issue[]): void {
  for (const issue of found) {
    if (issues.length > MOST_ISSUES) return;
    const whole = [...above, ...issue.path];
    const path = whole.map((part) => (typeof part === 'number' ? part : clip(String(part))));
    if (issue.code === 'unrecognized_keys') {
      // A schema's own message may say what it accepts instead; Zod's default only repeats the names.
      const taken = issue.message.startsWith('Unrecognized key') ? '' : `; ${clip(issue.message)}`;
      for (const key of issue.keys.slice(0, MOST_ISSUES + 1)) {
        issues.push({
          path: [...path, clip(key)],
          message: `unknown field ${JSON.stringify(clipped(key, 100))}${taken}`,
          code: 'unrecognized_keys',
        });
      }
    } else if (issue.code === 'invalid_union' && issue.errors.length > 0) {
      // A union says only that no option fits: the issues of the closest option are reported, or what the options want.
      const closest = issue.errors.reduce((best, option) => (depth(option) > depth(best) ? option : best));
      const [first] = closest;
      if (first && closest.length === 1 && depth(closest) === 0 && first.code !== 'invalid_union')
        flatten([{ ...first, message: anyOf(issue.errors) }], whole, issues);
      else flatten(closest, whole, issues);
    } else issues.push({ path, message: clip(issue.message), code: issue.code });
  }
}

/** Returns what the options of a union want that accept no value of this type: `must be 1, or must be -1`. */
const anyOf = (options: readonly (readonly ZodIssue[])[]) =>
  [
    ...new Set(options.flatMap(([first]) => (first && first.code !== 'invalid_union' ? first.message : []))),
  ].join(', or ');

const clip = (text: string) => (text.length > LONGEST ? `${clipped(text, LONGEST)}…` : text);

/** Returns the depth in the value at which an option failed: 0 for a value of another type. */
const depth = (issues: readonly ZodIssue[]) =>
  issues.reduce((least, issue) => Math.min(least, issue.path.length), Number.POSITIVE_INFINITY);

/** Returns Zod's issues as they are: for documents that are described by their fields only, without unions. */
export const plainIssuesOf = ({ issues }: ZodError): Issue[] =>
  issues.map(({ path, message, code }) => ({
    path: path.map((step) => (typeof step === 'symbol' ? String(step) : step)),
    message,
    code,
  }));
