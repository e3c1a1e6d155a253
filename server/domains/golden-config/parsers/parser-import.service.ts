import { isDeepStrictEqual } from 'node:util';
import { sql } from 'drizzle-orm';
import { acquireLock, type Database, inTransaction } from '#db/client.ts';
import { findAll, insertMany, replace } from '#db/collection.ts';
import { isOneOf } from '#db/expressions.ts';
import { newId } from '#db/ids.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { ConfigParser } from '#db/schemas/golden-config/config-parser.ts';
import { parsers } from '#db/tables/golden-config/configurations.ts';
import { type GroupWarning, importDocuments } from '#server/domains/identity/index.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import type { Placement } from '#server/kernel/documents/import-placement.service.ts';
import { treeNameFault } from '#server/kernel/documents/names.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import { assertNone, issue } from '#server/kernel/validation/document-issues.ts';
import { assertMayWriteRules } from '../rules/rule-writers.ts';
import { BUILT_IN_PARSERS } from './built-in-parsers.ts';
import { parserIssues, storedParser } from './parser-documents.ts';

/**
 * Imports parsers, all or none: a taken name gets a number, a taken id is replaced by a new one (contract/lifecycle#0.7).
 * An imported built-in parser maps to the stored one of that name.
 *
 * @returns the stored name of each parser, in their order, and the groups of access lists that do not exist
 * @throws ServiceError BAD_REQUEST with all issues, FORBIDDEN as `assertMayWriteRules`
 */
export async function importParsers(
  ctx: WriteContext,
  given: readonly ConfigParser[],
): Promise<{ data: Placement[]; warnings: GroupWarning[] }> {
  const { db, platform } = ctx;
  assertMayWriteRules(ctx.principal, 'Parsers');
  assertNone(
    given.flatMap((parser, at) => {
      const fault = treeNameFault(parser.name);
      return [
        ...(fault ? [issue(['parsers', at, 'name'], fault)] : []),
        ...parserIssues({ ...parser, template: parser.template ?? '' }, ['parsers', at]),
      ];
    }),
  );
  const names = textArray(given.map(({ name }) => name));
  const here = await findAll(db, parsers, sql`name = any(${names}) and doc -> 'builtin' = 'true'`);
  const builtIn = new Map(here.map(({ id, doc }) => [doc.name, id]));
  const hereOf = ({ builtin, name }: ConfigParser) =>
    builtin && BUILT_IN_PARSERS.has(name) ? builtIn.get(name) : undefined;
  const fresh = given.filter((parser) => hereOf(parser) === undefined);
  const { data, warnings } = await importDocuments(ctx, 'parser', fresh, (parser, { id, name }) =>
    storedParser({ ...parser, name, template: parser.template ?? '' }, id, platform.now()),
  );
  const places = data.values();
  return {
    data: given.map((parser) => {
      const id = hereOf(parser);
      return id === undefined ? (places.next().value as Placement) : { id, name: parser.name };
    }),
    warnings,
  };
}

/**
 * Updates the built-in parsers to this release (contract/lifecycle#4.4). A user's parser that already has such a name is
 * not changed.
 */
export async function seedParsers(db: Database): Promise<void> {
  const now = new Date();
  await inTransaction(db, async (tx) => {
    await acquireLock(tx, 'switchyard seeds');
    const names = [...BUILT_IN_PARSERS.keys()];
    const stored = await findAll(tx, parsers, isOneOf(parsers.name, names));
    const byName = new Map(stored.map((parser) => [parser.doc.name, parser]));
    const missing = names.filter((name) => !byName.has(name));
    for (const parser of stored) {
      const { name, lexRules, updated, builtin } = parser.doc;
      const rules = [...(BUILT_IN_PARSERS.get(name) ?? [])];
      if (!builtin || isDeepStrictEqual(lexRules, rules)) continue;
      await replace(tx, parsers, parser, {
        ...parser.doc,
        lexRules: rules,
        updated: grownStamp(now, updated),
      });
    }
    await insertMany(
      tx,
      parsers,
      missing.map((name) => {
        const id = newId(now.getTime());
        return { id, doc: { ...storedParser({ name, template: name }, id, now), builtin: true } };
      }),
    );
  });
}
