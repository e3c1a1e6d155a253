import { sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import type { Database } from '#db/client.ts';
import { find } from '#db/collection.ts';
import { parsers } from '#db/tables.ts';
import { compileParser, type Reader } from '#server/engines/dialects/compile-parser.ts';
import { dialectOf } from '#server/engines/dialects/dialect.ts';
import { invalid } from '#server/errors.ts';
import { rulesOf } from './built-in-parsers.ts';
import { allOf, type Reading } from './documents.service.ts';

/**
 * What reads the configurations of a device type: the parser of that name, or a built-in grammar under the name that
 * another product gives it (decisions §7). Who may see the tree may have it read.
 *
 * @returns undefined when there is none any more
 */
export async function readerFor(db: Database, deviceType: string): Promise<Reader | undefined> {
  return readerOf(await find(db, parsers, sql`${parsers.name} = ${deviceType}`), deviceType);
}

/**
 * What reads configurations of a device type that the caller names.
 *
 * @param path the member that names it
 * @throws ServiceError BAD_REQUEST when there is no such parser, or the caller may not see it
 */
export async function readerNamed(
  { db, principal }: Reading,
  deviceType: string,
  path: string[],
): Promise<Reader> {
  const stored = await find(
    db,
    parsers,
    allOf(sql`${parsers.name} = ${deviceType}`, mayRead(parsers, principal)),
  );
  const reader = readerOf(stored, deviceType);
  if (!reader) throw invalid(path, `no parser has the name ${deviceType.slice(0, 100)}`, 'unknown_parser');
  return reader;
}

function readerOf(
  stored: Awaited<ReturnType<typeof find<(typeof parsers)['doc']['_']['data']>>>,
  name: string,
): Reader | undefined {
  const template = stored?.doc.template ?? dialectOf(name)?.name;
  return template === undefined
    ? undefined
    : compileParser({ lexRules: stored?.doc.lexRules, template }, rulesOf(template));
}
