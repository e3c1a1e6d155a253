import type { LinePathText } from '#server/platforms/record/platform-rules.ts';

type LinePattern = { words: readonly (readonly string[])[]; ends: boolean };

/** A compiled line path, ready to be matched against lines. */
export type LinePath = { steps: readonly LinePattern[]; anywhere: boolean };

const ANY = '*';
const NUMBER = '#';

/** Compiles a line path. */
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

/** Returns the words of a line; those of a block below it are not included. */
export function lineWords(text: string): string[] {
  const end = text.indexOf('\n');
  return (end === -1 ? text : text.slice(0, end)).split(' ');
}

/**
 * Returns how many words of the last line a line path names; -1 when the path does not match the lines.
 *
 * @param lines words of the lines, outermost first
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
