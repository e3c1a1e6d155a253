import { jinjaError } from './jinja-error.ts';
import type { Token } from './lexer.ts';
import type { Arguments, Expression } from './syntax.ts';

/** Maximum nesting depth of expressions. */
const DEEPEST = 50;

/** A reader over the tokens of one output or tag. */
export type TokenReader = {
  text: string;
  tokens: readonly Token[];
  at: number;
  depth: number;
  /** Called with every name that is read as a variable. */
  onName: (name: string) => void;
  /** Called with the name of every method that is called. */
  onMethod: (name: string) => void;
};

/**
 * Returns a token without consuming it.
 *
 * @param ahead number of tokens to skip
 * @throws JinjaError at the end of the text
 */
export const peek = (reader: TokenReader, ahead = 0): Token => {
  const token = reader.tokens[Math.min(reader.at + ahead, reader.tokens.length - 1)];
  if (!token) throw jinjaError(reader.text, 0, 'an expression is missing');
  return token;
};

/** Consumes a token and returns it. @throws JinjaError at the end of the text */
export const next = (reader: TokenReader): Token => {
  const token = peek(reader);
  reader.at++;
  return token;
};

/**
 * Consumes the next token and returns true when it has this value.
 *
 * @throws JinjaError when the next token is invalid
 */
export function accept(reader: TokenReader, value: string): boolean {
  const { kind, value: found } = peek(reader);
  const is = (kind === 'mark' || kind === 'name') && found === value;
  if (is) reader.at++;
  return is;
}

/**
 * Consumes the next token.
 *
 * @param value the mark or name that must follow
 * @throws JinjaError when it has another value
 */
export function expect(reader: TokenReader, value: string): void {
  if (!accept(reader, value)) throw unexpected(reader, `expected ${value}`);
}

/**
 * Consumes a name and returns it.
 *
 * @param what the name that must follow, for the message of the error: `the name of a tag`
 * @throws JinjaError when the next token is not a name
 */
export function expectName(reader: TokenReader, what: string): string {
  const { kind, value } = peek(reader);
  if (kind !== 'name') throw unexpected(reader, `expected ${what}`);
  reader.at++;
  return value;
}

/**
 * Returns the error for an unexpected token.
 *
 * @param wanted what should be there instead
 * @throws JinjaError when the next token is invalid
 */
export function unexpected(reader: TokenReader, wanted = 'unexpected token') {
  const { kind, value, at } = peek(reader);
  return jinjaError(reader.text, at, `${wanted}, found ${kind === 'end' ? `the end ${value}` : value}`);
}

/**
 * Parses an expression with Jinja's precedence: `if else`, `or`, `and`, `not`, comparisons, `+ -`, `~`, `* / // %`, `**`,
 * signs, and the postfixes of a value: attributes, calls, filters, tests.
 *
 * @throws JinjaError
 */
export function readExpression(reader: TokenReader): Expression {
  if (++reader.depth > DEEPEST)
    throw jinjaError(reader.text, peek(reader).at, 'the expression is nested too deeply');
  let value = readOr(reader);
  for (let { at } = peek(reader); accept(reader, 'if'); { at } = peek(reader)) {
    const when = readOr(reader);
    const no = accept(reader, 'else') ? readExpression(reader) : null;
    value = { kind: 'choice', when, yes: value, no, at };
  }
  reader.depth--;
  return value;
}

/**
 * Parses an expression without a trailing `if else`: the list of a loop, which may be followed by `if`.
 *
 * @returns the expression, up to the first token that does not belong to it
 */
export const readOr = (reader: TokenReader) => leftToRight(reader, ['or'], readAnd);
const readAnd = (reader: TokenReader) => leftToRight(reader, ['and'], readNot);
const readSum = (reader: TokenReader): Expression => leftToRight(reader, ['+', '-'], readJoin);
const readJoin = (reader: TokenReader): Expression => leftToRight(reader, ['~'], readProduct);
const readProduct = (reader: TokenReader): Expression =>
  leftToRight(reader, ['*', '/', '//', '%'], readPower);
const readPower = (reader: TokenReader): Expression => leftToRight(reader, ['**'], (one) => readSigned(one));

function leftToRight(
  reader: TokenReader,
  operators: readonly string[],
  operand: (reader: TokenReader) => Expression,
): Expression {
  let left = operand(reader);
  for (;;) {
    const { at } = peek(reader);
    const operator = operators.find((one) => accept(reader, one));
    if (operator === undefined) return left;
    left = { kind: 'binary', operator, left, right: operand(reader), at };
  }
}

function readNot(reader: TokenReader): Expression {
  const { at } = peek(reader);
  if (!accept(reader, 'not')) return readComparison(reader);
  if (++reader.depth > DEEPEST) throw jinjaError(reader.text, at, 'the expression is nested too deeply');
  const of = readNot(reader);
  reader.depth--;
  return { kind: 'not', of, minus: false, at };
}

const COMPARISONS = ['==', '!=', '<=', '>=', '<', '>', 'in'];

/** Parses comparisons; `1 < x < 9` requires both of its halves. */
function readComparison(reader: TokenReader): Expression {
  const first = readSum(reader);
  let left = first;
  let all: Expression | null = null;
  for (;;) {
    const { at } = peek(reader);
    const negated = peek(reader).value === 'not' && peek(reader, 1).value === 'in';
    if (negated) reader.at++;
    const operator = COMPARISONS.find((one) => accept(reader, one));
    if (operator === undefined) return all ?? first;
    const right = readSum(reader);
    const one: Expression = { kind: 'binary', operator, left, right, at };
    const test: Expression = negated ? { kind: 'not', of: one, minus: false, at } : one;
    all = all ? { kind: 'binary', operator: 'and', left: all, right: test, at } : test;
    left = right;
  }
}

/** Parses a signed value. Attributes and calls bind tighter than the sign; filters and tests apply to the signed value. */
function readSigned(reader: TokenReader, filters = true): Expression {
  const { value, kind, at } = peek(reader);
  if (kind !== 'mark' || (value !== '-' && value !== '+')) {
    return readFollowing(reader, readPrimary(reader), filters);
  }
  reader.at++;
  if (++reader.depth > DEEPEST) throw jinjaError(reader.text, at, 'the expression is nested too deeply');
  const of = readSigned(reader, false);
  reader.depth--;
  return readFollowing(reader, { kind: 'sign', of, minus: value === '-', at }, filters);
}

const CONSTANTS: Readonly<Record<string, boolean | null>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
  null: null,
};
const RESERVED = new Set(['and', 'or', 'not', 'in', 'is', 'if', 'else', 'elif', 'for']);

function readPrimary(reader: TokenReader): Expression {
  const { kind, value, at } = peek(reader);
  if (kind === 'string') return readStrings(reader, at);
  if (kind === 'number') {
    reader.at++;
    return { kind: 'literal', value: Number(value), at };
  }
  if (kind === 'name') {
    if (RESERVED.has(value)) throw unexpected(reader);
    reader.at++;
    if (Object.hasOwn(CONSTANTS, value)) return { kind: 'literal', value: CONSTANTS[value] ?? null, at };
    reader.onName(value);
    return { kind: 'name', name: value, at };
  }
  if (accept(reader, '(')) return readParenthesis(reader, at);
  if (accept(reader, '[')) return { kind: 'list', items: readItems(reader, ']'), at };
  if (accept(reader, '{')) return readDict(reader, at);
  throw unexpected(reader, 'expected a value');
}

/** Joins adjacent string literals. */
function readStrings(reader: TokenReader, at: number): Expression {
  let value = '';
  while (peek(reader).kind === 'string') value += next(reader).value;
  return { kind: 'literal', value, at };
}

/**
 * Parses an expression, or several with commas.
 *
 * @param read parses one of them
 * @throws JinjaError
 */
export function readTuple(reader: TokenReader, read: (reader: TokenReader) => Expression): Expression {
  const { at } = peek(reader);
  const first = read(reader);
  if (peek(reader).value !== ',') return first;
  const items = [first];
  while (accept(reader, ',')) {
    if (peek(reader).kind === 'end') break;
    items.push(read(reader));
  }
  return { kind: 'tuple', items, at };
}

/** Parses a parenthesized value, or several with commas. */
function readParenthesis(reader: TokenReader, at: number): Expression {
  if (accept(reader, ')')) return { kind: 'tuple', items: [], at };
  const first = readExpression(reader);
  if (accept(reader, ')')) return first;
  expect(reader, ',');
  return { kind: 'tuple', items: [first, ...readItems(reader, ')')], at };
}

function readItems(reader: TokenReader, close: string): Expression[] {
  const items: Expression[] = [];
  while (!accept(reader, close)) {
    items.push(readExpression(reader));
    if (accept(reader, close)) break;
    expect(reader, ',');
  }
  return items;
}

function readDict(reader: TokenReader, at: number): Expression {
  const entries: [Expression, Expression][] = [];
  while (!accept(reader, '}')) {
    const key = readExpression(reader);
    expect(reader, ':');
    entries.push([key, readExpression(reader)]);
    if (accept(reader, '}')) break;
    expect(reader, ',');
  }
  return { kind: 'dict', entries, at };
}

/** Parses the postfixes of a value: `.name`, `[key]`, `(arguments)`, `| filter`, `is test`. */
function readFollowing(reader: TokenReader, first: Expression, filters: boolean): Expression {
  let of = first;
  for (;;) {
    const { at } = peek(reader);
    if (accept(reader, '.')) {
      const { kind, value } = next(reader);
      if (kind === 'name') of = { kind: 'member', of, name: value, at: of.at };
      else if (kind === 'number' && /^\d+$/.test(value)) {
        of = { kind: 'index', of, key: { kind: 'literal', value: Number(value), at }, at };
      } else throw jinjaError(reader.text, at, 'expected a name after the dot');
    } else if (accept(reader, '[')) of = readIndex(reader, of, at);
    else if (accept(reader, '(')) {
      if (of.kind === 'member') reader.onMethod(of.name);
      of = { kind: 'call', of, args: readArguments(reader), at };
    } else if (filters && accept(reader, '|')) of = readFilter(reader, of, at + 1);
    else if (filters && accept(reader, 'is')) of = readTest(reader, of, at);
    else return of;
  }
}

/**
 * Parses the name and the arguments of a filter, after its `|`.
 *
 * @param of what is filtered
 * @param at offset for errors
 * @throws JinjaError
 */
export function readFilter(reader: TokenReader, of: Expression, at: number): Expression {
  const name = readDotted(reader, 'the name of a filter');
  const args = accept(reader, '(') ? readArguments(reader) : NOTHING;
  return { kind: 'filter', of, name, args, at };
}

const NOTHING: Arguments = { listed: [], named: [] };

function readDotted(reader: TokenReader, what: string): string {
  let name = expectName(reader, what);
  while (accept(reader, '.')) name += `.${expectName(reader, what)}`;
  return name;
}

function readIndex(reader: TokenReader, of: Expression, at: number): Expression {
  const from = peek(reader).value === ':' ? null : readExpression(reader);
  if (!accept(reader, ':')) {
    expect(reader, ']');
    return { kind: 'index', of, key: from ?? { kind: 'literal', value: null, at }, at };
  }
  const edge = () => ([']', ':'].includes(peek(reader).value) ? null : readExpression(reader));
  const to = edge();
  const step = accept(reader, ':') ? edge() : null;
  expect(reader, ']');
  return { kind: 'slice', of, from, to, step, at };
}

function readTest(reader: TokenReader, of: Expression, at: number): Expression {
  const negated = accept(reader, 'not');
  const { kind, value } = peek(reader);
  const name =
    kind === 'name' && value === 'in' ? next(reader).value : readDotted(reader, 'the name of a test');
  let args = NOTHING;
  if (accept(reader, '(')) args = readArguments(reader);
  // `x is divisibleby 3` needs no parentheses.
  else if (startsValue(peek(reader)))
    args = { listed: [readFollowing(reader, readPrimary(reader), false)], named: [] };
  return { kind: 'test', of, name, args, negated, at };
}

const startsValue = ({ kind, value }: Token): boolean =>
  kind === 'string' ||
  kind === 'number' ||
  (kind === 'name' && !RESERVED.has(value)) ||
  (kind === 'mark' && value === '[');

function readArguments(reader: TokenReader): Arguments {
  const listed: Expression[] = [];
  const named: [string, Expression][] = [];
  while (!accept(reader, ')')) {
    const { kind, value } = peek(reader);
    if (kind === 'name' && peek(reader, 1).value === '=' && peek(reader, 1).kind === 'mark') {
      reader.at += 2;
      named.push([value, readExpression(reader)]);
    } else if (named.length > 0) throw unexpected(reader, 'expected a named argument');
    else listed.push(readExpression(reader));
    if (accept(reader, ')')) break;
    expect(reader, ',');
  }
  return { listed, named };
}
