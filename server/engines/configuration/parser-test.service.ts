import { sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { find } from '#db/collection.ts';
import type { LexRule } from '#db/schemas/config-parser.ts';
import { parsers } from '#db/tables.ts';
import { compileParser, type Reader } from '#server/engines/dialects/compile-parser.ts';
import type { ParsedConfig } from '#server/engines/dialects/config-line.ts';
import { dialectOf } from '#server/engines/dialects/dialect.ts';
import { invalid, notFound, refused, unprocessable } from '#server/errors.ts';
import { rulesOf } from './built-in-parsers.ts';
import { allOf, type Reading } from './documents.service.ts';
import { parserIssues } from './parser-documents.ts';
import { type ParserTest, shownLines } from './parser-test.ts';

/** A parser that is tried before it is stored; its template's rules stand in for its own. */
export type TriedParser = { template?: string | undefined; lexRules?: LexRule[] | undefined };

/** Characters of a text to try a parser on. */
const LONGEST = 10_000_000;

/** How long rules of a person's own may take, and how long they may hold up other requests at a time. */
const MOST_MS = 5_000;
const BREATH_MS = 10;

/**
 * Read a text as a parser would, and show its lines (lifecycle §4.4). Names of built-in grammars in other products do
 * as well (decisions §7).
 *
 * @throws ServiceError BAD_REQUEST for both or none of name and parser, a text too long or with NUL, rules that are
 *   wrong; NOT_FOUND for an unknown name; UNPROCESSABLE_CONTENT when own rules take too long
 */
export async function testParser(
  ctx: Reading,
  { name, parser, text }: { name?: string | undefined; parser?: TriedParser | undefined; text: string },
): Promise<ParserTest> {
  if ((name === undefined) === (parser === undefined)) {
    throw invalid(['name'], 'give the name of a parser or a parser, one of the two');
  }
  if (text.length > LONGEST) throw invalid(['text'], `must be at most ${LONGEST} characters`, 'too_big');
  if (text.includes('\0')) throw invalid(['text'], 'must be text: it holds NUL characters', 'invalid_text');
  const reader = parser ? readerOf(parser) : await readerNamed(ctx, name ?? '');
  return shownLines(await readIn(reader, text));
}

function readerOf(parser: TriedParser): Reader {
  const issues = parserIssues(parser, ['parser']);
  if (issues.length > 0) throw refused(issues);
  const { template } = parser;
  const reader =
    template === undefined ? undefined : compileParser({ ...parser, template }, rulesOf(template));
  if (!reader)
    throw invalid(['parser', 'template'], 'must be the name of a built-in parser', 'unknown_template');
  return reader;
}

async function readerNamed({ db, principal }: Reading, name: string): Promise<Reader> {
  const stored = await find(db, parsers, allOf(sql`${parsers.name} = ${name}`, mayRead(parsers, principal)));
  const template = stored?.doc.template ?? dialectOf(name)?.name;
  const reader = template && compileParser({ lexRules: stored?.doc.lexRules, template }, rulesOf(template));
  if (!reader) throw notFound('Config parser', name);
  return reader;
}

/** Read with pauses in which other requests are answered. */
async function readIn({ reading }: Reader, text: string): Promise<ParsedConfig> {
  const steps = reading(text);
  const begun = performance.now();
  let breathed = begun;
  let step = steps.next();
  while (!step.done) {
    const now = performance.now();
    if (now - begun > MOST_MS)
      throw unprocessable(`These rules take more than ${MOST_MS / 1000} s on this text`);
    if (now - breathed > BREATH_MS) {
      await new Promise(setImmediate);
      breathed = performance.now();
    }
    step = steps.next();
  }
  return step.value;
}
