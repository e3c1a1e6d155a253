/** A line that stays (0), goes (-1) or comes (1). */
export type DiffLine = [-1 | 0 | 1, string];

/** Pairs of lines that are compared one by one, in all sections together; where there are more, all go and all come. */
const MOST_PAIRS = 4_000_000;

/** Pairs of lines that may still be compared. */
type Room = { pairs: number };

/**
 * The sections that two texts of nested lines differ in, line by line; those that are the same are left out. A section
 * is a line at the very left with the lines below it that stand further right, or close it.
 */
export function sectionDiff(before: string, after: string): DiffLine[] {
  const [from, to] = [sectionsOf(before), sectionsOf(after)];
  const out: DiffLine[] = [];
  const room: Room = { pairs: MOST_PAIRS };
  for (const [head, section] of from) {
    const wanted = to.get(head);
    to.delete(head);
    if (wanted === undefined)
      append(
        out,
        section.map((line): DiffLine => [-1, line]),
      );
    else if (wanted.join('\n') !== section.join('\n')) append(out, lineDiff(section, wanted, room));
  }
  for (const section of to.values())
    append(
      out,
      section.map((line): DiffLine => [1, line]),
    );
  return out;
}

/** Arguments of a call are few: a section may have more lines. */
function append(out: DiffLine[], lines: readonly DiffLine[]): void {
  for (const line of lines) out.push(line);
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

/** Two lists of lines compared: the longest common selection stays. */
export function lineDiff(
  before: readonly string[],
  after: readonly string[],
  room: Room = { pairs: MOST_PAIRS },
): DiffLine[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return [
    ...before.slice(0, head).map((line): DiffLine => [0, line]),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail), room),
    ...before.slice(before.length - tail).map((line): DiffLine => [0, line]),
  ];
}

function middle(before: readonly string[], after: readonly string[], room: Room): DiffLine[] {
  const [rows, columns] = [before.length + 1, after.length + 1];
  room.pairs -= rows * columns;
  if (room.pairs < 0) {
    room.pairs += rows * columns;
    return [...before.map((line): DiffLine => [-1, line]), ...after.map((line): DiffLine => [1, line])];
  }
  // common[i * columns + j]: most lines that before from i on and after from j on have in common.
  const common = new Uint32Array(rows * columns);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const at = i * columns + j;
      common[at] =
        before[i] === after[j]
          ? (common[at + columns + 1] ?? 0) + 1
          : Math.max(common[at + columns] ?? 0, common[at + 1] ?? 0);
    }
  }
  const out: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [gone, come] = [before[i], after[j]];
    const at = i * columns + j;
    if (gone !== undefined && gone === come) {
      out.push([0, gone]);
      i++;
      j++;
    } else if (
      gone !== undefined &&
      (come === undefined || (common[at + columns] ?? 0) >= (common[at + 1] ?? 0))
    ) {
      out.push([-1, gone]);
      i++;
    } else if (come !== undefined) {
      out.push([1, come]);
      j++;
    }
  }
  return out;
}
