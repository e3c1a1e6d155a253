import { Lexer, Parser, parse } from 'yaml';

/** Deepest nesting that is read: a little more than what can be stored (server/kernel/validation/input-sanity.ts). */
const DEEPEST = 250;

/**
 * Parses a text as YAML. Tags that are not known, such as `!vault`, are left out without a warning.
 *
 * @param text of any length; its levels are counted first, because the parser calls itself for each: a few kilobytes would exhaust
 *   the stack, which ends the whole process where it happens while a regular expression is compiled
 * @param mostAliases how many aliases may stand for one part: each is a copy of it
 * @param merge whether `<<` adds the properties of another object, as in YAML 1.1
 * @returns what it describes: objects, lists and scalars
 * @throws Error whose message says what is wrong with the text
 */
export function parseYaml(
  text: string,
  mostAliases: number,
  { merge = false }: { merge?: boolean } = {},
): unknown {
  assertShallow(text);
  return parse(text, { maxAliasCount: mostAliases, logLevel: 'error', merge });
}

function assertShallow(text: string): void {
  const parser = new Parser();
  for (const token of new Lexer().lex(text)) {
    // Parts that have ended are removed: the depth is the number of those that are still open.
    for (const _ of parser.next(token));
    if (parser.stack.length > DEEPEST) throw new Error(`is nested more than ${DEEPEST} levels deep`);
  }
}
