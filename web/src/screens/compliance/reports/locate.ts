import type { Outputs } from '~/api/client.ts';

/** A violated rule of a report. */
export type Issue = Outputs['configurationManager']['getReport']['issues'][number];

/** Most issues whose lines are searched for; a report with more shows the others without a line. */
const LOCATED = 5000;

const indentOf = (line: string) => line.length - line.trimStart().length;
/** A line as rules name it: without indentation, and without the marks of blocks and statements. */
const plain = (line: string) => line.trim().replace(/\s*[{;]$/, '');

/**
 * Returns the line of the configuration that each issue is about, counted from 1: the disallowed line, otherwise the line
 * of the innermost parent that is present. Undefined where neither is found.
 */
export function locateIssues(text: string, issues: readonly Issue[]): (number | undefined)[] {
  const lines = text.split('\n');
  const byText = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const key = plain(line);
    const places = byText.get(key);
    if (places) places.push(index);
    else if (key) byText.set(key, [index]);
  }
  return issues.map((issue, index) => (index < LOCATED ? locate(lines, byText, issue) : undefined));
}

function locate(
  lines: readonly string[],
  byText: ReadonlyMap<string, readonly number[]>,
  { parents, type, spec }: Issue,
): number | undefined {
  let from = 0;
  let to = lines.length;
  let found: number | undefined;
  for (const parent of parents) {
    const at = byText.get(plain(parent))?.find((index) => index >= from && index < to);
    if (at === undefined) break;
    found = at;
    from = at + 1;
    to = endOfBlock(lines, at);
  }
  if (type === 'required') return found === undefined ? undefined : found + 1;
  const isRule = matcherOf(spec);
  for (let index = from; index < to; index++) {
    if (isRule(plain(lines[index] ?? ''))) return index + 1;
  }
  return found === undefined ? undefined : found + 1;
}

/** Returns the index after the last line that is nested below a line. */
function endOfBlock(lines: readonly string[], start: number): number {
  const indent = indentOf(lines[start] ?? '');
  let end = start + 1;
  while (end < lines.length && (lines[end]?.trim() === '' || indentOf(lines[end] ?? '') > indent)) end++;
  return end;
}

/** Matches literal words exactly and any text in place of other words: expressions are left to the server. */
function matcherOf({ words }: Issue['spec']): (line: string) => boolean {
  const wanted = words.map(({ type, value }) => (type === 'literal' ? value : undefined));
  return (line) => {
    const given = line.split(/\s+/);
    for (const [index, word] of wanted.entries()) {
      if (word === undefined) return index > 0;
      if (given[index] !== word) return false;
    }
    return given.length === wanted.length;
  };
}

const RANKS: Readonly<Record<string, number>> = { error: 0, warning: 1, info: 2 };

/** Issues below the same parents, with the place of each in the report. */
export type IssueGroup = {
  key: string;
  parents: readonly string[];
  worst: Issue['severity'];
  issues: { issue: Issue; index: number }[];
};

/** Returns issues grouped by their parents, errors first; groups and issues of equal severity keep their order. */
export function groupIssues(issues: readonly { issue: Issue; index: number }[]): IssueGroup[] {
  const rank = ({ issue }: { issue: Issue }) => RANKS[issue.severity] ?? 3;
  const groups = new Map<string, IssueGroup>();
  for (const entry of issues.toSorted((a, b) => rank(a) - rank(b))) {
    const { parents, severity } = entry.issue;
    const key = JSON.stringify(parents);
    const group = groups.get(key);
    if (group) group.issues.push(entry);
    else groups.set(key, { key, parents, worst: severity, issues: [entry] });
  }
  return [...groups.values()];
}
