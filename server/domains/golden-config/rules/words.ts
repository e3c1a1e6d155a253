import type { Word } from '#db/schemas/golden-config/config-spec.ts';
import { literalExpression } from '#server/kernel/text/literal-expression.ts';
import { QUOTE, SPACE } from '../parsing/characters.ts';
import type { Dialect } from '../parsing/dialect.ts';
import { closingQuote } from '../parsing/source.ts';
import { CLOSE, OPEN } from './marks.ts';

/** Returns the first word of a line. */
export function firstWordOf(text: string): string {
  const end = text.indexOf(' ');
  return end === -1 ? text : text.slice(0, end);
}

/**
 * Splits a configuration line into words at single spaces; quoted text is one word where the dialect has texts of several
 * lines. A block of several lines is one word. Joined by spaces, the words are the line again.
 */
export function splitWords(text: string, dialect: Dialect): string[] {
  if (text.includes('\n')) return [text];
  if (!dialect.multilineQuotes || !text.includes('"')) return text.split(' ');
  const words: string[] = [];
  let begun = 0;
  let quotes = true;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === SPACE) {
      words.push(text.slice(begun, at));
      begun = at + 1;
    } else if (code === QUOTE && quotes) {
      const close = closingQuote(text, at + 1, text.length);
      // If one quote has no closing quote, no later one has.
      if (close === -1) quotes = false;
      else at = close;
    }
  }
  words.push(text.slice(begun));
  return words;
}

const EXPRESSION = new RegExp(`${OPEN}(\\d+)${CLOSE}`, 'g');

/** Returns the typed words of an unmarked template's line; an expression next to text becomes one expression for both. */
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
      .map((piece, at) => (at % 2 === 0 ? literalExpression(piece) : `(?:${sourceOf(piece)})`))
      .join('');
    return { type: 'regex', value };
  });
}

const WHOLE = new RegExp(`^${OPEN}(\\d+)${CLOSE}$`);

/** Returns a rule's words as shown in messages: expressions between slashes, variables in braces. */
export const shownWords = (words: readonly Word[]): string =>
  words
    .map(({ type, value }) => {
      if (type === 'literal') return value;
      return type === 'regex' ? `/${value}/` : `{{ ${value} }}`;
    })
    .join(' ');

/** Returns a rule's words as one key: equal words of equal types have equal keys. */
export const wordsKey = (words: readonly Word[]): string =>
  words
    .map(({ type, value }) => (type === 'literal' ? value : `${OPEN}${type}${CLOSE}${value}${OPEN}`))
    .join(' ');
