import { nextLine, type Source } from '../parsing/source.ts';

/** Lines that are looked through to find out whether a line leaves a section. */
const LOOK_AHEAD = 64;

/**
 * Whether the lines from the current one on are statements of their column: the first line below that stands in another
 * column stands further left, or is the first of a section. Otherwise they are the rest of a text or of a comment that
 * has lost its own end, and leave no section.
 *
 * @param opens whether the current line of a source opens a section
 * @param closes whether it closes one
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
 * Whether columns show how a text nests: most lines behind one that opens a section stand further right, or close it
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
