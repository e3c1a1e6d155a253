import { compileExpression } from '#server/kernel/documents/list-filter.ts';

/** Longest part of a line in an answer, in characters. */
export const LONGEST_SHOWN = 1000;
/** Longest expression, and most steps of its program: the time is at most their product with the text. */
const BOUNDS = { longest: 500, steps: 1000 };

/** Texts to search, and how many lines to return at most. */
export type LineSearch = { regex: string; texts: readonly string[]; most: number };

/** A line that matches: its number, from 1, and its text. */
export type FoundLine = [line: number, text: string];

/** Compiles the expression of a search for lines. @throws PatternError */
export const compileLineSearch = (regex: string) => compileExpression(regex, BOUNDS);

/**
 * Returns the lines of each text that an expression matches, in time linear to the texts.
 *
 * @returns for each text its lines, in order; fewer once the limit is reached
 */
export function findLines({ regex, texts, most }: LineSearch): FoundLine[][] {
  const expression = compileLineSearch(regex);
  let left = most;
  return texts.map((text) => {
    const found: FoundLine[] = [];
    let line = 0;
    for (const content of text.split(/\r?\n/)) {
      line += 1;
      if (left === 0) break;
      if (!expression.test(content)) continue;
      found.push([line, content.slice(0, LONGEST_SHOWN)]);
      left -= 1;
    }
    return found;
  });
}
