/**
 * Returns the nodes on a cycle, or between two: those that remain after repeatedly removing nodes that no other needs and
 * nodes that need no other.
 */
export function onCycles<Node>(nodes: readonly Node[], needs: (node: Node) => Iterable<Node>): Node[] {
  const known = new Set(nodes);
  const needed = new Map(
    nodes.map((node) => [node, new Set([...needs(node)].filter((one) => known.has(one)))]),
  );
  const needing = new Map(nodes.map((node) => [node, new Set<Node>()]));
  for (const [node, ones] of needed) for (const one of ones) needing.get(one)?.add(node);
  const left = new Set(nodes);
  for (const [outgoing, backs] of [
    [needed, needing],
    [needing, needed],
  ] as const) {
    const free = nodes.filter((node) => left.has(node) && outgoing.get(node)?.size === 0);
    for (let node = free.pop(); node !== undefined; node = free.pop()) {
      left.delete(node);
      for (const one of backs.get(node) ?? []) {
        const open = outgoing.get(one);
        if (open?.delete(node) && open.size === 0 && left.has(one)) free.push(one);
      }
    }
  }
  return [...left];
}
