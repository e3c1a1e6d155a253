import type { LinePathText } from '#server/platforms/record/platform-rules.ts';

type LinePattern = { words: readonly (readonly string[])[]; ends: boolean };

/** A line path made ready to be held against lines. */
export type LinePath = { steps: readonly LinePattern[]; anywhere: boolean };

const ANY = '*';
const NUMBER = '#';

/** Read a line path. */
export function linePath(text: LinePathText): LinePath {
  const steps = text.split(' > ');
  const anywhere = steps[0] === '**';
  return { steps: (anywhere ? steps.slice(1) : steps).map(patternOf), anywhere };
}

function patternOf(text: string): LinePattern {
  const ends = text.endsWith('$');
  const words = (ends ? text.slice(0, -1) : text).split(' ').filter((word) => word !== '');
  return { words: words.map((word) => word.split('|')), ends };
}

/** The words of a line, blanks between them lost; those of a line with a block below it are those of its own. */
export function lineWords(text: string): string[] {
  const end = text.indexOf('\n');
  return (end === -1 ? text : text.slice(0, end)).split(' ');
}

/**
 * How many words of the last of some lines a line path tells; -1 where it does not tell of them.
 *
 * @param lines words of the lines from the outermost on
 */
export function matchedWords({ steps, anywhere }: LinePath, lines: readonly (readonly string[])[]): number {
  const above = lines.length - steps.length;
  if (above < 0 || (above > 0 && !anywhere)) return -1;
  for (let at = steps.length - 1; at >= 0; at--) {
    const step = steps[at];
    const words = lines[above + at];
    if (!step || !words || !matches(step, words)) return -1;
  }
  return steps.at(-1)?.words.length ?? -1;
}

function matches({ words: wanted, ends }: LinePattern, words: readonly string[]): boolean {
  if (words.length < wanted.length || (ends && words.length > wanted.length)) return false;
  return wanted.every((either, at) => {
    const word = words[at] ?? '';
    return either.some((one) => one === word || one === ANY || (one === NUMBER && isNumber(word)));
  });
}

function isNumber(word: string): boolean {
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    if (code < 48 || code > 57) return false;
  }
  return word.length > 0;
}
