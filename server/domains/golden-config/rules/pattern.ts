/*
 * A small part of RE2's language, read into a tree that can be reasoned about. What is not in it is no mistake: such an
 * expression is left to RE2 itself.
 */

/** Code points as ascending ranges that do not touch. */
export type CharSet = readonly (readonly [from: number, to: number])[];

export type Pattern =
  | { kind: 'set'; set: CharSet }
  | { kind: 'sequence'; of: readonly Pattern[] }
  | { kind: 'choice'; of: readonly Pattern[] }
  | { kind: 'repeat'; of: Pattern; least: number; most: number | null };

const LAST = 0x10ffff;
const DIGITS: CharSet = [[48, 57]];
const WORDS: CharSet = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
/** As RE2 has it: no vertical tab, no blanks beyond ASCII. */
const BLANKS: CharSet = [
  [9, 10],
  [12, 13],
  [32, 32],
];
const NEWLINE: CharSet = [[10, 10]];

const CLASSES: Readonly<Record<string, CharSet>> = { d: DIGITS, w: WORDS, s: BLANKS };
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, r: 13, f: 12, v: 11 };

/** Deepest groups, and the most that a repetition in braces may say. */
const DEEPEST = 40;
const MOST = 200;

/** A text as an expression that matches just that. */
export const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Read an expression; null for one that is outside of the part known here. */
export function readPattern(source: string): Pattern | null {
  const reader = { points: Array.from(source), at: 0, depth: 0 };
  const pattern = readChoice(reader);
  return reader.at === reader.points.length ? pattern : null;
}

const only = (point: number): Pattern => ({ kind: 'set', set: [[point, point]] });

type Reader = { points: string[]; at: number; depth: number };

function readChoice(reader: Reader): Pattern | null {
  const branches: Pattern[] = [];
  for (;;) {
    const branch = readSequence(reader);
    if (!branch) return null;
    branches.push(branch);
    if (reader.points[reader.at] !== '|') break;
    reader.at++;
  }
  return branches.length === 1 ? (branches[0] ?? null) : { kind: 'choice', of: factored(branches) };
}

/**
 * Branches that begin with the same character as one branch, so that the next character decides between them: which of
 * them comes first is no matter for whole lines.
 */
function factored(branches: readonly Pattern[]): Pattern[] {
  const groups = new Map<string, Pattern[][]>();
  for (const branch of branches) {
    const parts = branch.kind === 'sequence' ? [...branch.of] : [branch];
    const [first] = parts;
    const key = first?.kind === 'set' ? JSON.stringify(first.set) : `other ${groups.size}`;
    groups.set(key, [...(groups.get(key) ?? []), parts]);
  }
  return [...groups.values()].map((group): Pattern => {
    const [parts = []] = group;
    const [first] = parts;
    if (!first || group.length === 1) return { kind: 'sequence', of: parts };
    const rests = group.map((one): Pattern => ({ kind: 'sequence', of: one.slice(1) }));
    return { kind: 'sequence', of: [first, { kind: 'choice', of: factored(rests) }] };
  });
}

function readSequence(reader: Reader): Pattern | null {
  const of: Pattern[] = [];
  for (let next = reader.points[reader.at]; next !== undefined && next !== '|' && next !== ')'; ) {
    const atom = readAtom(reader, next);
    const repeated = atom && readRepeat(reader, atom);
    if (!repeated) return null;
    of.push(repeated);
    next = reader.points[reader.at];
  }
  return { kind: 'sequence', of };
}

function readAtom(reader: Reader, next: string): Pattern | null {
  reader.at++;
  if (next === '(') return readGroup(reader);
  if (next === '[') return readClass(reader);
  if (next === '.') return { kind: 'set', set: complement(NEWLINE) };
  if (next === '\\') return readEscape(reader);
  return '^$*+?{'.includes(next) ? null : only(next.codePointAt(0) ?? 0);
}

function readGroup(reader: Reader): Pattern | null {
  if (reader.points[reader.at] === '?') {
    if (reader.points[reader.at + 1] !== ':') return null;
    reader.at += 2;
  }
  if (++reader.depth > DEEPEST) return null;
  const inner = readChoice(reader);
  reader.depth--;
  if (reader.points[reader.at] !== ')') return null;
  reader.at++;
  return inner;
}

function readEscape(reader: Reader): Pattern | null {
  const set = escapedSet(reader);
  return set && { kind: 'set', set };
}

/** What stands behind a backslash, a class or one character. */
function escapedSet(reader: Reader): CharSet | null {
  const mark = reader.points[reader.at++];
  if (mark === undefined) return null;
  const inside = CLASSES[mark];
  if (inside) return inside;
  const outside = CLASSES[mark.toLowerCase()];
  if (outside && mark !== mark.toLowerCase()) return complement(outside);
  const point = CONTROLS[mark] ?? (/[!-/:-@[-`{-~]/.test(mark) ? mark.charCodeAt(0) : null);
  return point === null ? null : [[point, point]];
}

function readClass(reader: Reader): Pattern | null {
  const negated = reader.points[reader.at] === '^';
  if (negated) reader.at++;
  const ranges: [number, number][] = [];
  for (let next = reader.points[reader.at]; next !== ']'; next = reader.points[reader.at]) {
    if (next === undefined || next === '[') return null;
    const set = classItem(reader);
    if (!set) return null;
    const dash = reader.points[reader.at] === '-' && reader.points[reader.at + 1] !== ']';
    if (!dash) {
      ranges.push(...set.map(([from, to]): [number, number] => [from, to]));
      continue;
    }
    reader.at++;
    const end = reader.points[reader.at] === '[' ? null : classItem(reader);
    const [from, to] = [set[0]?.[0], end?.[0]?.[0]];
    if (from === undefined || to === undefined || to < from || !isOne(set) || !isOne(end)) return null;
    ranges.push([from, to]);
  }
  reader.at++;
  // RE2 takes a bracket that comes first for a member of the class.
  if (ranges.length === 0) return null;
  const set = united(ranges);
  return { kind: 'set', set: negated ? complement(set) : set };
}

const isOne = (set: CharSet | null | undefined) => set?.length === 1 && set[0]?.[0] === set[0]?.[1];

function classItem(reader: Reader): CharSet | null {
  const next = reader.points[reader.at++];
  if (next === undefined) return null;
  if (next === '\\') return escapedSet(reader);
  const point = next.codePointAt(0) ?? 0;
  return [[point, point]];
}

function readRepeat(reader: Reader, of: Pattern): Pattern | null {
  const bounds = readBounds(reader);
  if (bounds === null) return null;
  if (bounds === undefined) return of;
  // Reluctant repetition matches the same whole lines.
  if (reader.points[reader.at] === '?') reader.at++;
  const next = reader.points[reader.at];
  if (next !== undefined && '*+?{'.includes(next)) return null;
  return { kind: 'repeat', of, ...bounds };
}

/** How often what stands before is repeated; undefined when nothing says so, null when it is beyond us. */
function readBounds(reader: Reader): { least: number; most: number | null } | null | undefined {
  const next = reader.points[reader.at];
  const known = next === undefined ? undefined : SIGNS[next];
  if (known) {
    reader.at++;
    return known;
  }
  if (next !== '{') return undefined;
  const close = reader.points.indexOf('}', reader.at);
  const text = reader.points.slice(reader.at, close + 1).join('');
  const [, least, comma, most] = /^\{(\d{1,3})(,)?(\d{1,3})?\}$/.exec(text) ?? [];
  if (close === -1 || least === undefined) return null;
  reader.at = close + 1;
  const [from, to] = [Number(least), most === undefined ? (comma ? null : Number(least)) : Number(most)];
  return from > MOST || (to ?? 0) > MOST || (to !== null && to < from) ? null : { least: from, most: to };
}

const SIGNS: Readonly<Record<string, { least: number; most: number | null }>> = {
  '*': { least: 0, most: null },
  '+': { least: 1, most: null },
  '?': { least: 0, most: 1 },
};

function united(ranges: [number, number][]): CharSet {
  const joined: [number, number][] = [];
  for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

function complement(set: CharSet): CharSet {
  const rest: [number, number][] = [];
  let next = 0;
  for (const [from, to] of set) {
    if (from > next) rest.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= LAST) rest.push([next, LAST]);
  return rest;
}
