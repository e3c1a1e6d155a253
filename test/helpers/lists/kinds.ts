import { getTableName, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { DOCUMENT_KINDS, type DocumentKind } from '#db/document-kinds/kinds.ts';
import { newId } from '#db/ids.ts';

type More = { doc?: Record<string, unknown>; columns?: Record<string, unknown> };

/** Values of columns that must have one, by their types. */
const REQUIRED: Record<string, unknown> = { text: 'cli', jsonb: '{}', boolean: true, integer: 0, bigint: 0 };

/** Rows that the rows of a kind refer to. */
async function columnsOf(db: Database, kind: DocumentKind): Promise<Record<string, unknown>> {
  if (kind === 'trigger') return { action_id: await storeOfKind(db, 'automation') };
  if (kind === 'adapterDevice') return { adapter: await storeOfKind(db, 'adapter') };
  return {};
}

/**
 * Stores a document of any kind straight in its table, as small as the table takes it.
 *
 * @param doc its fields, beside an id and a name of its own
 * @param columns values of columns that are not generated
 * @returns its id
 */
export async function storeOfKind(
  db: Database,
  kind: DocumentKind,
  { doc, columns }: More = {},
): Promise<string> {
  // What the view of devices shows.
  if (kind === 'device') return storeOfKind(db, 'host', { doc: { host: '192.0.2.1', ...doc } });
  const table = getTableName(DOCUMENT_KINDS[kind].table);
  const id = newId();
  const name = String(doc?.name ?? `${kind} ${id}`);
  const whole = { _id: id, id, iid: Number.parseInt(id.slice(-7), 16), name, username: name, ...doc };
  const required = await rows<{ name: string; type: string }>(
    db,
    sql`select column_name as name, data_type as type from information_schema.columns
        where table_name = ${table} and is_nullable = 'NO' and column_default is null and is_generated = 'NEVER'
          and is_identity = 'NO' and column_name not in ('id', 'doc')`,
  );
  const values: Record<string, unknown> = {
    id,
    doc: JSON.stringify(whole),
    ...Object.fromEntries(required.map((one) => [one.name, REQUIRED[one.type] ?? ''])),
    ...(await columnsOf(db, kind)),
    ...columns,
  };
  const names = Object.keys(values).map((one) => sql.identifier(one));
  await db.execute(
    sql`insert into ${sql.identifier(table)} (${sql.join(names, sql`, `)})
        values (${sql.join(
          Object.values(values).map((one) => sql`${one}`),
          sql`, `,
        )})`,
  );
  return id;
}
