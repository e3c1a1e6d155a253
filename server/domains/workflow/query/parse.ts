import { type Bounds, compileExpression, PatternError } from '#server/kernel/documents/list-filter.ts';

/** The error for a query that does not parse; the message names the reason. */
export class QuerySyntaxError extends Error {}

/** A regular expression, and the steps of its program: a test costs at most steps × characters of the text. */
export type QueryExpression = { test: (text: string) => boolean; steps: number };

/** The limits of a regular expression in a query. */
const BOUNDS: Bounds = { longest: 1000, steps: 2000 };

/** A name or value in a query: literal, or what an inner query `{…}` finds in the whole value. */
export type Operand = { text: string } | { query: Query };

/** A condition on an element: a property, compared with a value. */
export type Condition = {
  member: Operand;
  operator: '=' | '~' | '<' | '<=' | '>' | '>=';
  negated: boolean;
  value: Operand | { pattern: QueryExpression };
  /** How it is joined with the conditions before it, from left to right. */
  joined: '&' | '|';
};

/** One step of a path into a value. */
export type QueryStep =
  /** A property; of a list, the property of each element. */
  | { kind: 'member'; name: Operand }
  /** `:get(name)`: the property of exactly this name. */
  | { kind: 'own'; name: Operand }
  /** `[*]`: every value of a list or object; `[**]`: the same with nested lists flattened. */
  | { kind: 'values'; flat: boolean }
  /** `[k=v]`: the first element that meets the conditions; `[*k=v]`: all of them. */
  | { kind: 'elements'; all: boolean; conditions: Condition[] }
  /** `[]`: the first value, one level down, in which the remaining steps find something; at the end it has no effect. */
  | { kind: 'within'; steps: QueryStep[] };

/** Alternative paths into a value: the next one is tried when one finds nothing. */
export type Query = QueryStep[][];

/** Maximum length of a query, and maximum number of steps and nested queries in it: each step may visit the whole value. */
const LONGEST = 10_000;
const MOST_STEPS = 64;
const DEEPEST = 8;

const CLOSES: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}' };

type ParseState = { text: string; depth: number; steps: { left: number } };

/**
 * Parses a query: `a.b`, `[0]`, `[k=v]`, `[*k=v]`, `[*]`, `[**]`, `[]`, `a|b`, `{inner}`, `:get(a.b)` (docs/tasks.md).
 *
 * @throws QuerySyntaxError
 */
export function parseQuery(text: string): Query {
  if (text.length > LONGEST) throw new QuerySyntaxError(`the query is longer than ${LONGEST} characters`);
  return read({ text, depth: 0, steps: { left: MOST_STEPS } });
}

const read = (reading: ParseState): Query =>
  cut(reading.text, '|').map(({ text }) => stepsOf({ ...reading, text }));

function stepsOf(reading: ParseState): QueryStep[] {
  const { text } = reading;
  const outer: QueryStep[] = [];
  let steps = outer;
  const add = (step: QueryStep) => {
    reading.steps.left -= 1;
    if (reading.steps.left < 0) throw new QuerySyntaxError(`the query has more than ${MOST_STEPS} steps`);
    steps.push(step);
  };
  for (let at = 0; at < text.length; ) {
    const sign = text[at];
    if (sign === '.') at += 1;
    else if (sign === '[') {
      const end = closing(text, at);
      const inside = text.slice(at + 1, end).trim();
      if (inside === '') {
        const within: QueryStep[] = [];
        add({ kind: 'within', steps: within });
        steps = within;
      } else add(bracketed(inside, reading));
      at = end + 1;
    } else if (isGet(text, at)) {
      const end = closing(text, at + HELPER.length - 1);
      add({ kind: 'own', name: operandOf(text.slice(at + HELPER.length, end).trim(), reading) });
      at = end + 1;
    } else {
      const end = endOfName(text, at);
      const name = text.slice(at, end).trim();
      if (name !== '') add({ kind: 'member', name: { text: name } });
      at = end;
    }
  }
  return outer;
}

const HELPER = ':get(';
const isGet = (text: string, at: number) => text.startsWith(HELPER, at);

/** Returns the end of a name. A colon is part of it, as in names of YANG modules, except in `:get(`. */
function endOfName(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === ']') throw new QuerySyntaxError(`] at ${at + 1} has no opening bracket`);
    if (sign === '.' || sign === '[' || isGet(text, at)) return at;
  }
  return text.length;
}

/** Returns the offset at which the bracket at `from` is closed. */
function closing(text: string, from: number): number {
  const open: string[] = [];
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    const closes = CLOSES[sign];
    if (sign === '~') at += expressionAt(text, at);
    else if (closes !== undefined) open.push(closes);
    else if (sign === open.at(-1)) open.pop();
    if (open.length === 0) return at;
  }
  throw new QuerySyntaxError(`${text[from]} at ${from + 1} is not closed`);
}

/** Matches a regular expression: between slashes after `~`. Its characters have no meaning in the query. */
const EXPRESSION = /^~\s*\/(?:\\.|[^\\/])*\/[a-z]*/;

/** Returns the length of a regular expression at this offset without its first character; 0 when none begins here. */
const expressionAt = (text: string, at: number): number =>
  Math.max(0, (EXPRESSION.exec(text.slice(at))?.[0].length ?? 0) - 1);

/** Splits a text at some characters outside of brackets and regular expressions; each piece has the character before it. */
function cut(text: string, signs: string): { text: string; sign: string }[] {
  const pieces: { text: string; sign: string }[] = [];
  let from = 0;
  let before = '';
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (sign === '~') at += expressionAt(text, at);
    else if (CLOSES[sign] !== undefined) at = closing(text, at);
    else if (signs.includes(sign)) {
      pieces.push({ text: text.slice(from, at), sign: before });
      before = sign;
      from = at + 1;
    }
  }
  return [...pieces, { text: text.slice(from), sign: before }];
}

function bracketed(inside: string, reading: ParseState): QueryStep {
  if (inside === '*' || inside === '**') return { kind: 'values', flat: inside === '**' };
  const all = inside.startsWith('*');
  const pieces = cut(all ? inside.slice(1) : inside, '&|');
  const [first] = pieces;
  if (pieces.length === 1 && first && !OPERATOR.test(first.text)) {
    if (all) throw new QuerySyntaxError(`[${inside}] has no comparison`);
    return { kind: 'member', name: operandOf(first.text.trim(), reading) };
  }
  return { kind: 'elements', all, conditions: pieces.map((piece) => conditionOf(piece, reading)) };
}

const OPERATOR = /!?(?:=|~|<=|>=|<|>)/;

function conditionOf({ text, sign }: { text: string; sign: string }, reading: ParseState): Condition {
  const found = OPERATOR.exec(text);
  if (!found) throw new QuerySyntaxError(`${text.trim() || 'nothing'} is not a comparison`);
  const negated = found[0].startsWith('!');
  const operator = found[0].replace('!', '') as Condition['operator'];
  const written = text.slice(found.index + found[0].length).trim();
  return {
    member: operandOf(text.slice(0, found.index).trim(), reading),
    operator,
    negated,
    value: (operator === '~' && patternOf(written)) || operandOf(written, reading),
    joined: sign === '|' ? '|' : '&',
  };
}

/** Compiles a regular expression between slashes, in RE2, where `i` is the only flag with an effect. */
function patternOf(text: string): { pattern: QueryExpression } | null {
  const [, source, flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(text) ?? [];
  if (source === undefined) return null;
  try {
    const expression = compileExpression(flags.includes('i') ? `(?i)${source}` : source, BOUNDS);
    return { pattern: { test: (text) => expression.test(text), steps: expression.programSize() } };
  } catch (error) {
    if (error instanceof PatternError) throw new QuerySyntaxError(error.message);
    throw error;
  }
}

function operandOf(text: string, reading: ParseState): Operand {
  if (text.startsWith('{') && text.endsWith('}')) {
    if (reading.depth >= DEEPEST)
      throw new QuerySyntaxError(`queries are nested more than ${DEEPEST} levels deep`);
    return { query: read({ ...reading, text: text.slice(1, -1), depth: reading.depth + 1 }) };
  }
  const [, , quoted] = /^(["'])(.*)\1$/s.exec(text) ?? [];
  return { text: quoted ?? text };
}
