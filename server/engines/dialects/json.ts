import type { ConfigLine, ParsedConfig } from './config-line.ts';
import { closingQuote, isBlank } from './source.ts';

/**
 * Read JSON as lines: a member is its name and value, a member that holds an object or array is a line with lines
 * below it, and one without a name has no words. Commas end lines, colons part words. Odd text is read by the same
 * rules, whether it is JSON or not.
 */
export function readJson(text: string): ParsedConfig {
  const parsed: ParsedConfig = { lines: [], warnings: [], braces: true };
  let open = null as ConfigLine | null;
  let words: string[] = [];
  let line = 1;
  let begun = 1;
  let quoted = true;
  const add = (): ConfigLine => {
    const node: ConfigLine = {
      text: words.join(' '),
      line: words.length > 0 ? begun : line,
      indent: 0,
      parent: open,
      children: [],
    };
    (open?.children ?? parsed.lines).push(node);
    words = [];
    return node;
  };
  const word = (from: number, to: number) => {
    if (words.length === 0) begun = line;
    words.push(text.slice(from, to));
    return to;
  };
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 10) line++;
    if (code === 10 || isBlank(code) || code === COLON) at++;
    else if (code === COMMA) {
      if (words.length > 0) add();
      at++;
    } else if (code === 123 || code === 91) {
      open = add();
      at++;
    } else if (code === 125 || code === 93) {
      if (words.length > 0) add();
      if (!open) parsed.warnings.push({ line, reason: 'the bracket closes nothing' });
      else open.end = text.charAt(at);
      open = open?.parent ?? null;
      at++;
    } else if (code === 34 && quoted) {
      const close = closingQuote(text, at + 1, text.length);
      if (close !== -1) {
        const from = at;
        at = word(from, close + 1);
        for (let one = text.indexOf('\n', from); one !== -1 && one < close; one = text.indexOf('\n', one + 1))
          line++;
      } else {
        quoted = false;
        parsed.warnings.push({ line, reason: 'a quote is not closed' });
      }
    } else at = word(at, endOfWord(text, at));
  }
  if (words.length > 0) add();
  if (open) parsed.warnings.push({ line: open.line, reason: 'the bracket is not closed' });
  return parsed;
}

const COMMA = 44;
const COLON = 58;

function endOfWord(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 10 || isBlank(code) || '{}[],:"'.includes(text.charAt(at))) return at;
    at++;
  }
  return at;
}
