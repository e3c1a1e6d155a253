import { sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import type { Database } from '#db/client.ts';
import { find, findAll } from '#db/collection.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { ConfigParser, LexRule } from '#db/schemas/golden-config/config-parser.ts';
import { parsers } from '#db/tables/golden-config/configurations.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import { invalid } from '#server/kernel/errors.ts';
import { type ConfigReader, compileParser } from '../parsing/compile-parser.ts';
import { dialectOf } from '../parsing/dialect.ts';
import { noParser } from '../trees/tree-import-check.ts';

/** The source of a reader: the name of a built-in grammar, and optional rules for it. */
export type ParserSource = { template: string; lexRules?: readonly LexRule[] | undefined };

/**
 * Returns the sources of the readers for device types, by device type: the parser of that name, or a built-in grammar under
 * its name in another product (contract/decisions#parser-test). Checks no rights: a caller who may see a tree may use its
 * parser. Types without a parser are left out.
 */
export async function parserSourcesFor(
  db: Database,
  deviceTypes: Iterable<string>,
): Promise<Map<string, ParserSource>> {
  const names = [...new Set(deviceTypes)];
  const stored = await findAll(db, parsers, sql`${parsers.name} = any(${textArray(names)})`);
  const documents = new Map(stored.map(({ doc }) => [doc.name, doc]));
  return new Map(
    names.flatMap((name): [string, ParserSource][] => {
      const source = sourceOf(documents.get(name), name);
      return source ? [[name, source]] : [];
    }),
  );
}

/** Returns the source of one device type's reader; undefined when it no longer has a parser. */
export const parserSourceFor = async (db: Database, deviceType: string): Promise<ParserSource | undefined> =>
  (await parserSourcesFor(db, [deviceType])).get(deviceType);

/** Returns the reader for the configurations of a device type; undefined when it no longer has a parser. */
export async function readerFor(db: Database, deviceType: string): Promise<ConfigReader | undefined> {
  const source = await parserSourceFor(db, deviceType);
  return source && compileParser(source);
}

/**
 * Returns the source of the reader for a device type that a request names.
 *
 * @param path path of the field that names it
 * @throws ServiceError BAD_REQUEST when there is no such parser, or the caller may not see it
 */
export async function parserSourceNamed(
  { db, principal }: ReadContext,
  deviceType: string,
  path: string[],
): Promise<ParserSource> {
  const stored = await find(
    db,
    parsers,
    allOf(sql`${parsers.name} = ${deviceType}`, mayRead(parsers, principal)),
  );
  const source = sourceOf(stored?.doc, deviceType);
  if (!source) throw unknownParser(deviceType, path);
  return source;
}

const unknownParser = (name: string, path: string[]) => invalid(path, noParser(name), 'unknown_parser');

/** Returns the source of a reader: the parser document's, or the built-in grammar of that name. */
export function sourceOf(parser: ConfigParser | undefined, name: string): ParserSource | undefined {
  const template = parser?.template ?? dialectOf(name)?.name;
  return template === undefined ? undefined : { template, lexRules: parser?.lexRules };
}
