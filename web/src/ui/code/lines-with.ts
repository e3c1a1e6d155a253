/** Most hits of a search; more are counted as this many. */
export const HITS = 100_000;

/**
 * A text in lower case for repeated searches, with the offset at which each line begins. Where lower case has another
 * length (as for İ), offsets would be wrong: the lines are then searched one by one.
 */
export type Searchable = { lines: readonly string[]; lower: string | undefined; starts: Uint32Array };

/** Prepares a text for searches, once for all of them. */
export function searchableOf(text: string, lines: readonly string[]): Searchable {
  const lower = text.toLowerCase();
  const starts = new Uint32Array(lines.length);
  let at = 0;
  for (let index = 0; index < lines.length; index++) {
    starts[index] = at;
    at += (lines[index] as string).length + 1;
  }
  return { lines, lower: lower.length === text.length ? lower : undefined, starts };
}

/**
 * Returns the indices of the lines that contain a text, at most `HITS`.
 *
 * @param sought in lower case; empty finds nothing
 */
export function linesWith({ lines, lower, starts }: Searchable, sought: string): number[] {
  const found: number[] = [];
  if (sought === '') return found;
  if (lower === undefined) {
    for (let index = 0; index < lines.length && found.length < HITS; index++) {
      if (lines[index]?.toLowerCase().includes(sought)) found.push(index);
    }
    return found;
  }
  let line = 0;
  for (let at = lower.indexOf(sought); at !== -1 && found.length < HITS; ) {
    while (line + 1 < starts.length && (starts[line + 1] as number) <= at) line++;
    found.push(line);
    const next = starts[line + 1];
    if (next === undefined) break;
    at = lower.indexOf(sought, next);
  }
  return found;
}
