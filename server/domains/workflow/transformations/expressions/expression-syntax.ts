import { StepFailed } from './step-failed.ts';

/** A JavaScript regular expression, translated to RE2 with the same groups and meaning. */
export type Translated = { source: string; names: (string | null)[] };

type SyntaxReader = { text: string; at: number; flags: string; names: (string | null)[]; groups: number };

const NOT_NEWLINE = '[^\\n\\r\\x{2028}\\x{2029}]';
const ANYTHING = '[\\x{0}-\\x{10FFFF}]';
const NOTHING = '[^\\x{0}-\\x{10FFFF}]';
const BLANKS =
  '\\t\\n\\v\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NOT_BLANKS =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10FFFF}';

/** The contents of the character classes. */
const CLASSES: Readonly<Record<string, string>> = {
  d: '0-9',
  D: '\\x{0}-/:-\\x{10FFFF}',
  w: '0-9A-Za-z_',
  W: '\\x{0}-/:-@\\[-\\^`{-\\x{10FFFF}',
  s: BLANKS,
  S: NOT_BLANKS,
};

const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

/**
 * Translates a JavaScript regular expression to RE2.
 *
 * @throws StepFailed for invalid JavaScript expressions, and for look-aheads and back-references
 */
export function translate(text: string, flags: string): Translated {
  const reader: SyntaxReader = { text, at: 0, flags, names: [null], groups: countGroups(text) };
  let source = `${flags.includes('i') ? '(?i)' : ''}${flags.includes('m') ? '(?m)' : ''}`;
  while (reader.at < text.length) source += piece(reader);
  return { source, names: reader.names };
}

const syntaxError = ({ text }: SyntaxReader, reason: string) =>
  new StepFailed(`the expression ${text.slice(0, 60)} is rejected: ${reason}`);

/** Returns the number of groups to which a back-reference could refer. */
const countGroups = (text: string): number =>
  [...text.matchAll(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]?|\((?!\?)|\(\?<(?![=!])/g)].filter(([one]) =>
    one.startsWith('('),
  ).length;

function piece(reader: SyntaxReader): string {
  const { text, at, flags } = reader;
  const next = charAt(reader);
  if (next === '\\') return escaped(reader, false).text;
  if (next === '[') return charClass(reader);
  if (next === '(') return group(reader);
  reader.at += next.length;
  if (next === '.') return flags.includes('s') ? ANYTHING : NOT_NEWLINE;
  if (next === '{') {
    const [count] = /^\{\d+(?:,\d*)?\}/.exec(text.slice(at, at + 30)) ?? [];
    if (count === undefined) return '\\{';
    reader.at = at + count.length;
    return count;
  }
  return '^$|)*+?'.includes(next) ? next : quoted(next);
}

/** Returns a whole character, also when it takes two UTF-16 units. */
function charAt({ text, at }: SyntaxReader): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

const quoted = (char: string): string =>
  /^[A-Za-z0-9 _]$/.test(char) ? char : coded(char.codePointAt(0) ?? 0);
const coded = (point: number): string => `\\x{${point.toString(16)}}`;

function group(reader: SyntaxReader): string {
  const rest = reader.text.slice(reader.at, reader.at + 200);
  const [head, name] = /^\(\?<([\p{L}_$][\p{L}\p{N}_$]*)>|^\((?!\?)|^\(\?(?::|<?[=!])/u.exec(rest) ?? [];
  if (head === undefined) throw syntaxError(reader, 'invalid group');
  reader.at += head.length;
  if (head !== '(' && name === undefined) return head;
  reader.names.push(name ?? null);
  return '(';
}

/** `code`: the character that an escape denotes; null when it denotes several, or a position. */
type Escaped = { text: string; code: number | null };

function escaped(reader: SyntaxReader, inClass: boolean): Escaped {
  const { text, at } = reader;
  const char = text[at + 1];
  if (char === undefined) throw syntaxError(reader, '\\ at end of pattern');
  reader.at = at + 2;
  const many = CLASSES[char];
  if (many !== undefined) return { text: inClass ? many : `[${many}]`, code: null };
  if ((char === 'b' || char === 'B') && !inClass) return { text: `\\${char}`, code: null };
  if (/[pP]/.test(char) && /[uv]/.test(reader.flags)) return property(reader, char);
  const code = codeOf(reader, char, inClass);
  return { text: coded(code), code };
}

function property(reader: SyntaxReader, letter: string): Escaped {
  const [all, value] = /^\{(?:\w+=)?(\w+)\}/.exec(reader.text.slice(reader.at, reader.at + 60)) ?? [];
  if (all === undefined) throw syntaxError(reader, 'invalid property name');
  reader.at += all.length;
  return { text: `\\${letter}{${value}}`, code: null };
}

/** Reads what follows an escape. @returns the first group of the pattern, or all of it; null: it does not match */
function take(reader: SyntaxReader, pattern: RegExp): string | null {
  const { text, at } = reader;
  const [all, digits] = pattern.exec(text.slice(at, at + 12)) ?? [];
  if (all === undefined) return null;
  reader.at = at + all.length;
  return digits ?? all;
}

function codeOf(reader: SyntaxReader, char: string, inClass: boolean): number {
  const { text, at } = reader;
  const control = CONTROLS[char];
  if (control !== undefined) return control;
  if (char === 'b') return 8;
  if (char === 'x') return hexCode(take(reader, /^[\da-fA-F]{2}/), char);
  if (char === 'u') return unicodeCode(reader, char);
  if (char === 'c') {
    const letter = take(reader, /^[A-Za-z]/);
    if (letter !== null) return letter.charCodeAt(0) % 32;
    reader.at = at - 1;
    return 92;
  }
  if (/[0-9]/.test(char)) return digitCode(reader, char, inClass);
  if (char === 'k' && !inClass && /\(\?<[^=!]/.test(text)) {
    throw syntaxError(reader, 'back-references are not supported');
  }
  const whole = text.codePointAt(at - 1) ?? 0;
  reader.at = at - 1 + String.fromCodePoint(whole).length;
  return whole;
}

/** Returns the character of hexadecimal digits; without any, the escape denotes its own letter. */
const hexCode = (digits: string | null, letter: string): number =>
  digits === null ? letter.charCodeAt(0) : Number.parseInt(digits, 16);

/** Parses `\uD83D\uDE00`, `\u{1F600}` in the modes u and v, and `\u2603`. */
function unicodeCode(reader: SyntaxReader, letter: string): number {
  const pair = take(reader, /^[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/);
  if (pair !== null) {
    const [high = 0, low = 0] = pair.split('\\u').map((one) => Number.parseInt(one, 16));
    return String.fromCharCode(high, low).codePointAt(0) ?? 0;
  }
  const long = /[uv]/.test(reader.flags) ? take(reader, /^\{([\da-fA-F]{1,6})\}/) : null;
  return hexCode(long ?? take(reader, /^[\da-fA-F]{4}/), letter);
}

/** Parses `\0` and legacy octal escapes. @throws StepFailed for a back-reference: a number up to the count of groups */
function digitCode(reader: SyntaxReader, char: string, inClass: boolean): number {
  const { text, at } = reader;
  const digits = /^\d+/.exec(text.slice(at - 1, at + 3))?.[0] ?? char;
  if (!inClass && char !== '0' && Number(digits) <= reader.groups) {
    throw syntaxError(reader, 'back-references are not supported');
  }
  const octal = /^(?:[0-3][0-7]{0,2}|[4-7][0-7]?)/.exec(text.slice(at - 1, at + 2))?.[0];
  if (octal === undefined) return char.charCodeAt(0);
  reader.at = at - 1 + octal.length;
  return Number.parseInt(octal, 8);
}

function charClass(reader: SyntaxReader): string {
  const { text } = reader;
  reader.at++;
  const negated = text[reader.at] === '^';
  if (negated) reader.at++;
  let inside = '';
  while (text[reader.at] !== ']') {
    const first = classPiece(reader);
    const isRange = text[reader.at] === '-' && text[reader.at + 1] !== ']' && reader.at + 1 < text.length;
    if (!isRange) {
      inside += first.text;
      continue;
    }
    reader.at++;
    const last = classPiece(reader);
    if (first.code === null || last.code === null) inside += `${first.text}${coded(45)}${last.text}`;
    else if (first.code > last.code) throw syntaxError(reader, 'range out of order in character class');
    else inside += `${first.text}-${last.text}`;
  }
  reader.at++;
  if (inside === '') return negated ? ANYTHING : NOTHING;
  return `[${negated ? '^' : ''}${inside}]`;
}

function classPiece(reader: SyntaxReader): Escaped {
  if (reader.at >= reader.text.length) throw syntaxError(reader, 'missing closing ]');
  if (reader.text[reader.at] === '\\') return escaped(reader, true);
  const char = charAt(reader);
  reader.at += char.length;
  return { text: coded(char.codePointAt(0) ?? 0), code: char.codePointAt(0) ?? 0 };
}
