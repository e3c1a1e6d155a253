/** Longest part of a name in a path, in bytes: file systems accept 255. */
const LONGEST = 180;

const escaped = (character: string) =>
  [...new TextEncoder().encode(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');

/** A short hash (FNV-1a) that distinguishes long names. */
function shortHash(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}

/**
 * Returns the name of a document as part of a path: plain characters stay, all others are percent-encoded, so that no name
 * leaves its folder or means something to git or a file system.
 *
 * @param name name of a document, of any characters
 * @returns the name of its file without a suffix
 */
export function fileNameOf(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9 ._-]/gu, escaped).replace(/^[. ]|[. ]$/g, escaped);
  return plain.length <= LONGEST
    ? plain
    : `${plain.slice(0, LONGEST).replace(/%.?$/, '')}~${shortHash(name)}`;
}
