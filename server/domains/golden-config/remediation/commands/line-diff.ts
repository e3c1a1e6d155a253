import { type Difference, listDifferences } from '#server/kernel/text/text-differences.ts';

/**
 * Returns the sections in which two texts of nested lines differ, line by line (-1 removed, 0 kept, 1 added), without
 * equal ones. A section is a line at the very left with the lines below it that are further right, or close it.
 */
export function sectionDiff(before: string, after: string): Difference[] {
  const [from, to] = [sectionsOf(before), sectionsOf(after)];
  const out: Difference[] = [];
  const add = (op: Difference[0], lines: readonly string[]) => {
    for (const line of lines) out.push([op, line]);
  };
  for (const [head, section] of from) {
    const wanted = to.get(head);
    to.delete(head);
    if (wanted === undefined) add(-1, section);
    else if (wanted.join('\n') !== section.join('\n')) {
      for (const [op, lines] of listDifferences(section, wanted)) add(op, lines);
    }
  }
  for (const section of to.values()) add(1, section);
  return out;
}

function sectionsOf(text: string): Map<string, string[]> {
  const sections = new Map<string, string[]>();
  let open: string[] | undefined;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const inside = line.startsWith(' ') || line.startsWith('}');
    if (!inside || !open) {
      open = sections.get(line) ?? [];
      sections.set(line, open);
    }
    open.push(line);
  }
  return sections;
}
