/** Returns the id of a line: 16 hexadecimal characters. `place` is the id of the line above, and the line's own words. */
export type LineIds = (place: string) => string;

/**
 * Returns a source of ids that depend on a line's place only: a line keeps its id when its spec is saved again, and a run
 * that derives the lines gets the stored ids. A line that is repeated in one place gets several ids.
 *
 * @param seed the spec's id: lines of two specs have different ids
 */
export function stableLineIds(seed: string): LineIds {
  const counts = new Map<string, number>();
  return (place) => {
    const count = counts.get(place) ?? 0;
    counts.set(place, count + 1);
    return hash(`${seed}\n${count}\n${place}`);
  };
}

/** Returns a 64-bit hash of a text, as two halves that are mixed with different constants. */
function hash(text: string): string {
  let left = 0x9e3779b9;
  let right = 0x85ebca6b;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    left = Math.imul(left ^ code, 0x9e3779b1);
    right = Math.imul(right ^ code, 0x5f356495);
  }
  left = mixed(left ^ right);
  right = mixed(right ^ Math.imul(left, 0xc2b2ae35));
  return half(left) + half(right);
}

function mixed(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return twice ^ (twice >>> 16);
}

const half = (value: number) => (value >>> 0).toString(16).padStart(8, '0');
