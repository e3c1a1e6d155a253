/** Returns the names that may be the current form of an older name, sorted; at most `MOST_SIMILAR`. */
export type FindSimilar = (older: string) => string[];

/** Maximum number of names that are offered for one. */
export const MOST_SIMILAR = 5;

/** Minimum number of words that two different names must share: one word says too little. */
const LEAST_SHARED = 2;

/** Returns a name as words: letters and digits, whatever case and signs are between them. */
const wordsOf = (name: string): string[] =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * Indexes names so that those similar to another are found without comparing it with each. Names are similar when their
 * words are equal, or when the words of one begin with all words of the other, of which there must be two at least:
 * `Run Script on BIG-IP - F5` and `Run Script on BIG-IP`. The relation is symmetric.
 *
 * @param names names of one project's workflows, without its prefix
 */
export function similarNames(names: Iterable<string>): FindSimilar {
  const known = [...new Set(names)]
    .map((name) => ({ name, key: wordsOf(name).join(' ') }))
    .filter(({ key }) => key !== '')
    .sort((one, other) => compare(one.key, other.key) || compare(one.name, other.name));

  /** Returns the position of the first name whose key is not less. */
  const positionOf = (key: string): number => {
    let [from, to] = [0, known.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((known[middle]?.key ?? '') < key) from = middle + 1;
      else to = middle;
    }
    return from;
  };

  return (older) => {
    const words = wordsOf(older);
    const key = words.join(' ');
    if (key === '') return [];
    const found: string[] = [];
    const collect = (start: string, isFound: (key: string) => boolean) => {
      for (let at = positionOf(start); at < known.length && found.length < MOST_SIMILAR; at++) {
        const one = known[at];
        if (!one || !isFound(one.key)) return;
        found.push(one.name);
      }
    };
    collect(key, (one) => one === key);
    if (words.length < LEAST_SHARED) return found.sort(compare);
    collect(`${key} `, (one) => one.startsWith(`${key} `));
    for (let length = words.length - 1; length >= LEAST_SHARED; length--) {
      const begin = words.slice(0, length).join(' ');
      collect(begin, (one) => one === begin);
    }
    return found.sort(compare);
  };
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
