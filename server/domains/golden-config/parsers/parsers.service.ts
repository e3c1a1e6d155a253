import { type SQL, sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { findText, remove, type Stored } from '#db/collection.ts';
import { isOneOf } from '#db/expressions.ts';
import { newId } from '#db/ids.ts';
import { list } from '#db/list/list.ts';
import { defineResource } from '#db/list/resource.ts';
import { textArray } from '#db/list/row-expressions.ts';
import {
  ConfigParser,
  type ParserQuery,
  type ParserUpdate,
} from '#db/schemas/golden-config/config-parser.ts';
import type { ParserSearch } from '#db/schemas/requests/configuration-search.ts';
import { goldenTrees, parsers, specs, treeVersions } from '#db/tables/golden-config/configurations.ts';
import {
  assertGroupsKnownOrUnchanged,
  assertKnownGbac,
  assertMayChange,
  insertDocument,
  lockDocuments,
  unknownInGbac,
  writeDocument,
} from '#server/domains/identity/index.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import {
  accessOf,
  allOf,
  findDocument,
  grownStampIn,
  inOptions,
  readSearchAt,
} from '#server/kernel/documents/documents.service.ts';
import { compilePattern } from '#server/kernel/documents/list-filter.ts';
import { wholeGbac } from '#server/kernel/documents/new-document.ts';
import { conflict, forbidden, invalid } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import type { Context } from '#server/kernel/platform.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { assertMayWriteRules } from '../rules/rule-writers.ts';
import { hasSections } from '../specs/sections.service.ts';
import { parserIssues, type StoredParser, storedParser } from './parser-documents.ts';

const resource = defineResource({
  name: 'config parsers',
  schema: ConfigParser,
  source: parsers,
  columns: { name: parsers.name },
  unlimited: true,
});

/** `date` is the last update (contract/endpoints#4.4); the interface defines no upper bound for `limit`. */
const LIST_OPTIONS = { pattern: compilePattern, fields: { date: 'updated' }, most: Number.MAX_SAFE_INTEGER };

/**
 * Returns the parsers as a bare array and sets the total number of matches as `X-Total-Count` (contract/endpoints#4.4).
 *
 * @throws ServiceError BAD_REQUEST with every issue of the query
 */
export async function listParsers(
  { db, principal, answer }: ReadContext & Pick<Context, 'answer'>,
  options: ParserQuery,
): Promise<JsonText<ConfigParser[]>> {
  const query = readSearchAt(resource, options, LIST_OPTIONS);
  const { body, total } = await list(db, resource, query, accessOf(mayRead(parsers, principal)));
  answer.headers['X-Total-Count'] = String(total);
  return json('[', body, ']');
}

/**
 * Finds a parser and lists similar ones: `parser` has exactly the id or name of the filter, `list` is that of 4.4
 * (contract/lifecycle#4.4 and #13 describe one of the two each).
 *
 * @returns `parser`: null without an exact match; `total`: the number of all in the list
 * @throws ServiceError BAD_REQUEST with every issue of the search
 */
export async function searchParsers(
  { db, principal }: ReadContext,
  { filter: { id, name } = {}, options = {} }: ParserSearch,
): Promise<JsonText<{ parser: ConfigParser | null; list: ConfigParser[]; total: number }>> {
  const visible = mayRead(parsers, principal);
  const byId = id === undefined ? undefined : sql`${parsers.id} = ${id}`;
  const byName = name === undefined ? undefined : sql`${parsers.name} = ${name}`;
  const exact = byId || byName ? await findText(db, parsers, allOf(byId, byName, visible)) : undefined;
  const query = readSearchAt(resource, { ...options, filter: { name } }, LIST_OPTIONS, (path) =>
    path[0] === 'filter' ? path : inOptions(path),
  );
  const { body, total } = await list(db, resource, query, accessOf(byId, visible));
  return json(`{"parser":${exact ?? 'null'},"list":[`, body, `],"total":${total}}`);
}

/**
 * Creates a parser on the grammar of a built-in one (contract/lifecycle#4.4).
 *
 * @param given `template`: name of a built-in parser, whose grammar the new one gets, and also its rules when `lexRules`
 *   is absent
 * @returns the stored parser
 * @throws ServiceError BAD_REQUEST, CONFLICT when the name is taken, FORBIDDEN as `assertMayWriteRules`
 */
export async function createParser(
  ctx: WriteContext,
  given: ParserUpdate & { name: string; template: string },
): Promise<{ parser: ConfigParser }> {
  const { db, platform } = ctx;
  assertMayWriteRules(ctx.principal, 'Parsers');
  assertNone(parserIssues(given, []));
  await assertKnownGbac(db, given.gbac, ['gbac']);
  const parser = storedParser(given, newId(platform.now().getTime()), platform.now());
  await insertDocument(ctx, 'parser', parser);
  return { parser };
}

/** A caller's reference to a parser. */
export type ParserKey = NonNullable<ParserSearch['filter']>;

/**
 * Updates a parser. A new name is copied to the trees, versions and specs that use it; their stamps increase.
 *
 * @throws ServiceError BAD_REQUEST, NOT_FOUND, FORBIDDEN for a built-in one and as `assertMayWriteRules`, CONFLICT when the name
 *   is taken
 */
export async function updateParser(ctx: WriteContext, key: ParserKey, change: ParserUpdate): Promise<void> {
  const { db, platform } = ctx;
  assertMayWriteRules(ctx.principal, 'Parsers');
  assertNone(parserIssues(change, ['options']));
  const unknown = await unknownInGbac(db, change.gbac, ['options', 'gbac']);
  const stored = await lockParser(ctx, key, change);
  const { doc } = stored;
  assertGroupsKnownOrUnchanged(unknown, change.gbac, doc.gbac);
  const parser = await writeDocument(ctx, 'parser', stored, {
    name: change.name ?? doc.name,
    template: change.template ?? doc.template,
    lexRules: change.lexRules ?? doc.lexRules,
    gbac: wholeGbac(change.gbac ?? doc.gbac),
  });
  if (parser.name !== doc.name) await followName(db, doc.name, parser.name, platform.now());
}

/** Updates the trees, versions and specs that reference a renamed parser. */
async function followName(db: Database, from: string, to: string, now: Date): Promise<void> {
  const renamed = (table: SQL, where: SQL) => sql`
    update ${table} set rev = rev + 1, updated_at = now(), doc = doc
      || jsonb_build_object('deviceType', ${to}::text, 'lastUpdated', ${grownStampIn(now)}) where ${where}`;
  const trees = await rows<{ id: string }>(
    db,
    sql`${renamed(sql`${goldenTrees}`, sql`device_type = ${from}`)} returning id`,
  );
  const ids = textArray(trees.map(({ id }) => id));
  await db.execute(renamed(sql`${treeVersions}`, sql`tree_id = any(${ids})`));
  const owned = sql`version_id in (select id from ${treeVersions} where tree_id = any(${ids}))`;
  await db.execute(
    renamed(sql`${specs}`, sql`(version_id is null or ${owned}) and doc ->> 'deviceType' = ${from}`),
  );
  await db.execute(sql`
    update ${specs} set rev = rev + 1, updated_at = now(), doc = jsonb_set(doc, '{sections}',
      (doc -> 'sections') - ${from}::text || jsonb_build_object(${to}::text, doc -> 'sections' -> ${from}::text))
    where ${hasSections} and doc -> 'sections' ? ${from}`);
}

/** Deletes a parser that no tree uses. @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT */
export async function deleteParser(ctx: WriteContext, name: string): Promise<void> {
  const stored = await lockParser(ctx, { name });
  const [used] = await usersOf(ctx, [stored.doc.name]);
  if (used) throw conflict(`Parser ${name} is used by ${used.usedBy.join(', ')}`);
  await remove(ctx.db, parsers, [stored.id]);
}

/** A document that was not deleted, and its users. */
export type Conflict = { id: string; usedBy: string[] };

/**
 * Deletes the parsers that no tree uses; ignores unknown ids (contract/lifecycle#4.4).
 *
 * @returns the number of deleted parsers, and those that trees use, which remain
 * @throws ServiceError FORBIDDEN when one is built in or not writable for the caller; none is deleted then
 */
export async function deleteParsers(
  ctx: WriteContext,
  ids: readonly string[],
): Promise<{ deleted: number; conflicts: Conflict[] }> {
  const held = await lockDocuments(ctx, 'parser', isOneOf(parsers.id, ids));
  for (const one of held) assertOwn(ctx, one);
  const used = await usersOf(
    ctx,
    held.map(({ doc }) => doc.name),
  );
  const usersOfName = new Map(used.map(({ name, usedBy }) => [name, usedBy]));
  const conflicts = held.flatMap(({ id, doc }) => {
    const usedBy = usersOfName.get(doc.name);
    return usedBy ? [{ id, usedBy }] : [];
  });
  const free = held.filter(({ doc }) => !usersOfName.has(doc.name)).map(({ id }) => id);
  return { deleted: (await remove(ctx.db, parsers, free)).length, conflicts };
}

/** Maximum number of users in one error message. */
const NAMED = 10;

/** Returns the trees that use parsers: those that the caller may see by name, the others as a number. */
async function usersOf(
  { db, principal }: ReadContext,
  names: readonly string[],
): Promise<{ name: string; usedBy: string[] }[]> {
  const visible = mayRead(goldenTrees, principal) ?? sql`true`;
  const found = await rows<{ name: string; total: number; shown: string }>(
    db,
    sql`with uses as (
          select id, device_type as parser from ${goldenTrees} where device_type = any(${textArray(names)})
          union
          select tree_id, parser from ${specs} join ${treeVersions} on ${treeVersions.id} = version_id
            cross join lateral jsonb_object_keys(${specs.doc} -> 'sections') as each (parser)
            where jsonb_typeof(${specs.doc} -> 'sections') = 'object' and parser = any(${textArray(names)}))
        select parser as name, count(*)::int as total,
          to_json((array_agg(name order by id) filter (where ${visible}))[1:${NAMED}::int])::text as shown
        from uses join ${goldenTrees} using (id) group by parser`,
  );
  return found.map(({ name, total, shown }) => {
    const trees = (JSON.parse(shown ?? 'null') as string[] | null) ?? [];
    const rest = total - trees.length;
    const others = rest === 1 ? 'another tree' : `${rest} other trees`;
    return { name, usedBy: [...trees.map((tree) => `tree ${tree}`), ...(rest > 0 ? [others] : [])] };
  });
}

/** @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT */
async function lockParser(
  ctx: WriteContext,
  { id, name }: ParserKey,
  change: ParserUpdate = {},
): Promise<Stored<StoredParser>> {
  const key = id ?? name;
  if (key === undefined || (id !== undefined && name !== undefined)) {
    throw invalid(['name'], 'set either name or id');
  }
  const where = id === undefined ? sql`${parsers.name} = ${key}` : sql`${parsers.id} = ${key}`;
  const stored = await findDocument(ctx, 'parser', { where, called: key }, true);
  assertOwn(ctx, stored, change);
  // Every parser is created by storedParser.
  return stored as Stored<StoredParser>;
}

/** Rejects changes to a parser that is built in, that the caller may not write, or that was changed meanwhile. */
function assertOwn(
  ctx: WriteContext,
  stored: Pick<Stored<ConfigParser>, 'id' | 'doc'>,
  change: ParserUpdate = {},
) {
  const { name, builtin } = stored.doc;
  if (builtin) throw forbidden(`Parser ${name} is built in and cannot be changed`);
  assertMayChange(ctx, 'parser', stored, change);
}
