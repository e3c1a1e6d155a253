/** A part of a text: −1 was removed, 0 is the same in both, 1 was added (contract/lifecycle#4.1). */
export type Difference = [-1 | 0 | 1, string];

/** The unit of comparison: lines with their ends, words and the blanks between them, or characters. */
export type Grain = 'line' | 'word' | 'char';

const GRAINS: Record<Grain, RegExp> = {
  line: /[^\n]*\n|[^\n]+/g,
  word: /\r?\n|[^\S\n]+?(?=\r?\n|\S|$)|\S+/g,
  char: /[\s\S]/gu,
};

/** Most edits of one search for a point to divide at; beyond that it divides at the furthest point reached. */
const MOST_EDITS = 512;
/** Most search steps of one comparison: the remaining parts are then reported as removed and added as a whole. */
const MOST_STEPS = 60_000_000;
/** Most parts of both texts together that are searched at all. */
const MOST_PARTS = 4_000_000;

/** A range of both sequences still to be compared: from (included) and to (excluded) in each. */
type Box = { fromA: number; toA: number; fromB: number; toB: number };
/** Where a box is divided: the range between the two points is the same in both. */
type Snake = { x: number; y: number; endX: number; endY: number };

/**
 * Returns the differences between two texts. The parts that were not added form the first text, those that were not
 * removed the second.
 *
 * @param before the older text
 * @param after the newer text
 */
export const differences = (before: string, after: string, grain: Grain): Difference[] =>
  listDifferences(partsOf(before, grain), partsOf(after, grain)).map(([op, parts]) => [op, parts.join('')]);

/**
 * Returns the differences between two lists as removed, equal and added parts, by Myers' algorithm in linear space: the
 * shortest result, unless the lists differ so much that the search would take too long.
 *
 * @param one the older list
 * @param other the newer list
 */
export function listDifferences(
  one: readonly string[],
  other: readonly string[],
): [Difference[0], readonly string[]][] {
  const [a, b] = numbered(one, other);
  const changed = { a: new Uint8Array(a.length), b: new Uint8Array(b.length) };
  mark(a, b, changed);
  return reported(one, other, changed);
}

const partsOf = (text: string, grain: Grain): string[] => text.match(GRAINS[grain]) ?? [];

/** Maps equal texts to equal numbers, because numbers compare faster. */
function numbered(...sequences: [readonly string[], readonly string[]]): [Int32Array, Int32Array] {
  const numbers = new Map<string, number>();
  const numberOf = (part: string) => {
    const known = numbers.get(part);
    if (known !== undefined) return known;
    numbers.set(part, numbers.size);
    return numbers.size - 1;
  };
  const [one, other] = sequences.map((parts) => Int32Array.from(parts, numberOf));
  return [one ?? new Int32Array(), other ?? new Int32Array()];
}

type ChangedText = { a: Uint8Array; b: Uint8Array };

/** Marks the parts that are not the same in both. */
function mark(a: Int32Array, b: Int32Array, changed: ChangedText): void {
  const budget = { steps: a.length + b.length > MOST_PARTS ? 0 : MOST_STEPS };
  const open: Box[] = [{ fromA: 0, toA: a.length, fromB: 0, toB: b.length }];
  for (let next = open.pop(); next; next = open.pop()) {
    const box = trimmed(a, b, next);
    const isOneSided = box.fromA === box.toA || box.fromB === box.toB;
    const snake = isOneSided ? undefined : middleSnake(a, b, box, budget);
    if (!snake) {
      changed.a.fill(1, box.fromA, box.toA);
      changed.b.fill(1, box.fromB, box.toB);
      continue;
    }
    open.push({ fromA: box.fromA, toA: box.fromA + snake.x, fromB: box.fromB, toB: box.fromB + snake.y });
    open.push({ ...box, fromA: box.fromA + snake.endX, fromB: box.fromB + snake.endY });
  }
}

/** Returns the box without equal parts at its start and end. */
function trimmed(a: Int32Array, b: Int32Array, { fromA, toA, fromB, toB }: Box): Box {
  while (fromA < toA && fromB < toB && a[fromA] === b[fromB]) {
    fromA++;
    fromB++;
  }
  while (fromA < toA && fromB < toB && a[toA - 1] === b[toB - 1]) {
    toA--;
    toB--;
  }
  return { fromA, toA, fromB, toB };
}

const OFFSET = MOST_EDITS + 1;

/**
 * Searches from both ends of a box, edit by edit, until the two searches meet in the middle of a shortest path. On each
 * diagonal `k` (x − y) only the furthest point is kept.
 *
 * @returns undefined once the steps are used up
 */
function middleSnake(a: Int32Array, b: Int32Array, box: Box, budget: { steps: number }): Snake | undefined {
  const { fromA, toA, fromB, toB } = box;
  const [n, m] = [toA - fromA, toB - fromB];
  const delta = n - m;
  const isOdd = delta % 2 !== 0;
  const forward = new Int32Array(2 * OFFSET + 1);
  const backward = new Int32Array(2 * OFFSET + 1);
  for (let edits = 0; edits <= MOST_EDITS; edits++) {
    const [low, high] = [-(edits - 2 * Math.max(0, edits - m)), edits - 2 * Math.max(0, edits - n)];
    budget.steps -= high - low + 2;
    if (budget.steps < 0) return undefined;
    for (let k = low; k <= high; k += 2) {
      const start = furthest(forward, k, edits);
      let x = start;
      while (x < n && x - k < m && a[fromA + x] === b[fromB + x - k]) x++;
      budget.steps -= x - start;
      forward[OFFSET + k] = x;
      const across = delta - k;
      if (isOdd && Math.abs(across) < edits && x + (backward[OFFSET + across] ?? 0) >= n) {
        return { x: start, y: start - k, endX: x, endY: x - k };
      }
    }
    for (let k = low; k <= high; k += 2) {
      const start = furthest(backward, k, edits);
      let x = start;
      while (x < n && x - k < m && a[toA - 1 - x] === b[toB - 1 - x + k]) x++;
      budget.steps -= x - start;
      backward[OFFSET + k] = x;
      const across = delta - k;
      if (!isOdd && Math.abs(across) <= edits && x + (forward[OFFSET + across] ?? 0) >= n) {
        return { x: n - x, y: m - (x - k), endX: n - start, endY: m - (start - k) };
      }
    }
  }
  return furthestPoint(forward, n, m);
}

/** Returns where the path on diagonal `k` begins: one step down from the diagonal above, or right from the one below. */
function furthest(reached: Int32Array, k: number, edits: number): number {
  const below = reached[OFFSET + k - 1] ?? 0;
  const above = reached[OFFSET + k + 1] ?? 0;
  return k === -edits || (k !== edits && below < above) ? above : below + 1;
}

/** Returns the furthest point that the search from the start reached: not the middle, but good enough to divide at. */
function furthestPoint(reached: Int32Array, n: number, m: number): Snake {
  let best = { x: 0, y: 0 };
  for (let k = -MOST_EDITS; k <= MOST_EDITS; k += 2) {
    const x = reached[OFFSET + k] ?? 0;
    const y = x - k;
    if (x <= n && y >= 0 && y <= m && x + y > best.x + best.y) best = { x, y };
  }
  return { ...best, endX: best.x, endY: best.y };
}

/** Returns both sequences as one list of parts; removed parts precede the added parts that replace them. */
function reported(
  one: readonly string[],
  other: readonly string[],
  changed: ChangedText,
): ReturnType<typeof listDifferences> {
  const list: ReturnType<typeof listDifferences> = [];
  let [x, y] = [0, 0];
  const stretch = (op: Difference[0], parts: readonly string[], from: number, to: number) => {
    if (to > from) list.push([op, parts.slice(from, to)]);
  };
  while (x < one.length || y < other.length) {
    const [fromX, fromY] = [x, y];
    while (x < one.length && changed.a[x] === 1) x++;
    while (y < other.length && changed.b[y] === 1) y++;
    stretch(-1, one, fromX, x);
    stretch(1, other, fromY, y);
    const same = x;
    while (x < one.length && y < other.length && changed.a[x] === 0 && changed.b[y] === 0) {
      x++;
      y++;
    }
    stretch(0, one, same, x);
  }
  return list;
}
