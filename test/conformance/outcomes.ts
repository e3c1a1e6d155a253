import { isDeepStrictEqual } from 'node:util';
import type { Case } from './case.ts';
import { KINDS } from './kinds.ts';

/** The outcome of a case; `why` explains a missed one. */
export type Outcome = { kind: string; name: string; os: string; passed: boolean; why?: string };

/** Run cases, each by its kind: a fault is a miss, and so is a kind that nobody runs. */
export const outcomes = (cases: readonly Case[]): Outcome[] => cases.map(outcomeOf);

function outcomeOf(one: Case): Outcome {
  const { kind, name, os, expected } = one;
  const run = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (!run) return { kind, name, os, passed: false, why: 'no one runs this kind' };
  try {
    const ours = JSON.parse(JSON.stringify(run(one) ?? null));
    if (isDeepStrictEqual(ours, expected)) return { kind, name, os, passed: true };
    return { kind, name, os, passed: false, why: firstDifference(ours, expected, '') };
  } catch (error) {
    return { kind, name, os, passed: false, why: `fault: ${error}` };
  }
}

function firstDifference(ours: unknown, expected: unknown, path: string): string {
  if (isObject(ours) && isObject(expected) && Array.isArray(ours) === Array.isArray(expected)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(ours)])) {
      if (!isDeepStrictEqual(ours[key], expected[key])) {
        return firstDifference(ours[key], expected[key], `${path}/${key}`);
      }
    }
  }
  return `at ${path || '/'}\n    ours     ${show(ours)}\n    expected ${show(expected)}`;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const show = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 1500);

/** Lines with passed of total by kind, then of all; before them the missed cases on request. */
export function summary(all: readonly Outcome[], failures: boolean): string[] {
  const missed = all.filter(({ passed }) => !passed);
  const reported = failures
    ? missed.map(({ kind, os, name, why }) => `MISSED ${kind} ${os} ${name} ${why}`)
    : [];
  const kinds = [...new Set(all.map(({ kind }) => kind))];
  return [
    ...reported,
    ...kinds.map((kind) =>
      figures(
        kind,
        all.filter((one) => one.kind === kind),
      ),
    ),
    figures('total', all),
  ];
}

function figures(name: string, all: readonly Outcome[]): string {
  const unknown = Object.hasOwn(KINDS, name) || name === 'total' ? '' : ' (no one runs this kind)';
  return `${name} ${all.filter(({ passed }) => passed).length}/${all.length}${unknown}`;
}
