/**
 * Returns an unused name: the one wanted, else `Name (1)`, `Name (2)` … (contract/lifecycle#name-collision).
 *
 * @param wanted name without a number
 * @param taken names in use
 */
export function freeName(wanted: string, taken: Pick<ReadonlySet<string>, 'has'>): string {
  if (!taken.has(wanted)) return wanted;
  for (let count = 1; ; count++) {
    const name = `${wanted} (${count})`;
    if (!taken.has(name)) return name;
  }
}

/**
 * Returns a function that allocates unused names, each at most once: like `freeName`, but it remembers the last number of
 * each name, so that 10,000 documents of one name cost 10,000 look-ups rather than 50,000,000.
 *
 * @param taken keys of the names in use; every allocated name is added
 * @returns a function of the wanted name and, where names are unique only within a group, of the function from name to key
 */
export function createNameAllocator(
  taken: Set<string>,
): (wanted: string, keyOf?: (name: string) => string) => string {
  const nextNumbers = new Map<string, number>();
  return (wanted, keyOf = (name) => name) => {
    const wantedKey = keyOf(wanted);
    let name = wanted;
    if (taken.has(wantedKey)) {
      let number = nextNumbers.get(wantedKey) ?? 1;
      while (taken.has(keyOf(`${wanted} (${number})`))) number++;
      name = `${wanted} (${number})`;
      nextNumbers.set(wantedKey, number + 1);
    }
    taken.add(keyOf(name));
    return name;
  };
}

/** Longest name: indexes contain names, and a page of an index is 8 KiB. */
const LONGEST = 255;

/**
 * Validates the name of a version or node, which is part of a URL path.
 *
 * @returns why the name is invalid, to follow the name of the field; null when it is valid
 */
export function segmentFault(name: string): string | null {
  if (name === '') return 'must not be empty';
  if (name.length > LONGEST) return `must have at most ${LONGEST} characters`;
  // Clients and proxies resolve them, also percent-encoded: such a name could never be requested.
  if (name === '.' || name === '..')
    return `must not be ${JSON.stringify(name)}, which cannot be part of a URL`;
  return null;
}

/** Returns why a text cannot name a node; null when it can (contract/lifecycle#4.5). */
export function nodeNameFault(name: string): string | null {
  if (name.includes('/')) return 'must not contain a slash: slashes separate the names of a path';
  if (name === 'devices') return 'must not be "devices": that path lists the devices of the parent node';
  return segmentFault(name);
}

/** Returns why a text cannot name a tree; null when it can. */
export function treeNameFault(name: string): string | null {
  if (name === '') return 'must not be empty';
  return name.length > LONGEST ? `must have at most ${LONGEST} characters` : null;
}
