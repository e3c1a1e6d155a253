import { CST, Lexer, Parser, parse } from 'yaml';

/** Deepest nesting that is read: a little more than what can be stored (server/kernel/validation/input-sanity.ts). */
const DEEPEST = 250;

/**
 * Parses a text as YAML. Tags that are not known, such as `!vault`, are left out without a warning.
 *
 * @param text of any length; its levels are counted first, because the parser calls itself for each: a few kilobytes would exhaust
 *   the stack, which ends the whole process where it happens while a regular expression is compiled
 * @param mostAliases how often one part may be there, its own place included: each alias is a copy of it
 * @param merge whether `<<` adds the properties of another object, as in YAML 1.1
 * @returns what it describes: objects, lists and scalars
 * @throws Error whose message says what is wrong with the text
 */
export function parseYaml(
  text: string,
  mostAliases: number,
  { merge = false }: { merge?: boolean } = {},
): unknown {
  assertHarmless(text, mostAliases);
  return parse(text, { maxAliasCount: mostAliases, logLevel: 'error', merge });
}

/** Counts levels and aliases, before anything is built: a million aliases take the parser itself many seconds. */
function assertHarmless(text: string, mostAliases: number): void {
  const parser = new Parser();
  const aliases = new Map<string, number>();
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    // Parts that have ended are removed: the depth is the number of those that are still open.
    for (const _ of parser.next(token));
    if (parser.stack.length > DEEPEST) throw new Error(`is nested more than ${DEEPEST} levels deep`);
    const name = token.slice(1);
    // The same name may stand for another part later.
    if (!isScalar && token.startsWith('&')) aliases.delete(name);
    if (!isScalar && token.startsWith('*')) {
      const count = (aliases.get(name) ?? 0) + 1;
      if (count >= mostAliases) throw new Error(`has ${mostAliases} aliases of one part or more, *${name}`);
      aliases.set(name, count);
    }
    isScalar = token === CST.SCALAR;
  }
}
