import {
  accept,
  expect,
  expectName,
  peek,
  readExpression,
  readOr,
  type TokenReader,
  unexpected,
} from './expression.ts';
import { jinjaError } from './jinja-error.ts';
import { type Piece, splitTemplate } from './lexer.ts';
import type { Parameter, Program, Statement } from './syntax.ts';

/** Maximum length of a template, in characters, and maximum nesting depth of its blocks. */
const LONGEST = 1024 * 1024;
const DEEPEST = 50;

/** Names that the language defines, which a template may use without a variable. */
const OWN_NAMES = ['range', 'namespace', 'dict'];

type Parsing = {
  text: string;
  pieces: Piece[];
  at: number;
  depth: number;
  reads: Set<string>;
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
    bound: [new Set(OWN_NAMES)],
  };
  const body = readBody(parsing);
  const stray = parsing.pieces[parsing.at];
  if (stray && stray.kind !== 'text') throw jinjaError(text, stray.at, `unexpected ${wordOf(stray)}`);
  return { text, body, reads: parsing.reads };
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

const END_WORDS = new Set(['else', 'elif', 'endif', 'endfor', 'endset', 'endmacro']);

function readerOf(parsing: Parsing, { tokens }: Tag): TokenReader {
  const onName = (name: string) => {
    if (!parsing.bound.some((names) => names.has(name))) parsing.reads.add(name);
  };
  return { text: parsing.text, tokens, at: 0, depth: 0, onName };
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

const UNSUPPORTED_TAGS = new Set([
  'include',
  'import',
  'from',
  'extends',
  'block',
  'call',
  'filter',
  'do',
  'with',
  'autoescape',
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
  if (UNSUPPORTED_TAGS.has(word)) throw jinjaError(parsing.text, tag.at, `the tag ${word} is not supported`);
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
  const parenthesised = accept(reader, '(');
  const targets = [expectName(reader, 'the name of a loop variable')];
  while (accept(reader, ',')) targets.push(expectName(reader, 'the name of a loop variable'));
  if (parenthesised) expect(reader, ')');
  expect(reader, 'in');
  const over = readOr(reader);
  const names = [...targets, 'loop'];
  const filter = accept(reader, 'if') ? scoped(parsing, names, () => readExpression(reader)) : null;
  assertRead(reader);
  const body = scoped(parsing, names, () => readBody(parsing));
  let otherwise: Statement[] = [];
  let end = endOf(parsing, tag, ['else', 'endfor']);
  if (end.word === 'else') {
    otherwise = scoped(parsing, [], () => readBody(parsing));
    end = endOf(parsing, tag, ['endfor']);
  }
  return { kind: 'for', targets, over, filter, body, otherwise, at: tag.at };
}

function readSet(parsing: Parsing, tag: Tag, reader: TokenReader): Statement {
  const name = expectName(reader, 'the name of a variable');
  const member = accept(reader, '.') ? expectName(reader, 'the name of an attribute') : null;
  if (member !== null) reader.onName(name);
  if (!accept(reader, '=')) {
    if (member !== null) throw unexpected(reader, 'expected =');
    assertRead(reader);
    const body = readBody(parsing);
    endOf(parsing, tag, ['endset']);
    bind(parsing, name);
    return { kind: 'capture', name, body, at: tag.at };
  }
  const value = readExpression(reader);
  assertRead(reader);
  if (member === null) bind(parsing, name);
  return { kind: 'set', target: { name, member }, value, at: tag.at };
}

function readMacro(parsing: Parsing, tag: Tag, reader: TokenReader): Statement {
  const name = expectName(reader, 'the name of the macro');
  const parameters: Parameter[] = [];
  expect(reader, '(');
  while (!accept(reader, ')')) {
    const parameter = expectName(reader, 'the name of a parameter');
    parameters.push({ name: parameter, fallback: accept(reader, '=') ? readExpression(reader) : null });
    if (accept(reader, ')')) break;
    expect(reader, ',');
  }
  assertRead(reader);
  bind(parsing, name);
  const names = parameters.map((parameter) => parameter.name);
  const body = scoped(parsing, names, () => readBody(parsing));
  endOf(parsing, tag, ['endmacro']);
  return { kind: 'macro', name, parameters, body, at: tag.at };
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
