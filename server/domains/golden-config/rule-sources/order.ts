/**
 * Finds the fewest places that break an ascending order: all outside a longest ascending subsequence. O(n log n).
 *
 * @returns their indexes, ascending
 */
export function outOfOrder(places: readonly number[]): number[] {
  // ends[k]: index of the smallest place that ends an ascending subsequence of k + 1 places.
  const ends: number[] = [];
  const before: number[] = [];
  for (const [at, place] of places.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[ends[middle] ?? 0] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    before.push(low > 0 ? (ends[low - 1] ?? -1) : -1);
    ends[low] = at;
  }
  const kept = new Set<number>();
  for (let at = ends.at(-1) ?? -1; at !== -1; at = before[at] ?? -1) kept.add(at);
  return [...places.keys()].filter((at) => !kept.has(at));
}
