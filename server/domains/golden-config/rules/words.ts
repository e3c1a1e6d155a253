import type { Word } from '#db/schemas/golden-config/config-spec.ts';
import type { Dialect } from '../parsing/dialect.ts';
import { closingQuote } from '../parsing/source.ts';
import { CLOSE, OPEN } from './marks.ts';

/** A text as an expression that matches just that. */
export const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** The first word of a line. */
export function firstWordOf(text: string): string {
  const end = text.indexOf(' ');
  return end === -1 ? text : text.slice(0, end);
}

/**
 * The words of a configuration line: parted by single spaces, a text in quotes being one where the dialect has texts
 * that go on over lines. A block of several lines is one word. Joined by spaces they are the line again.
 */
export function splitWords(text: string, dialect: Dialect): string[] {
  if (text.includes('\n')) return [text];
  if (!dialect.multilineQuotes || !text.includes('"')) return text.split(' ');
  const words: string[] = [];
  let begun = 0;
  let quotes = true;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 32) {
      words.push(text.slice(begun, at));
      begun = at + 1;
    } else if (code === 34 && quotes) {
      const close = closingQuote(text, at + 1, text.length);
      // What one quote does not find, none behind it would.
      if (close === -1) quotes = false;
      else at = close;
    }
  }
  words.push(text.slice(begun));
  return words;
}

const EXPRESSION = new RegExp(`${OPEN}(\\d+)${CLOSE}`, 'g');

/** The typed words of a line of an unmarked template; an expression with text beside it becomes one with both. */
export function typedWords(
  text: string,
  expressions: readonly { source: string }[],
  dialect: Dialect,
): Word[] {
  const sourceOf = (number: string | undefined) => expressions[Number(number)]?.source ?? '';
  return splitWords(text, dialect).map((word): Word => {
    if (!word.includes(OPEN)) return { type: 'literal', value: word };
    const whole = WHOLE.exec(word);
    if (whole) return { type: 'regex', value: sourceOf(whole[1]) };
    const pieces = word.split(EXPRESSION);
    const value = pieces
      .map((piece, at) => (at % 2 === 0 ? escaped(piece) : `(?:${sourceOf(piece)})`))
      .join('');
    return { type: 'regex', value };
  });
}

const WHOLE = new RegExp(`^${OPEN}(\\d+)${CLOSE}$`);

/** A rule's words as messages show them: expressions between slashes, variables in braces. */
export const shownWords = (words: readonly Word[]): string =>
  words
    .map(({ type, value }) => {
      if (type === 'literal') return value;
      return type === 'regex' ? `/${value}/` : `{{ ${value} }}`;
    })
    .join(' ');

/** A rule's words as one text that tells rules apart: the same words of the same types give the same. */
export const wordsKey = (words: readonly Word[]): string =>
  words
    .map(({ type, value }) => (type === 'literal' ? value : `${OPEN}${type}${CLOSE}${value}${OPEN}`))
    .join(' ');
