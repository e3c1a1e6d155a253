import type { Dialect, FlushSections } from '#server/platforms/record/grammar.ts';

/** Deepest section that is indented: the words that open sections inside others could repeat without end. */
const DEEPEST = 8;

/**
 * Indents the lines of sections where a device prints all lines at the very left, from the line that opens a section to the
 * word that closes it. A text in which the lines of a section are indented already stays as it is.
 */
export function indentFlushSections(text: string, { sections }: Dialect): string {
  if (!sections || !isFlush(text, sections)) return text;
  const { top, inner, closes } = sections;
  /** What opened each open section, the outermost first. */
  const open: string[] = [];
  const indented = (line: string) => (line === '' ? line : `${' '.repeat(open.length)}${line}`);
  return text
    .split('\n')
    .map((line) => {
      if (line.trimEnd() === closes) {
        // The word that leaves the configuration mode closes no section.
        return open.pop() === undefined ? '' : indented(line);
      }
      const [begins] = top.exec(line) ?? [];
      // The word that closes the section before it is missing.
      if (begins !== undefined && begins === open[0]) open.length = 0;
      const opener = open.length === 0 ? begins : inner?.exec(line)?.[0];
      const written = indented(line);
      if (opener !== undefined && open.length < DEEPEST) open.push(opener);
      return written;
    })
    .join('\n');
}

/** Returns whether sections are closed at the very left, and none has an indented line below the one that opens it. */
function isFlush(text: string, { top, closes }: FlushSections): boolean {
  let opens = false;
  let isClosed = false;
  for (const line of text.split('\n')) {
    if (opens && /^\s+\S/.test(line)) return false;
    isClosed ||= line.trimEnd() === closes;
    if (line !== '') opens = top.test(line);
  }
  return isClosed;
}
