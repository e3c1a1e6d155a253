import type { CharSet, Pattern } from './pattern.ts';

/** Most characters of a pattern, its repetitions written out, and most ways on from one to the next. */
const MOST_PLACES = 400;
const MOST_WAYS = 8000;

/** Where a part begins and ends: places by number; `empty` when it matches nothing at all too. */
type Part = { first: number[]; last: number[]; empty: boolean };

type Automaton = { sets: CharSet[]; follow: Set<number>[]; ways: number; plain: boolean };

/**
 * Whether a backtracking matcher, anchored at both ends, takes at most a step per character and place for this
 * pattern: at each place the next character alone decides how to go on, and no part can be matched in two ways. Where
 * it might not be so, the answer is no.
 *
 * The pattern is read as an automaton with a state per place of a character. It must be deterministic, and no way from
 * one state to another may come about twice, which is what nested repetitions do. Nothing that may be empty is repeated
 * or left out, and of several branches one at most may be empty: else there are two ways to match nothing.
 */
export function isLinear(pattern: Pattern): boolean {
  const automaton: Automaton = { sets: [], follow: [], ways: 0, plain: true };
  const { first } = build(pattern, automaton);
  return (
    automaton.plain && decides(first, automaton) && automaton.follow.every((one) => decides(one, automaton))
  );
}

/** Whether no two of these places share a character. */
function decides(places: Iterable<number>, { sets }: Automaton): boolean {
  const all: (readonly [number, number])[] = [];
  for (const place of places) all.push(...(sets[place] ?? []));
  all.sort((a, b) => a[0] - b[0]);
  return all.every(([from], at) => at === 0 || from > (all[at - 1]?.[1] ?? -1));
}

function build(pattern: Pattern, automaton: Automaton): Part {
  if (!automaton.plain) return NOTHING;
  if (pattern.kind === 'set') return place(pattern.set, automaton);
  if (pattern.kind === 'choice') return choice(pattern.of, automaton);
  if (pattern.kind === 'repeat') return repeat(pattern, automaton);
  return pattern.of.reduce<Part>(
    (before, part) => joined(before, build(part, automaton), automaton),
    NOTHING,
  );
}

const NOTHING: Part = { first: [], last: [], empty: true };

function place(set: CharSet, automaton: Automaton): Part {
  const number = automaton.sets.push(set) - 1;
  automaton.follow.push(new Set());
  if (automaton.sets.length > MOST_PLACES) automaton.plain = false;
  return { first: [number], last: [number], empty: false };
}

function choice(branches: readonly Pattern[], automaton: Automaton): Part {
  const parts = branches.map((branch) => build(branch, automaton));
  if (parts.filter(({ empty }) => empty).length > 1) automaton.plain = false;
  return {
    first: parts.flatMap(({ first }) => first),
    last: parts.flatMap(({ last }) => last),
    empty: parts.some(({ empty }) => empty),
  };
}

function joined(before: Part, after: Part, automaton: Automaton): Part {
  connect(before.last, after.first, automaton);
  return {
    first: before.empty ? [...before.first, ...after.first] : before.first,
    last: after.empty ? [...before.last, ...after.last] : after.last,
    empty: before.empty && after.empty,
  };
}

/** As it would be written out: what must be there, then what may, each within the one before, or a loop. */
function repeat({ of, least, most }: Extract<Pattern, { kind: 'repeat' }>, automaton: Automaton): Part {
  const copies: Part[] = [];
  const wanted = most ?? Math.max(least, 1);
  for (let count = 0; count < wanted && automaton.plain; count++) {
    const copy = build(of, automaton);
    if (copy.empty) automaton.plain = false;
    copies.push(copy);
  }
  if (!automaton.plain) return NOTHING;
  const last = copies.at(-1);
  if (most === null && last) connect(last.last, last.first, automaton);
  const optional = (at: number) => at >= least;
  return copies.reduceRight<Part>((after, copy, at) => {
    const both = joined(copy, after, automaton);
    return optional(at) ? { ...both, empty: true } : both;
  }, NOTHING);
}

function connect(from: readonly number[], to: readonly number[], automaton: Automaton): void {
  automaton.ways += from.length * to.length;
  if (automaton.ways > MOST_WAYS) automaton.plain = false;
  if (!automaton.plain) return;
  for (const one of from) {
    const follow = automaton.follow[one];
    for (const next of to) {
      if (follow?.has(next)) automaton.plain = false;
      follow?.add(next);
    }
  }
}
