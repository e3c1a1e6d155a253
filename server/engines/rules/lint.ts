import type { Line } from '#db/schemas/config-spec.ts';
import type { Dialect } from '#server/engines/dialects/dialect.ts';
import { everyLine, shownWords } from './words.ts';

/** Something about a line that is likely a mistake. */
export type LintNote = { line: Line; message: string };

/**
 * Lines that devices leave out of the configurations that they show, because they are the default: a rule that asks for
 * one is never met. By dialect; what stands here is true of every release that we know of.
 */
const HIDDEN: Readonly<Record<string, readonly string[]>> = {
  'cisco-ios': [
    'cdp run',
    'ip domain lookup',
    'ip domain-lookup',
    'ip routing',
    'ip subnet-zero',
    'logging console',
    'logging on',
    'no ip directed-broadcast',
    'no shutdown',
    'service dhcp',
  ],
  'cisco-nx': ['no feature telnet'],
  'arista-eos': ['no shutdown'],
};

/** Marks of a line as one text. */
const marksOf = ({ evalMode, severity, ordering }: Line) => `${evalMode} ${severity} ${ordering}`;

/** What is likely a mistake in the lines of one spec. */
export function lint(lines: readonly Line[], { name }: Dialect): LintNote[] {
  const hidden = new Set(HIDDEN[name]);
  const first = new Map<string, Line>();
  const notes: LintNote[] = [];
  for (const { line, path } of everyLine(lines)) {
    const text = shownWords(line.words);
    if (line.evalMode === 'required' && hidden.has(text)) {
      notes.push({
        line,
        message: `${text} is a default, which devices do not show: forbid what is not wanted instead`,
      });
    }
    const before = first.get(path);
    if (!before) first.set(path, line);
    else if (marksOf(before) !== marksOf(line)) {
      notes.push({ line, message: `${text} stands here twice with different marks: the last ones hold` });
    } else if ((line.lines ?? []).length === 0) {
      notes.push({ line, message: `${text} stands here twice: that is one rule` });
    }
  }
  return notes;
}
