/**
 * Returns whether a group would be a direct or indirect member of itself once it is a member of `memberOf`.
 *
 * @param parents the groups that each group is a direct member of now
 * @see contract/lifecycle#3: a membership cycle is rejected
 */
export function wouldCycle(
  parents: ReadonlyMap<string, readonly string[]>,
  group: string,
  memberOf: readonly string[],
): boolean {
  const seen = new Set<string>();
  const open = [...memberOf];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === group) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(parents.get(next) ?? []));
  }
  return false;
}

/** Returns each membership or assignment once, in the original order. */
export function distinct<Item>(items: readonly Item[], idOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [idOf(item), item])).values()];
}
