import type { ParsedConfig } from '../parsing/config-line.ts';
import { nextLine, type Source } from '../parsing/source.ts';

/** Number of lines searched to decide whether a line leaves a section. */
const LOOK_AHEAD = 64;

/**
 * Returns whether the lines from the current one on are statements of their column: the first later line in another
 * column is further left, or is the first line of a section. Otherwise they are the rest of a text or comment that has
 * lost its end, and leave no section.
 *
 * @param opens returns whether the current line of a source opens a section
 * @param closes returns whether it closes one
 */
export function leavesSection(
  source: Source,
  opens: (source: Source) => boolean,
  closes: (source: Source) => boolean,
): boolean {
  const ahead = { ...source };
  let opened = opens(source);
  for (let count = 0; count < LOOK_AHEAD && nextLine(ahead); ) {
    if (ahead.from === ahead.to) continue;
    count++;
    if (ahead.indent !== source.indent) return ahead.indent < source.indent || opened;
    if (closes(ahead)) return true;
    opened = opens(ahead);
  }
  return true;
}

/**
 * Returns whether columns show how a text nests: most lines after a section's first line are further right, or close it
 * in the same column. Damage may have changed some of these lines.
 */
export function isIndented(
  source: Source,
  opens: (source: Source) => boolean,
  closes: (source: Source) => boolean,
): boolean {
  let indented = 0;
  let others = 0;
  let header = -1;
  while (nextLine(source)) {
    if (source.from === source.to) continue;
    if (header !== -1) {
      if (source.indent > header || (source.indent === header && closes(source))) indented++;
      else others++;
    }
    header = opens(source) ? source.indent : -1;
  }
  return indented > 0 && indented >= 2 * others;
}

/** Warns of a mark or word without a counterpart: then columns decide in a second reading. */
export function warnUnmatched(
  reading: { matches: boolean; parsed: ParsedConfig },
  line: number,
  reason: string,
): void {
  reading.matches = false;
  reading.parsed.warnings.push({ line, reason });
}
