import { getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Logger } from 'pino';
import { type Database, rows } from '#db/client.ts';
import { adapters } from '#db/tables/adapters/adapters.ts';
import { integrationTokens } from '#db/tables/adapters/integration-calls.ts';
import { triggers } from '#db/tables/assets.ts';
import { applications, profiles } from '#db/tables/documents.ts';
import { gatewayCredentials, gatewayHosts } from '#db/tables/gateway.ts';
import { secretProviders } from '#db/tables/secrets.ts';
import type { Path } from '#server/kernel/secrets/redact.ts';
import { placeOf, type RowOfSecrets, withRenewedSeals } from '#server/kernel/secrets/seals.ts';
import type { Vault } from '#server/kernel/secrets/vault.ts';

/** Rows that one statement reads: a step is short, and locks nothing while it computes. */
const STEP = 200;

type Content = Readonly<Record<string, unknown>>;
type Sealed = { id: string; content: string; place: string };
type Source = {
  table: PgTable & { id: PgColumn };
  column: PgColumn;
  /** What the texts of a row are bound to. */
  place: SQL;
  renewed: (vault: Vault, place: string, content: Content) => Content;
};

const documents = (table: PgTable & { id: PgColumn; doc: PgColumn }): Source => ({
  table,
  column: table.doc,
  place: sql`${table.id}`,
  renewed: (vault, place, content) => withRenewedSeals(vault, [getTableName(table), place], content),
});

/** Sealed texts by the JSON text of their path, as hosts and credentials have them. */
const byPath = (table: PgTable & { id: PgColumn; secrets: PgColumn }, place: SQL): Source => ({
  table,
  column: table.secrets,
  place,
  renewed: (vault, id, content) => {
    const row: RowOfSecrets = [getTableName(table), id];
    return Object.fromEntries(
      Object.entries(content).map(([at, sealed]) => [
        at,
        typeof sealed === 'string' ? vault.renew(sealed, placeOf(row, JSON.parse(at) as Path)) : sealed,
      ]),
    );
  },
});

/** Everything that stores secrets one by one. Jobs are sealed as a whole and are not rewritten (docs/secrets.md). */
const SOURCES: readonly Source[] = [
  ...[adapters, profiles, applications, triggers, secretProviders].map(documents),
  byPath(gatewayCredentials, sql`${gatewayCredentials.name}`),
  byPath(gatewayHosts, sql`${gatewayHosts.kind} || '/' || ${gatewayHosts.name}`),
];

/**
 * Seals every stored secret with the current key that the previous one sealed. It runs in short steps beside everything else,
 * and overwrites nothing that changed meanwhile: such a row is sealed with the current key by its own write. Tokens of
 * integrations are dropped: they are requested anew.
 *
 * @param ending aborts between two steps; the next start begins anew
 * @returns how many rows were sealed again
 */
export async function resealSecrets(
  { db, vault, log }: { db: Database; vault: Vault; log: Pick<Logger, 'info'> },
  ending?: AbortSignal,
): Promise<number> {
  let changed = 0;
  for (const source of SOURCES) {
    for (let after = ''; ; ) {
      if (ending?.aborted) return changed;
      const step = await rows<Sealed>(db, stepOf(source, after));
      for (const row of step) changed += await reseal(db, vault, source, row);
      const last = step.at(-1);
      if (!last || step.length < STEP) break;
      after = last.id;
    }
  }
  await rows(db, sql`delete from ${integrationTokens} where sealed is not null`);
  log.info({ rows: changed }, 'every stored secret is sealed with the current key');
  return changed;
}

const stepOf = ({ table, column, place }: Source, after: string) =>
  sql`select ${table.id} as id, ${column}::text as content, ${place} as place from ${table}
      where ${table.id} > ${after} and ${column}::text like '%"sealed:v%' order by ${table.id} limit ${STEP}`;

async function reseal(db: Database, vault: Vault, { table, column, renewed }: Source, row: Sealed) {
  const content = JSON.parse(row.content) as Content;
  const fresh = JSON.stringify(renewed(vault, row.place, content));
  if (fresh === JSON.stringify(content)) return 0;
  const name = sql.identifier(column.name);
  const updated = await rows<{ id: string }>(
    db,
    sql`update ${table} set ${name} = ${fresh}::jsonb where ${table.id} = ${row.id} and ${column} = ${row.content}::jsonb
        returning ${table.id} as id`,
  );
  return updated.length;
}
