import { compilePattern } from '#server/kernel/documents/list-filter.ts';
import type { Case, Kind } from '../case.ts';
import { outline, parentsOf } from '../outline.ts';

type Args = { pattern?: string; parent_pattern?: string; child_pattern?: string; match_type?: string };

/** The lines of a section, found by the line at its top, or by that and one within it. */
export const children: Kind = ({ os, given }: Case) => {
  const { call, config, args } = given as { call: string; config: string; args: Args };
  const lines = outline(config, os).map((one) => ({ line: one.line, parents: parentsOf(one) }));
  const matches = matcher(args.match_type ?? 'exact');
  if (call === 'find_all_children') {
    const pattern = args.pattern ?? '';
    return lines
      .filter(
        ({ line, parents: [top] }) => matches(line, pattern) || (top !== undefined && matches(top, pattern)),
      )
      .map(({ line }) => line)
      .join('\n');
  }
  const tops = new Set(
    lines.filter(({ line }) => matches(line, args.child_pattern ?? '')).map(({ parents: [top] }) => top),
  );
  return lines
    .filter(
      ({ parents: [top] }) => top !== undefined && tops.has(top) && matches(top, args.parent_pattern ?? ''),
    )
    .map(({ line }) => line)
    .join('\n');
};

function matcher(type: string): (line: string, pattern: string) => boolean {
  if (type === 'startswith') return (line, pattern) => line.startsWith(pattern);
  if (type === 'endswith') return (line, pattern) => line.endsWith(pattern);
  if (type === 'regex') return (line, pattern) => compilePattern(`^(?:${pattern})`).test(line);
  return (line, pattern) => line === pattern;
}
