import { sql } from 'drizzle-orm';
import { type Database, inTransaction, rows } from '#db/client.ts';
import { findAll, insertMany, replace } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { ConfigParser } from '#db/schemas/golden-config/config-parser.ts';
import { parsers } from '#db/tables/documents.ts';
import { type GroupWarning, withoutUnknownGroups } from '#server/domains/identity/index.ts';
import { unlessTaken, type Writing } from '#server/kernel/documents/documents.service.ts';
import { createNameAllocator, treeNameFault } from '#server/kernel/documents/names.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import { sameJson } from '#server/kernel/json/same-json.ts';
import { assertNone, issue } from '#server/kernel/validation/document-issues.ts';
import { BUILT_IN_PARSERS } from './built-in-parsers.ts';
import { parserIssues, storedParser } from './parser-documents.ts';

/**
 * Import parsers, all or none: a name that is taken gets a number, an id that is taken is made anew (lifecycle §0.7).
 * Built-in parsers of the same name count as here already.
 *
 * @returns what each became, in their order, and groups of access lists that do not exist
 * @throws ServiceError BAD_REQUEST with everything that is wrong
 */
export async function importParsers(
  { db, platform }: Writing,
  given: readonly ConfigParser[],
): Promise<{ data: { id: string; name: string }[]; warnings: GroupWarning[] }> {
  assertNone(
    given.flatMap((parser, at) => {
      const fault = treeNameFault(parser.name);
      return [
        ...(fault ? [issue(['parsers', at, 'name'], fault)] : []),
        ...parserIssues({ ...parser, template: parser.template ?? '' }, ['parsers', at]),
      ];
    }),
  );
  const names = given.map(({ name }) => name);
  const ids = given.flatMap(({ id, _id }) => id ?? _id ?? []);
  const stored = await rows<{ id: string; name: string; builtin: boolean | null }>(
    db,
    sql`select id, name, (doc -> 'builtin')::boolean as builtin from ${parsers}
        where id = any(${textArray(ids)}) or name = any(${textArray(names)})
          or regexp_replace(name, ' \\(\\d+\\)$', '') = any(${textArray(names)})`,
  );
  const allocateName = createNameAllocator(new Set(stored.map(({ name }) => name)));
  const takenIds = new Set(stored.map(({ id }) => id));
  const builtIn = new Map(stored.filter(({ builtin }) => builtin).map((one) => [one.name, one.id]));
  const made: ReturnType<typeof storedParser>[] = [];
  const { documents, warnings } = await withoutUnknownGroups(db, given);
  const data = documents.map((parser) => {
    const here = parser.builtin && BUILT_IN_PARSERS.has(parser.name) ? builtIn.get(parser.name) : undefined;
    if (here !== undefined) return { id: here, name: parser.name };
    const name = allocateName(parser.name);
    const wanted = parser.id ?? parser._id;
    const id = wanted !== undefined && !takenIds.has(wanted) ? wanted : newId();
    takenIds.add(id);
    made.push(storedParser({ ...parser, name, template: parser.template ?? '' }, id, platform.now()));
    return { id, name };
  });
  await unlessTaken('parsers_name', 'A parser of one of these names was stored meanwhile; try again', () =>
    insertMany(
      db,
      parsers,
      made.map((doc) => ({ id: doc.id, doc })),
    ),
  );
  return { data, warnings };
}

/**
 * Bring the parsers that come with the platform up to this version (lifecycle §4.4). One that a person made under such
 * a name before stays as it is.
 */
export async function seedParsers(db: Database, now = new Date()): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtext('switchyard seeds'))`);
    const names = [...BUILT_IN_PARSERS.keys()];
    const stored = await findAll(tx, parsers, sql`name = any(${textArray(names)})`);
    const byName = new Map(stored.map((parser) => [parser.doc.name, parser]));
    const missing = names.filter((name) => !byName.has(name));
    for (const parser of stored) {
      const { name, lexRules, updated, builtin } = parser.doc;
      const rules = [...(BUILT_IN_PARSERS.get(name) ?? [])];
      if (!builtin || sameJson(lexRules, rules)) continue;
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
