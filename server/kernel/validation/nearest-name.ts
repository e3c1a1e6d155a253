/** Returns the number of single-letter changes, swaps included, that turn one word into the other. */
function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = row;
    row = next;
  }
  return row[other.length] ?? 0;
}

const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/**
 * Returns the known name closest to a misspelled one; undefined when none is close. Case and punctuation are ignored.
 *
 * @param given name that was not found
 * @param known names that exist
 */
export function nearestName(given: string, known: Iterable<string>): string | undefined {
  const wanted = plain(given.slice(0, 64));
  const most = Math.min(3, Math.floor(wanted.length / 3));
  let best: { name: string; steps: number } | undefined;
  for (const name of known) {
    const steps = editDistance(wanted, plain(name));
    if (steps <= most && steps < (best?.steps ?? Number.POSITIVE_INFINITY)) best = { name, steps };
  }
  return best?.name;
}

/**
 * Returns `; did you mean …?` for a misspelled name, or an empty text.
 *
 * @param given name that was not found
 * @param known names that exist
 */
export function suggestion(given: string, known: Iterable<string>): string {
  const name = nearestName(given, known);
  return name === undefined ? '' : `; did you mean ${name}?`;
}
