import { type SQL, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { DOCUMENT_KINDS } from '#db/document-kinds/kinds.ts';
import { readable } from '#db/document-kinds/readable.ts';
import { markRare } from '#db/list/bigrams.ts';
import { whereOf } from '#db/list/compile.ts';
import type { Condition } from '#db/list/query.ts';
import { type DocumentsTable, defineResource } from '#db/list/resource.ts';
import { rowsOf } from '#db/list/row-expressions.ts';
import { SEARCHED, Searched, type SearchKind, type SearchResult } from '#db/schemas/assets/search.ts';
import { type Caller, mayCall } from '#server/kernel/principal.ts';

/** Maximum number of documents counted per kind: no index can quickly count the matches among a million. */
export const COUNTED = 100;
/** Minimum number of characters for searching descriptions: without an index, every document would be read. */
const DESCRIBED_FROM = 3;

type SearchRequest = { q: string; kinds?: readonly SearchKind[] | null | undefined; limit: number };
/** The kinds in the order of their names, each with its list resource; the id is the name where a table has none. */
const KINDS = SEARCHED.map((kind) => {
  const { table, search: endpoint } = DOCUMENT_KINDS[kind];
  const columns = { name: table.name ?? table.id };
  const resource = defineResource({ name: kind, schema: Searched, source: table as DocumentsTable, columns });
  return { kind, resource, ...endpoint };
});
type Kind = (typeof KINDS)[number];

type SearchRow = { kind: SearchKind; id: string; name: string; named: string };

/**
 * Returns the documents whose name or description contains a text, of every kind that the caller may list and within what
 * its lists show (contract/lifecycle#12a). It is one statement, so all results are from the same moment.
 */
export async function search(
  { db, principal }: { db: Database; principal: Caller },
  { q, kinds, limit }: SearchRequest,
): Promise<{ results: SearchResult[]; total: number }> {
  const wantedKinds = KINDS.filter(
    ({ kind, roles, permission }) =>
      (!kinds || kinds.includes(kind)) && mayCall(principal, roles, permission),
  );
  if (wantedKinds.length === 0) return { results: [], total: 0 };
  const branches = await Promise.all(
    wantedKinds.map((kind) => branchOf(db, kind, q, readable(kind.kind, principal))),
  );
  // The text determines the best index, and a prepared statement may be planned once for all texts: this one is not
  // prepared.
  const found = await rows<SearchRow>(db, sql.join(branches, sql` union all `), false);
  const byKind = wantedKinds.map((kind) => distinct(kind, found));
  return {
    results: byKind.flatMap((some, at) =>
      some.slice(0, limit).map((row) => resultOf(wantedKinds[at] as Kind, row)),
    ),
    total: byKind.reduce((sum, some) => sum + some.length, 0),
  };
}

/** Returns the query of one kind: matches by name first, then those by description if the text is long enough for that. */
async function branchOf(
  db: Database,
  { kind, resource }: Kind,
  q: string,
  access: SQL | undefined,
): Promise<SQL> {
  const { from } = rowsOf(resource);
  const holding = (field: 'name' | 'description'): Condition => ({ field, op: 'contains', values: [q] });
  const where = (conditions: readonly Condition[]) => whereOf(resource, conditions, access);
  const columns = sql`${resource.columns.get('_id')} as id, ${resource.columns.get('name')} as name`;
  const named = sql`(select ${columns}, true as named from ${from} ${where(await markRare(db, resource, [holding('name')]))}
    order by ${resource.columns.get('name')}, ${resource.columns.get('_id')} limit ${COUNTED})`;
  const described = sql`(select ${columns}, false as named from ${from} ${where([holding('description')])} limit ${COUNTED})`;
  const both = [...q].length < DESCRIBED_FROM ? named : sql`${named} union all ${described}`;
  return sql`(select ${kind}::text as kind, id, name, named::text as named from (${both}) as found limit ${2 * COUNTED})`;
}

/** Removes duplicates: documents that match by name and by description, or that have several origins. */
function distinct({ kind, path }: Kind, found: readonly SearchRow[]): SearchRow[] {
  const key = keyIn(path);
  const own = found.filter((row) => row.kind === kind);
  const ordered = [
    ...own.filter(({ named }) => named === 'true'),
    ...own.filter(({ named }) => named !== 'true'),
  ];
  const once = new Map<string, SearchRow>();
  for (const row of ordered) if (!once.has(row[key])) once.set(row[key], row);
  return [...once.values()].slice(0, COUNTED);
}

/** Returns the field by which the endpoints of a kind identify a document. */
const keyIn = (path: string) => (path.endsWith('/:name') ? 'name' : 'id');

const resultOf = ({ kind, path }: Kind, row: SearchRow): SearchResult => ({
  kind,
  // The view of devices numbers its rows by origin: a device is identified by its name.
  _id: kind === 'device' ? row.name : row.id,
  name: row.name,
  path: path.replace(/:\w+$/, () => encodeURIComponent(row[keyIn(path)])),
});
