import type { Dialect } from '#server/platforms/record/grammar.ts';
import { readBraced } from '../dialects/brace.ts';
import { readIndented } from '../dialects/indent.ts';
import { readJson } from '../dialects/json.ts';
import { readKeywords } from '../dialects/keyword.ts';
import type { ParsedConfig } from './config-line.ts';
import { oneStandsAt } from './plan.ts';
import { nextLine, sourceOf, withLineFeeds } from './source.ts';

/**
 * Read a configuration as a tree of its lines, in one pass, in time linear to the text. No text makes it throw: what
 * it cannot make sense of stays as a flat line, told by a warning. Strings of the result are views of the text; see
 * `flat` for those that outlive it.
 *
 * @see contract/engines#parsing
 */
export function parseConfig(given: string, dialect: Dialect): ParsedConfig {
  if (dialect.name === 'json') return readJson(given);
  const text = withLineFeeds(given);
  if (dialect.structure === 'keyword') return readKeywords(text, dialect);
  if (dialect.structure === 'brace' || (dialect.orBraces && beginsWithBrace(text, dialect))) {
    return readBraced(text, dialect);
  }
  return readIndented(text, dialect);
}

/** Lines that are looked at to find out whether a text nests between braces. */
const FIRST_LINES = 8;

/** Whether the first line that is no comment opens a brace, or two of the first lines do: damage may have cut one. */
function beginsWithBrace(text: string, { comments }: Dialect): boolean {
  const source = sourceOf(text);
  let opening = 0;
  for (let count = 0; count < FIRST_LINES && nextLine(source); ) {
    const { from, to } = source;
    if (from === to || oneStandsAt(comments, text, from, to)) continue;
    if (text.charCodeAt(to - 1) === 123) opening++;
    if (opening === 2 || (opening === 1 && count === 0)) return true;
    count++;
  }
  return false;
}
