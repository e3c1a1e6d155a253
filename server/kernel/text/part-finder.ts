import { containsText } from './text-search.ts';

/** A range of a text: the index of its first character, and that behind its last. */
export type Span = readonly [from: number, to: number];

/** Up to how many parts the text is first searched for each of them: most texts contain none, and no tree has to be built. */
const FEW = 64;

/**
 * Returns a function that finds where any of several parts stands in a text. Its time grows with the lengths of the parts and of
 * the text, not with their product (Aho and Corasick, 1975).
 *
 * @param parts texts that are looked for, none of them empty
 * @returns finds the spans in a text, in their order; those that overlap are one
 */
export function partFinder(parts: readonly string[]): (text: string) => Span[] {
  let trie: PartTrie | undefined;
  return (text) => {
    if (parts.length <= FEW && !parts.some((part) => containsText(text, part))) return [];
    trie ??= new PartTrie(parts);
    return spansIn(trie, text);
  };
}

function spansIn(trie: PartTrie, text: string): Span[] {
  const spans: Span[] = [];
  let node = ROOT;
  for (let at = 0; at < text.length; at++) {
    node = trie.after(node, text.charCodeAt(at));
    const length = trie.longestAt(node);
    if (length === 0) continue;
    let from = at + 1 - length;
    // A longer part may end here that began before those that were found last.
    for (let last = spans.at(-1); last && last[1] > from; last = spans.at(-1)) {
      from = Math.min(from, last[0]);
      spans.pop();
    }
    spans.push([from, at + 1]);
  }
  return spans;
}

/** Returns the indexes of whole numbers from 0 on, those of small numbers first (a counting sort). */
function byNumber(numbers: Int32Array): Int32Array {
  const places = new Int32Array(numbers.reduce((most, number) => Math.max(most, number), 0) + 2);
  for (const number of numbers) places[number + 1] = (places[number + 1] ?? 0) + 1;
  for (let number = 1; number < places.length; number++)
    places[number] = (places[number] ?? 0) + (places[number - 1] ?? 0);
  const sorted = new Int32Array(numbers.length);
  for (const [index, number] of numbers.entries()) {
    const place = places[number] ?? 0;
    sorted[place] = index;
    places[number] = place + 1;
  }
  return sorted;
}

/** The node of the empty beginning, which is nobody's child. */
const ROOT = 0;

/** The beginnings of all parts as a tree, in arrays: an object for each node would take some hundred bytes for each character. */
class PartTrie {
  /** Each child by its node and the next character, in a hash table with open addressing; an empty place has the child 0. */
  readonly #nodes: Int32Array;
  readonly #codes: Uint16Array;
  readonly #children: Int32Array;
  /** For each node, that of the longest other beginning with which its own ends. */
  readonly #shorter: Int32Array;
  /** For each node, the length of the longest part with which its beginning ends; 0 for none. */
  readonly #longest: Int32Array;

  constructor(parts: readonly string[]) {
    const most = parts.reduce((sum, { length }) => sum + length, 1);
    const places = 2 ** Math.ceil(Math.log2(2 * most));
    this.#nodes = new Int32Array(places);
    this.#codes = new Uint16Array(places);
    this.#children = new Int32Array(places);
    this.#shorter = new Int32Array(most);
    this.#longest = new Int32Array(most);
    this.#link(this.#grow(parts, most));
  }

  /** Returns the node after another character: that of the longest beginning with which what was read ends. */
  after(node: number, code: number): number {
    for (let at = node; ; at = this.#shorter[at] ?? ROOT) {
      const child = this.#children[this.#place(at, code)] ?? ROOT;
      if (child !== ROOT || at === ROOT) return child;
    }
  }

  longestAt(node: number): number {
    return this.#longest[node] ?? 0;
  }

  /** Adds all parts. @returns the nodes with the lengths of their beginnings, their parents and their last characters */
  #grow(parts: readonly string[], most: number) {
    const [parents, codes, depths] = [new Int32Array(most), new Uint16Array(most), new Int32Array(most)];
    let count = 1;
    for (const part of parts) {
      let node = ROOT;
      for (let at = 0; at < part.length; at++) {
        const code = part.charCodeAt(at);
        const place = this.#place(node, code);
        if (this.#children[place] === ROOT) {
          this.#nodes[place] = node;
          this.#codes[place] = code;
          this.#children[place] = count;
          parents[count] = node;
          codes[count] = code;
          depths[count] = at + 1;
          count++;
        }
        node = this.#children[place] ?? ROOT;
      }
      this.#longest[node] = part.length;
    }
    return { parents, codes, depths: depths.subarray(0, count) };
  }

  /** Sets the shorter beginnings of all nodes, those of short beginnings first: longer ones follow from them. */
  #link({ parents, codes, depths }: { parents: Int32Array; codes: Uint16Array; depths: Int32Array }): void {
    for (const node of byNumber(depths)) {
      const parent = parents[node] ?? ROOT;
      if (parent === ROOT) continue;
      const shorter = this.after(this.#shorter[parent] ?? ROOT, codes[node] ?? 0);
      this.#shorter[node] = shorter;
      this.#longest[node] = Math.max(this.longestAt(node), this.longestAt(shorter));
    }
  }

  /** Returns the place of a child in the table, or the free place where it belongs. */
  #place(node: number, code: number): number {
    const mask = this.#children.length - 1;
    const hash = Math.imul(node, 0x9e3779b1) ^ Math.imul(code + 1, 0x85ebca6b);
    for (let at = (hash ^ (hash >>> 15)) & mask; ; at = (at + 1) & mask) {
      if (this.#children[at] === ROOT || (this.#nodes[at] === node && this.#codes[at] === code)) return at;
    }
  }
}
