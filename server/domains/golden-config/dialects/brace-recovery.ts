import type { Dialect } from '#server/platforms/record/grammar.ts';
import { CLOSE_BRACE, OPEN_BRACE } from '../parsing/characters.ts';
import type { ConfigLine, ParsedConfig } from '../parsing/config-line.ts';
import type { Plan } from '../parsing/plan.ts';
import { rawLine, type Source, sourceOf } from '../parsing/source.ts';
import type { Missing } from './blocks.ts';
import { isIndented, leavesSection, warnUnmatched } from './columns.ts';

/** The state of the reader of a braced configuration. */
export type BracedText = {
  source: Source;
  dialect: Dialect;
  plan: Plan;
  parsed: ParsedConfig;
  missing: Missing;
  /** The innermost line whose brace is open. */
  open: ConfigLine | null;
  last: ConfigLine | null;
  /** Whether columns decide where braces do not match: true in the second reading of a damaged text. */
  recovers: boolean;
  /** Whether every brace so far has a counterpart. */
  matches: boolean;
};

export const NOT_CLOSED = 'the brace is not closed';

/** Closes the innermost open section. */
export function closeOpen(reading: BracedText, end: string): void {
  if (!reading.open) return;
  reading.open.end = end;
  reading.last = reading.open;
  reading.open = reading.open.parent;
}

const opens = ({ text, to }: Source): boolean => text.charCodeAt(to - 1) === OPEN_BRACE;
const closes = ({ text, from }: Source): boolean => text.charCodeAt(from) === CLOSE_BRACE;

/** Returns whether the columns of a text show how its braces nest. */
export const isIndentedText = (text: string): boolean => isIndented(sourceOf(text), opens, closes);

/** Closes the sections that the current line leaves by its column although their closing brace is missing. */
export function closeSectionsLeft(reading: BracedText): void {
  const { source } = reading;
  const { indent } = source;
  if (closes(source) || (opens(source) && source.to === source.from + 1)) return;
  // After an unquoted value of several lines, columns prove less than braces: such values are pasted by hand.
  if (reading.dialect.runsOn && reading.last?.text.includes('\n')) return;
  if (!reading.open || reading.open.indent < indent || !leavesSection(source, opens, closes)) return;
  while (reading.open && reading.open.indent >= indent) {
    warnUnmatched(reading, reading.open.line, NOT_CLOSED);
    closeOpen(reading, '}');
  }
}

/**
 * Closes the section opened in the column of the brace that begins the current line, and the sections within it whose
 * closing brace is missing.
 *
 * @returns whether such a section exists
 */
export function closeByColumn(reading: BracedText): boolean {
  const { source } = reading;
  const { indent } = source;
  while (reading.open && reading.open.indent > indent) {
    warnUnmatched(reading, reading.open.line, NOT_CLOSED);
    closeOpen(reading, '}');
  }
  if (reading.open?.indent !== indent) return adoptLines(reading);
  closeOpen(reading, rawLine(source));
  return true;
}

/** Nests lines below the line in the column of a closing brace, when that line has lost its opening brace. */
function adoptLines(reading: BracedText): boolean {
  const { source, parsed, dialect, open } = reading;
  const { indent } = source;
  const siblings = open?.children ?? parsed.lines;
  const at = siblings.findLastIndex((one) => one.indent <= indent);
  const header = siblings[at];
  if (!header || header.indent !== indent || header.line === source.line) return false;
  if (header.children.length > 0 || header.end !== undefined) return false;
  if (at === siblings.length - 1 && dialect.terminator) return false;
  warnUnmatched(reading, header.line, 'the opening brace is missing');
  header.children = siblings.splice(at + 1);
  for (const child of header.children) child.parent = header;
  header.end = rawLine(source);
  if (header.text.endsWith('}')) header.text = header.text.slice(0, -1).trimEnd();
  reading.last = header;
  return true;
}

/** Closes a section by a brace within a line; where columns decide, only a section opened on the same line. */
export function closeOnLine(reading: BracedText): void {
  const { source, open } = reading;
  if (!open || (reading.recovers && open.line !== source.line)) {
    warnUnmatched(reading, source.line, 'the closing brace has no opening brace');
    return;
  }
  closeOpen(reading, '}');
}
