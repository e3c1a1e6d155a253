import { compileParser } from '../parsing/compile-parser.ts';
import type { ParsedConfig, ParseWarning } from '../parsing/config-line.ts';
import { wordsOf } from '../parsing/source.ts';
import { visits } from '../parsing/visits.ts';
import type { ParserSource } from './readers.service.ts';

/** A line in the result of a parser test. */
export type ShownLine = { words: string[]; children: ShownLine[] };

/** The result of a parser test (contract/lifecycle#4.4, contract/decisions#parser-test). */
export type ParserTest = { lines: ShownLine[]; warnings: ParseWarning[] };

/** Maximum nesting of the result: clients do not accept JSON of unbounded depth. */
const MOST_LEVELS = 100;

/** A text and the source of the parser that reads it. */
export type ParserTrial = { source: ParserSource; text: string };

/** Returns the lines and warnings of a text as the parser reads it. @throws Error for a parser that does not exist */
export function triedParser({ source, text }: ParserTrial): ParserTest {
  const reader = compileParser(source);
  if (!reader) throw new Error(`parser template ${source.template} does not exist`);
  return shownLines(reader.read(text));
}

/** Returns the lines of a configuration as words; a block of several lines is one word. */
function shownLines({ lines, warnings }: ParsedConfig): ParserTest {
  const shown: ShownLine[] = [];
  const allWarnings = [...warnings];
  const levels: ShownLine[][] = [shown];
  let deep = false;
  for (const { line, depth, leaving } of visits(lines)) {
    if (leaving) continue;
    const level = Math.min(depth, MOST_LEVELS - 1);
    if (depth > level && !deep) {
      deep = true;
      allWarnings.push({
        line: line.line,
        reason: `more than ${MOST_LEVELS} levels deep: shown at the deepest level`,
      });
    }
    const one: ShownLine = { words: line.block ? [line.text] : wordsOf(line.text), children: [] };
    levels[level]?.push(one);
    levels[level + 1] = one.children;
  }
  return { lines: shown, warnings: allWarnings.sort((one, other) => one.line - other.line) };
}
