/** Whether tests run in their long form: `npm run check` sets LONG=1, `npm test` runs the short form of each. */
export const isLong = process.env.LONG === '1';

/**
 * Returns all items in the long form of a test; in the short form, so many of them, spread evenly over the list.
 *
 * @param items  cases of a test
 * @param count  1 or more
 */
export function sampled<Item>(items: readonly Item[], count: number): Item[] {
  if (isLong || items.length <= count) return [...items];
  const step = items.length / count;
  return Array.from({ length: count }, (_, index) => items[Math.floor(index * step)] as Item);
}

/**
 * Returns how often a property test invents values: all of them in the long form, a twentieth in the short one.
 * `LAW_RUNS` in the environment takes the place of any such number.
 *
 * @param least  fewest in the short form: more for a test that counts what it met
 */
export const lawRuns = (count: number, least = 3): { numRuns: number } => ({
  numRuns: Number(process.env.LAW_RUNS ?? (isLong ? count : Math.max(least, Math.ceil(count / 20)))),
});
