import { getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { type Database, rows } from '#db/client.ts';
import { triggers } from '#db/tables/assets/assets.ts';
import { gitRemotes } from '#db/tables/git/remotes.ts';
import { sessions } from '#db/tables/identity/accounts.ts';
import { secondFactors, signInProviders } from '#db/tables/identity/sign-in.ts';
import { adapters } from '#db/tables/integrations/adapters.ts';
import { gatewayCredentials, gatewayHosts } from '#db/tables/network/gateway.ts';
import { inventorySources } from '#db/tables/network/inventory.ts';
import { notificationChannels } from '#db/tables/notifications/notifications.ts';
import { applications, profiles } from '#db/tables/operations/platform.ts';
import { secretProviders } from '#db/tables/operations/secrets.ts';
import type { Path } from '#server/kernel/secrets/redact.ts';
import { placeOf, type RowOfSecrets, withRenewedSeals } from '#server/kernel/secrets/seals.ts';
import type { SealLocation, Vault } from '#server/kernel/secrets/vault.ts';

type Content = Readonly<Record<string, unknown>>;

/** A column that holds sealed texts. */
export type SealedColumn = {
  table: PgTable;
  /** Identifies a row, as text. */
  key: PgColumn;
  column: PgColumn;
  /** Additional data that the encryption of the texts of a row authenticates. */
  place: SQL;
  /** Whether the column is one sealed text; otherwise it is JSON. */
  isText?: true;
  /** Returns the content of the column, as text, sealed with the current key. */
  renewed: (vault: Vault, place: string, content: string) => string;
};

/** A row with sealed texts. */
export type Sealed = { id: string; content: string; place: string };

/**
 * Returns the next rows of a column that have sealed texts, by their keys.
 *
 * @param after key of the last row that was read; empty: from the first one
 * @param most maximum number of rows
 */
export const sealedPage = (
  db: Database,
  { table, key, column, place, isText }: SealedColumn,
  after: string,
  most: number,
): Promise<Sealed[]> =>
  rows<Sealed>(
    db,
    sql`select ${key} as id, ${column}::text as content, ${place} as place from ${table}
        where ${key} > ${after} and ${column}::text like ${isText ? 'sealed:v%' : '%"sealed:v%'}
        order by ${key} limit ${most}`,
  );

/** Secrets within documents. */
const documents = (table: PgTable & { id: PgColumn; doc: PgColumn }): SealedColumn => ({
  table,
  key: table.id,
  column: table.doc,
  place: sql`${table.id}`,
  renewed: (vault, place, content) =>
    JSON.stringify(withRenewedSeals(vault, [getTableName(table), place], JSON.parse(content) as Content)),
});

/** Sealed texts by what they are: the JSON text of a path, or the name of a field. */
const keyed = (
  table: PgTable & { id: PgColumn; secrets: PgColumn },
  place: SQL,
  pathOf: (field: string) => Path,
): SealedColumn => ({
  table,
  key: table.id,
  column: table.secrets,
  place,
  renewed: (vault, id, content) => {
    const row: RowOfSecrets = [getTableName(table), id];
    const renew = ([field, sealed]: [string, unknown]) => [
      field,
      typeof sealed === 'string' ? vault.renew(sealed, placeOf(row, pathOf(field))) : sealed,
    ];
    return JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(content) as Content).map(renew)));
  },
});

const byPath = (field: string) => JSON.parse(field) as Path;
const byField = (field: string): Path => [field];

/** One sealed text for each row. @param place its place as a JSON array */
const text = (table: PgTable, key: PgColumn, column: PgColumn, place: SQL): SealedColumn => ({
  table,
  key,
  column,
  place: sql`(${place})::text`,
  isText: true,
  renewed: (vault, at, sealed) => vault.renew(sealed, JSON.parse(at) as unknown as SealLocation),
});

const factor = sql`jsonb_build_array('second_factors', ${secondFactors.accountId}, 'secret')`;

/**
 * Every column that holds secrets sealed one by one. Jobs are sealed as a whole and are not rewritten (docs/secrets.md); tokens of
 * integrations are fetched anew.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ...[adapters, profiles, applications, triggers, secretProviders, signInProviders].map(documents),
  keyed(gatewayCredentials, sql`${gatewayCredentials.name}`, byPath),
  keyed(gatewayHosts, sql`${gatewayHosts.kind} || '/' || ${gatewayHosts.name}`, byPath),
  keyed(notificationChannels, sql`${notificationChannels.id}`, byField),
  keyed(gitRemotes, sql`${gitRemotes.id}`, byField),
  keyed(inventorySources, sql`${inventorySources.name}`, byField),
  text(secondFactors, secondFactors.accountId, secondFactors.secret, factor),
  text(secondFactors, secondFactors.accountId, secondFactors.pending, factor),
  text(
    sessions,
    sessions.tokenHash,
    sessions.providerTokens,
    sql`jsonb_build_array('sessions', ${sessions.providerId}, ${sessions.subject}, 'provider_tokens')`,
  ),
];
