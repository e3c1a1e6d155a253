import type { Line } from '#db/schemas/golden-config/config-spec.ts';
import type { Dialect } from '../parsing/dialect.ts';
import { shownWords, wordsKey } from './words.ts';

/** A likely mistake in a line. */
export type LintNote = { line: Line; message: string };

/** Returns the marks of a line as one text. */
const marksOf = ({ evalMode, severity, ordering }: Line) => `${evalMode} ${severity} ${ordering}`;

/** A line, and the number of its parent; repeated lines share the number of the first. */
type Open = { line: Line; above: number };

/** Returns the likely mistakes in the lines of one spec. */
export function lint(lines: readonly Line[], { defaults }: Dialect): LintNote[] {
  const hidden = new Set(defaults);
  const first = new Map<string, { line: Line; number: number }>();
  const notes: LintNote[] = [];
  const open: Open[] = lines.toReversed().map((line) => ({ line, above: 0 }));
  for (let next = open.pop(); next; next = open.pop()) {
    const { line, above } = next;
    const text = shownWords(line.words);
    if (line.evalMode === 'required' && hidden.has(text)) notes.push({ line, message: `${text} ${DEFAULT}` });
    const key = `${above}\n${wordsKey(line.words)}`;
    const before = first.get(key);
    if (before) notes.push(...repeated(before.line, line, text));
    else first.set(key, { line, number: first.size + 1 });
    const number = before?.number ?? first.size;
    for (const child of (line.lines ?? []).toReversed()) open.push({ line: child, above: number });
  }
  return notes;
}

const DEFAULT = 'is a default, which devices do not show: disallow the unwanted line instead';

function repeated(before: Line, line: Line, text: string): LintNote[] {
  if (marksOf(before) !== marksOf(line)) {
    return [{ line, message: `${text} occurs twice here with different marks: the last ones apply` }];
  }
  // Repeating a parent is a usual way to write the parts of one section.
  if ((line.lines ?? []).length > 0) return [];
  return [{ line, message: `${text} occurs twice here: it counts as one rule` }];
}
