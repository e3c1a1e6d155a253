import type { Dialect } from '#server/platforms/record/grammar.ts';
import { readBraced } from '../dialects/brace.ts';
import { readIndented } from '../dialects/indent.ts';
import { readJson } from '../dialects/json.ts';
import { readKeywords } from '../dialects/keyword.ts';
import { readXml } from '../dialects/xml.ts';
import { OPEN_BRACE } from './characters.ts';
import type { ParsedConfig } from './config-line.ts';
import { indentFlushSections } from './flush-sections.ts';
import { oneStandsAt } from './plan.ts';
import { nextLine, sourceOf, withLineFeeds } from './source.ts';

/**
 * Parses a configuration into a tree of lines, in linear time: one pass, and a second one for damaged text. Never throws:
 * a line that cannot be interpreted stays flat, with a warning. Strings of the result are slices of the text; use `flat`
 * for those that outlive it.
 *
 * @see contract/engines#parsing
 */
export function parseConfig(given: string, dialect: Dialect): ParsedConfig {
  if (dialect.name === 'json') return readJson(given);
  const text = withLineFeeds(given);
  if (dialect.structure === 'tags') return readXml(text);
  if (dialect.structure === 'keyword') return readKeywords(text, dialect);
  if (dialect.structure === 'brace' || (dialect.orBraces && beginsWithBrace(text, dialect))) {
    return readBraced(text, dialect);
  }
  const flush = indentFlushSections(text, dialect);
  const parsed = readIndented(flush.text, dialect);
  return { ...parsed, warnings: [...flush.warnings, ...parsed.warnings] };
}

/** Number of lines, comments aside, that are checked to decide whether a text nests by braces. */
const FIRST_LINES = 8;

/** Returns whether the first line that is not a comment opens a brace, or two of the first lines do: one may be damaged. */
function beginsWithBrace(text: string, { comments }: Dialect): boolean {
  const source = sourceOf(text);
  let opening = 0;
  for (let count = 0; count < FIRST_LINES && nextLine(source); ) {
    const { from, to } = source;
    if (from === to || oneStandsAt(comments, text, from, to)) continue;
    if (text.charCodeAt(to - 1) === OPEN_BRACE) opening++;
    if (opening === 2 || (opening === 1 && count === 0)) return true;
    count++;
  }
  return false;
}
