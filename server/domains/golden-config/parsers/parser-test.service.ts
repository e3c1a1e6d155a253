import { sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { find } from '#db/collection.ts';
import type { ParserTestRequest } from '#db/schemas/golden-config/config-parser.ts';
import { parsers } from '#db/tables/golden-config/configurations.ts';
import { calculateText } from '#server/kernel/calculations/calculation-pool.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import { invalid, invalidRequest, notFound, unprocessable } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { dialectOf } from '../parsing/dialect.ts';
import { parserIssues } from './parser-documents.ts';
import { type ParserTest, triedParser } from './parser-test.ts';
import { type ParserSource, sourceOf } from './readers.service.ts';

/** Longest text to test a parser with, in characters. */
const LONGEST = 10_000_000;

/** Longest text in characters that a built-in grammar reads on the event loop. */
const MOST_AT_ONCE = 20_000;

/**
 * Parses a text with a parser and returns its lines (contract/lifecycle#4.4). Names that other products use for built-in
 * grammars are accepted as well (contract/decisions#parser-test).
 *
 * @param name name of a stored or built-in parser
 * @param parser a parser that is not stored, in place of a name
 * @param text configuration to parse
 * @throws ServiceError BAD_REQUEST for both or none of name and parser, a text that is too long or contains NUL, or invalid
 *   rules; NOT_FOUND for an unknown name; UNPROCESSABLE_CONTENT when it takes too long or too much memory;
 *   TOO_MANY_REQUESTS
 */
export async function testParser(
  ctx: ReadContext,
  { name, parser, text }: ParserTestRequest,
): Promise<ParserTest | JsonText<ParserTest>> {
  if ((name === undefined) === (parser === undefined)) {
    throw invalid(['name'], 'set either name or parser');
  }
  if (text.length > LONGEST) throw invalid(['text'], `must be at most ${LONGEST} characters`, 'too_big');
  if (text.includes('\0')) throw invalid(['text'], 'must be text without NUL characters', 'invalid_text');
  const source = parser ? sourceOfTried(parser) : await sourceNamed(ctx, name ?? '');
  const request = { source, text };
  if (source.lexRules === undefined && text.length <= MOST_AT_ONCE) return triedParser(request);
  const resultText = await calculateText('test of a parser', request, (reason) =>
    unprocessable(`Parsing this text ${reason}`),
  );
  return json(resultText);
}

function sourceOfTried(parser: NonNullable<ParserTestRequest['parser']>): ParserSource {
  const issues = parserIssues(parser, ['parser']);
  if (issues.length > 0) throw invalidRequest(issues);
  const { template } = parser;
  if (template === undefined || !dialectOf(template))
    throw invalid(['parser', 'template'], 'must be the name of a built-in parser', 'unknown_template');
  return { ...parser, template };
}

async function sourceNamed({ db, principal }: ReadContext, name: string): Promise<ParserSource> {
  const stored = await find(db, parsers, allOf(sql`${parsers.name} = ${name}`, mayRead(parsers, principal)));
  const source = sourceOf(stored?.doc, name);
  if (!source || !dialectOf(source.template)) throw notFound('Config parser', name);
  return source;
}
