import { RE2JS } from 're2js';
import { compileExpression, PatternError } from '#server/kernel/documents/list-filter.ts';
import { assertText, type CompiledExpression, type RunState, spend, spendText } from '../run.ts';
import { translate } from './expression-syntax.ts';
import { StepFailed } from './step-failed.ts';
import type { RegularExpression } from './values.ts';

/** A match: its start and end, and its groups, the whole match first. */
export type Hit = { index: number; end: number; groups: (string | undefined)[] };

const BOUNDS = { longest: 20_000, steps: 5000 };

/** Cost of compiling an expression, and characters times steps of its program that cost one unit. */
const COMPILING = 200;
const MATCHING = 32;

/**
 * Compiles a regular expression, with the checks of `new RegExp`.
 *
 * @throws StepFailed for flags and patterns that JavaScript or RE2 does not support
 */
export function compiled(
  run: RunState,
  { source, flags }: Pick<RegularExpression, 'source' | 'flags'>,
): CompiledExpression {
  const key = `${flags}/${source}`;
  const known = run.compiled.get(key);
  if (known) return known;
  spend(run, COMPILING + source.length);
  if (!/^[dgimsuvy]{0,8}$/.test(flags) || new Set(flags).size < flags.length)
    throw new StepFailed(`the flags ${flags.slice(0, 20)} are invalid`, 1);
  if (source.length > BOUNDS.longest) throw new StepFailed('the expression is too long');
  const { source: written, names } = translate(source, flags);
  const fresh = { program: linear(source, written), names, flags };
  run.compiled.set(key, fresh);
  return fresh;
}

function linear(source: string, written: string): RE2JS {
  try {
    return compileExpression(written, { ...BOUNDS, longest: BOUNDS.longest * 12 }, RE2JS.LOOKBEHINDS);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    const reason = error.message.replace(/^the expression is refused at position \d+: /, '');
    throw new StepFailed(`the expression ${source.slice(0, 60)} is rejected: ${reason}`);
  }
}

/** Returns a function that finds the next match in a text, from an offset on; each search counts its actual cost. */
export function finderOf(
  run: RunState,
  { program, flags }: CompiledExpression,
  text: string,
): (from: number) => Hit | null {
  const matcher = program.matcher(text);
  const groups = program.groupCount();
  spend(run, Math.ceil((text.length * program.programSize()) / MATCHING));
  return (from) => {
    // The time counts too: some expressions look far ahead for each match.
    const began = run.now();
    const isFound = from <= text.length && matcher.find(from);
    spend(run, 1 + groups + Math.max(0, run.now() - began) * 1000);
    if (!isFound || (flags.includes('y') && matcher.start() !== from)) return null;
    const found = Array.from({ length: groups + 1 }, (_, at) => matcher.group(at) ?? undefined);
    return { index: matcher.start(), end: matcher.end(), groups: found };
  };
}

/** Returns every match when the expression has the flag g, else the first one. */
export function hitsOf(run: RunState, expression: CompiledExpression, text: string): Hit[] {
  const find = finderOf(run, expression, text);
  const isGlobal = expression.flags.includes('g');
  const hits: Hit[] = [];
  for (let hit = find(0); hit; hit = isGlobal ? find(hit.end > hit.index ? hit.end : hit.end + 1) : null) {
    hits.push(hit);
  }
  return hits;
}

/** Splits a text by an expression like JavaScript's `split`: its groups are included between the parts. */
export function splitBy(
  run: RunState,
  expression: CompiledExpression,
  text: string,
  most: number,
): (string | undefined)[] {
  const parts: (string | undefined)[] = [];
  if (most === 0) return parts;
  const find = finderOf(run, { ...expression, flags: '' }, text);
  if (text === '') return find(0) ? [] : [text];
  let begun = 0;
  let from = 0;
  for (let hit = find(from); hit && hit.index < text.length; hit = find(from)) {
    if (hit.end === begun) {
      from = hit.index + 1;
      continue;
    }
    parts.push(text.slice(begun, hit.index), ...hit.groups.slice(1));
    if (parts.length >= most) return parts.slice(0, most);
    begun = hit.end;
    from = begun;
  }
  parts.push(text.slice(begun));
  return parts;
}

/** Returns the text with its matches replaced; `$1`, `$&` and the like are expanded in the replacement. */
export function replaced(
  run: RunState,
  text: string,
  hits: readonly Hit[],
  replacement: string,
  names: readonly (string | null)[],
): string {
  const parts: string[] = [];
  let length = 0;
  const add = (part: string) => {
    length += part.length;
    assertText(run, length);
    parts.push(part);
  };
  let begun = 0;
  for (const hit of hits) {
    add(text.slice(begun, hit.index));
    for (const part of filled(text, hit, replacement, names)) add(part);
    begun = hit.end;
    spend(run, 1);
  }
  add(text.slice(begun));
  spendText(run, length);
  return parts.join('');
}

function* filled(
  text: string,
  hit: Hit,
  replacement: string,
  names: readonly (string | null)[],
): Generator<string> {
  let begun = 0;
  for (const { 0: mark, index: at } of replacement.matchAll(/\$(?:[$&`']|\d{1,2}|<[^>]*>)/g)) {
    yield replacement.slice(begun, at);
    begun = at + mark.length;
    yield markValue(mark, text, hit, names);
  }
  yield replacement.slice(begun);
}

/** Returns what stands for a mark of a replacement, such as `$1`; the mark itself where it means nothing. */
function markValue(
  mark: string,
  text: string,
  { index, end, groups }: Hit,
  names: readonly (string | null)[],
): string {
  const kind = mark.slice(1);
  if (kind === '$') return '$';
  if (kind === '&') return groups[0] ?? '';
  if (kind === '`') return text.slice(0, index);
  if (kind === "'") return text.slice(end);
  if (kind.startsWith('<')) {
    const isNamed = names.some((name) => name !== null);
    return isNamed ? (groups[names.indexOf(kind.slice(1, -1))] ?? '') : mark;
  }
  const isGroup = (number: number) => number > 0 && number < groups.length;
  if (isGroup(Number(kind))) return groups[Number(kind)] ?? '';
  // Of two digits without such a group, the first one alone may name a group.
  if (kind.length === 2 && isGroup(Number(kind[0]))) return (groups[Number(kind[0])] ?? '') + kind.slice(1);
  return mark;
}
