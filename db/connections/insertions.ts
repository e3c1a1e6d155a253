/** An INSERT that returns no rows. */
export interface Insertion {
  text: string;
  params: unknown[];
}

/** Most insertions of one statement: a document and its audit row. More would make as many texts to prepare as there are sequences. */
export const MOST_HELD = 2;

/** Most pairs that are kept for each second INSERT: tables are few. */
const MOST_PAIRS = 500;

/** The text of two insertions as one, by the text of the second and of the first. */
const pairs = new Map<string, Map<string, string>>();

/** Returns one or two insertions as one statement. @throws TypeError without any */
export function asOne([first, second]: Insertion[]): Insertion {
  if (!first) throw new TypeError('there is no insertion');
  if (!second) return first;
  const params = [...first.params, ...second.params];
  const known = pairs.get(second.text)?.get(first.text);
  if (known !== undefined) return { text: known, params };
  const later = second.text.replace(/\$(\d+)/g, (_, at) => `$${Number(at) + first.params.length}`);
  const text = `with first as (${first.text}) ${later}`;
  const ofSecond = pairs.get(second.text) ?? new Map<string, string>();
  if (ofSecond.size < MOST_PAIRS) pairs.set(second.text, ofSecond.set(first.text, text));
  return { text, params };
}
