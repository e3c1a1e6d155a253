import { MUTATING } from './built-ins/methods-collections.ts';
import {
  accept,
  expect,
  expectName,
  peek,
  readExpression,
  readFilter,
  readOr,
  readTuple,
  type TokenReader,
  unexpected,
} from './expression.ts';
import { jinjaError } from './jinja-error.ts';
import { type Piece, splitTemplate } from './lexer.ts';
import {
  BODY,
  type BodyFilter,
  type Expression,
  type MacroParts,
  type Parameter,
  type Program,
  type Statement,
  type Target,
} from './syntax.ts';

/** Maximum length of a template, in characters, and maximum nesting depth of its blocks. */
const LONGEST = 1024 * 1024;
const DEEPEST = 50;

/** Names that the language defines, which a template may use without a variable. */
const OWN_NAMES = ['range', 'namespace', 'dict', 'cycler', 'joiner'];

type Parsing = {
  text: string;
  pieces: Piece[];
  at: number;
  depth: number;
  reads: Set<string>;
  /** Names that the innermost macro reads. */
  read: Set<string>;
  mutates: boolean;
  /** Number of loops around, within the innermost macro. */
  loops: number;
  /** Names bound by the enclosing blocks or by earlier tags. */
  bound: Set<string>[];
};

type Tag = Extract<Piece, { kind: 'output' | 'tag' }>;

/**
 * Compiles a template of the subset of Jinja in docs/jinja.md.
 *
 * @param text source of the template
 * @throws JinjaError with line and column
 */
export function compileTemplate(text: string): Program {
  if (text.length > LONGEST) throw jinjaError(text, 0, `the template is longer than ${LONGEST} characters`);
  const parsing: Parsing = {
    text,
    pieces: splitTemplate(text),
    at: 0,
    depth: 0,
    reads: new Set(),
    read: new Set(),
    mutates: false,
    loops: 0,
    bound: [new Set(OWN_NAMES)],
  };
  const body = readBody(parsing);
  const stray = parsing.pieces[parsing.at];
  if (stray && stray.kind !== 'text') throw jinjaError(text, stray.at, `unexpected ${wordOf(stray)}`);
  return { text, body, reads: parsing.reads, mutates: parsing.mutates };
}

const wordOf = (tag: Tag): string => tag.tokens[0]?.value ?? '';

/** Parses statements up to a tag that ends or continues a block; that tag is left for the caller. */
function readBody(parsing: Parsing): Statement[] {
  const body: Statement[] = [];
  for (let piece = parsing.pieces[parsing.at]; piece; piece = parsing.pieces[parsing.at]) {
    if (piece.kind === 'text') {
      body.push({ kind: 'text', from: piece.from, to: piece.to, at: piece.from });
      parsing.at++;
      continue;
    }
    if (piece.kind === 'tag' && END_WORDS.has(wordOf(piece))) return body;
    parsing.at++;
    body.push(piece.kind === 'output' ? readOutput(parsing, piece) : readTag(parsing, piece));
  }
  return body;
}

const END_WORDS = new Set([
  'else',
  'elif',
  ...['if', 'for', 'set', 'macro', 'call', 'filter', 'with', 'block'].map((word) => `end${word}`),
]);

function readerOf(parsing: Parsing, { tokens }: Tag): TokenReader {
  const onName = (name: string) => {
    parsing.read.add(name);
    if (!parsing.bound.some((names) => names.has(name))) parsing.reads.add(name);
  };
  const onMethod = (name: string) => {
    parsing.mutates ||= MUTATING.has(name);
  };
  return { text: parsing.text, tokens, at: 0, depth: 0, onName, onMethod };
}

function assertRead(reader: TokenReader): void {
  if (peek(reader).kind !== 'end') throw unexpected(reader);
}

function readOutput(parsing: Parsing, tag: Tag): Statement {
  const reader = readerOf(parsing, tag);
  const value = readExpression(reader);
  assertRead(reader);
  return { kind: 'output', value, at: tag.at };
}

/** Why a tag of Jinja is rejected. */
const UNSUPPORTED_TAGS: ReadonlyMap<string, string> = new Map([
  ...['include', 'import', 'from', 'extends'].map(
    (word) => [word, 'a template is rendered by itself, without others'] as const,
  ),
  ['autoescape', 'the filter e escapes a value'],
]);

function readTag(parsing: Parsing, tag: Tag): Statement {
  const reader = readerOf(parsing, tag);
  const word = expectName(reader, 'the name of a tag');
  if (++parsing.depth > DEEPEST)
    throw jinjaError(parsing.text, tag.at, `blocks are nested more than ${DEEPEST} levels deep`);
  const statement = readNamedTag(parsing, tag, reader, word);
  parsing.depth--;
  return statement;
}

function readNamedTag(parsing: Parsing, tag: Tag, reader: TokenReader, word: string): Statement {
  if (word === 'if') return readIf(parsing, tag, reader);
  if (word === 'for') return readFor(parsing, tag, reader);
  if (word === 'set') return readSet(parsing, tag, reader);
  if (word === 'macro') return readMacro(parsing, tag, reader);
  if (word === 'call') return readCall(parsing, tag, reader);
  if (word === 'filter') return readFilterTag(parsing, tag, reader);
  if (word === 'with') return readWith(parsing, tag, reader);
  if (word === 'block') return readBlock(parsing, tag, reader);
  if (word === 'do') return readDo(tag, reader);
  if (word === 'break' || word === 'continue') return readJump(parsing, tag, reader, word);
  const reason = UNSUPPORTED_TAGS.get(word);
  if (reason !== undefined)
    throw jinjaError(parsing.text, tag.at, `the tag ${word} is not supported: ${reason}`);
  throw jinjaError(parsing.text, tag.at, `unknown tag ${word}`);
}

/** Consumes the tag that ends a body or continues its block. */
function endOf(parsing: Parsing, opening: Tag, ends: readonly string[]): { tag: Tag; word: string } {
  const tag = parsing.pieces[parsing.at];
  if (!tag || tag.kind === 'text') {
    throw jinjaError(
      parsing.text,
      opening.at,
      `${wordOf(opening)} is not closed: {% ${ends.at(-1)} %} is missing`,
    );
  }
  const word = wordOf(tag);
  if (!ends.includes(word))
    throw jinjaError(parsing.text, tag.at, `unexpected ${word}, ${ends.join(' or ')} expected`);
  parsing.at++;
  return { tag, word };
}

function readIf(parsing: Parsing, opening: Tag, first: TokenReader): Statement {
  const branches: Extract<Statement, { kind: 'if' }>['branches'] = [];
  let reader = first;
  let when: ReturnType<typeof readExpression> | null = readExpression(reader);
  for (;;) {
    assertRead(reader);
    const ends = when ? ['elif', 'else', 'endif'] : ['endif'];
    const body = scoped(parsing, [], () => readBody(parsing));
    branches.push({ when, body });
    const { tag, word } = endOf(parsing, opening, ends);
    reader = readerOf(parsing, tag);
    expectName(reader, 'the name of a tag');
    if (word === 'endif') {
      assertRead(reader);
      return { kind: 'if', branches, at: opening.at };
    }
    when = word === 'elif' ? readExpression(reader) : null;
  }
}

function readFor(parsing: Parsing, tag: Tag, reader: TokenReader): Statement {
  const target = readTarget(reader);
  expect(reader, 'in');
  const over = readTuple(reader, readOr);
  const names = [...namesIn(target), 'loop'];
  const filter = accept(reader, 'if') ? scoped(parsing, names, () => readExpression(reader)) : null;
  const recursive = accept(reader, 'recursive');
  assertRead(reader);
  parsing.loops++;
  const body = scoped(parsing, names, () => readBody(parsing));
  parsing.loops--;
  let otherwise: Statement[] = [];
  let end = endOf(parsing, tag, ['else', 'endfor']);
  if (end.word === 'else') {
    otherwise = scoped(parsing, [], () => readBody(parsing));
    end = endOf(parsing, tag, ['endfor']);
  }
  return { kind: 'for', target, over, filter, recursive, body, otherwise, at: tag.at };
}

/** Parses names with commas, and those in parentheses within them. */
function readTarget(reader: TokenReader): Target {
  const one = (): Target => {
    if (!accept(reader, '(')) return expectName(reader, 'the name of a variable');
    const inside = readTarget(reader);
    expect(reader, ')');
    return typeof inside === 'string' ? inside : [...inside];
  };
  const first = one();
  if (peek(reader).value !== ',') return first;
  const all = [first];
  while (accept(reader, ',')) if (peek(reader).kind === 'name' || peek(reader).value === '(') all.push(one());
  return all;
}

const namesIn = (target: Target): string[] =>
  typeof target === 'string' ? [target] : target.flatMap(namesIn);

function readJump(parsing: Parsing, tag: Tag, reader: TokenReader, kind: 'break' | 'continue'): Statement {
  assertRead(reader);
  if (parsing.loops === 0) throw jinjaError(parsing.text, tag.at, `${kind} is only possible within a loop`);
  return { kind, at: tag.at };
}

function readSet(parsing: Parsing, tag: Tag, reader: TokenReader): Statement {
  const target = readTarget(reader);
  if (typeof target === 'string') {
    if (accept(reader, '.')) return readSetMember(tag, reader, target);
    if (peek(reader).kind === 'end' || peek(reader).value === '|')
      return readCapture(parsing, tag, reader, target);
  }
  expect(reader, '=');
  const value = readTuple(reader, readExpression);
  assertRead(reader);
  for (const name of namesIn(target)) bind(parsing, name);
  return { kind: 'set', target, value, at: tag.at };
}

function readSetMember(tag: Tag, reader: TokenReader, name: string): Statement {
  const member = expectName(reader, 'the name of an attribute');
  reader.onName(name);
  expect(reader, '=');
  const value = readTuple(reader, readExpression);
  assertRead(reader);
  return { kind: 'set member', name, member, value, at: tag.at };
}

function readCapture(parsing: Parsing, tag: Tag, reader: TokenReader, name: string): Statement {
  const filter = peek(reader).value === '|' ? readBodyFilter(reader, tag) : null;
  const body = scoped(parsing, [], () => readBody(parsing));
  endOf(parsing, tag, ['endset']);
  bind(parsing, name);
  return { kind: 'capture', name, filter, body, at: tag.at };
}

/** Parses filters for the text of a body: each but the first follows a `|`, and the first may. */
function readBodyFilter(reader: TokenReader, { at }: Tag): BodyFilter {
  let filter: Expression = { kind: 'name', name: BODY, at };
  accept(reader, '|');
  do filter = readFilter(reader, filter, peek(reader).at);
  while (accept(reader, '|'));
  assertRead(reader);
  return filter;
}

function readFilterTag(parsing: Parsing, tag: Tag, reader: TokenReader): Statement {
  const filter = readBodyFilter(reader, tag);
  const body = scoped(parsing, [], () => readBody(parsing));
  endOf(parsing, tag, ['endfilter']);
  return { kind: 'filter', filter, body, at: tag.at };
}

function readWith(parsing: Parsing, tag: Tag, reader: TokenReader): Statement {
  const values: [string, Expression][] = [];
  while (peek(reader).kind !== 'end') {
    const name = expectName(reader, 'the name of a variable');
    expect(reader, '=');
    values.push([name, readExpression(reader)]);
    if (!accept(reader, ',')) break;
  }
  assertRead(reader);
  const names = values.map(([name]) => name);
  const body = scoped(parsing, names, () => readBody(parsing));
  endOf(parsing, tag, ['endwith']);
  return { kind: 'with', values, body, at: tag.at };
}

/** A block is what another template may replace; without one it is its body. */
function readBlock(parsing: Parsing, tag: Tag, reader: TokenReader): Statement {
  const name = expectName(reader, 'the name of the block');
  accept(reader, 'scoped');
  accept(reader, 'required');
  assertRead(reader);
  const body = scoped(parsing, [], () => readBody(parsing));
  const end = readerOf(parsing, endOf(parsing, tag, ['endblock']).tag);
  expectName(end, 'the name of a tag');
  accept(end, name);
  assertRead(end);
  return { kind: 'block', body, at: tag.at };
}

function readDo(tag: Tag, reader: TokenReader): Statement {
  const value = readTuple(reader, readExpression);
  assertRead(reader);
  return { kind: 'do', value, at: tag.at };
}

function readMacro(parsing: Parsing, tag: Tag, reader: TokenReader): Statement {
  const name = expectName(reader, 'the name of the macro');
  expect(reader, '(');
  const parameters = readParameters(reader);
  assertRead(reader);
  bind(parsing, name);
  return { kind: 'macro', name, at: tag.at, ...readMacroParts(parsing, tag, parameters, 'endmacro') };
}

/** Parses `call(parameters) macro(arguments)`, and the body that the macro calls as `caller`. */
function readCall(parsing: Parsing, tag: Tag, reader: TokenReader): Statement {
  const parameters = accept(reader, '(') ? readParameters(reader) : [];
  const call = readExpression(reader);
  if (call.kind !== 'call') throw jinjaError(parsing.text, tag.at, 'call needs the call of a macro');
  assertRead(reader);
  return { kind: 'call', call, at: tag.at, ...readMacroParts(parsing, tag, parameters, 'endcall') };
}

/** Parses the body of a macro or a call. */
function readMacroParts(parsing: Parsing, tag: Tag, parameters: Parameter[], end: string): MacroParts {
  const { read, loops } = parsing;
  parsing.read = new Set();
  parsing.loops = 0;
  const names = [...parameters.map(({ name }) => name), 'caller', 'varargs', 'kwargs'];
  const body = scoped(parsing, names, () => readBody(parsing));
  endOf(parsing, tag, [end]);
  const takesMore = { listed: parsing.read.has('varargs'), named: parsing.read.has('kwargs') };
  Object.assign(parsing, { read, loops });
  return { parameters, body, takesMore };
}

/** Parses parameters with their defaults, after the opening parenthesis. */
function readParameters(reader: TokenReader): Parameter[] {
  const parameters: Parameter[] = [];
  while (!accept(reader, ')')) {
    const parameter = expectName(reader, 'the name of a parameter');
    parameters.push({ name: parameter, fallback: accept(reader, '=') ? readExpression(reader) : null });
    if (accept(reader, ')')) break;
    expect(reader, ',');
  }
  return parameters;
}

const bind = (parsing: Parsing, name: string): void => {
  parsing.bound.at(-1)?.add(name);
};

function scoped<T>(parsing: Parsing, names: readonly string[], read: () => T): T {
  parsing.bound.push(new Set(names));
  const result = read();
  parsing.bound.pop();
  return result;
}
