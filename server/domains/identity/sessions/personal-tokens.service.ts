import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { OwnedToken } from '#db/schemas/identity/session.ts';
import { personalTokens } from '#db/tables/documents.ts';
import { core } from '#server/kernel/documents/list-envelope.ts';
import { conflict, forbidden, notFound } from '#server/kernel/errors.ts';

import { sha256 } from '#server/kernel/secrets/vault.ts';
import { isoOf } from '../accounts/iso-time.service.ts';
import { standingOf } from '../rights/effective-rights.service.ts';
import type { Writing } from '../rights/rights.service.ts';
import { newPersonalToken, type Row, readRow } from './token-check.service.ts';

/** Valid tokens that one account may have. */
const MOST = 100;

const DAY_MS = 24 * 3_600_000;

/** A personal token as lists show it: neither the token nor its hash. */
type ShownToken = {
  _id: string;
  name: string;
  created: string;
  expires: string;
  lastUsed: string | null;
  roles: string[];
  readOnly: boolean;
};

type NewToken = {
  name: string;
  expiresInDays: number;
  /** Absent: every role that the account holds now. Empty: none. */
  roles?: string[] | undefined;
  readOnly: boolean;
};

const SHOWN = sql`t.id as "_id", t.name, ${isoOf('t.created_at')} as created, ${isoOf('t.expires_at')} as expires,
  ${isoOf('t.last_used_at')} as "lastUsed", t.roles::text as roles, t.read_only as "readOnly"`;

/**
 * Creates a token for the programs of the caller.
 *
 * @returns the token, which is stored nowhere but as a hash, and its description
 * @throws ServiceError FORBIDDEN for a role that the caller does not hold, CONFLICT at the limit of tokens
 */
export async function createPersonalToken(
  { db, principal, platform }: Writing,
  { name, expiresInDays, roles: wanted, readOnly }: NewToken,
) {
  // Two requests at once would both see room for one more.
  await rows(db, sql`select from accounts where id = ${principal.id} for no key update`);
  const [valid] = await rows<{ count: number }>(
    db,
    sql`select count(*)::int from personal_tokens where account_id = ${principal.id} and expires_at > now()`,
  );
  if ((valid?.count ?? 0) >= MOST) {
    throw conflict(`The account has ${MOST} valid tokens, the limit; delete one first`);
  }
  const standing = await standingOf(db, principal.id);
  const held = new Set([...principal.roles, ...(standing?.roles ?? []).map((role) => role.name)]);
  const roles = [...new Set(wanted ?? held)];
  const lacking = roles.filter((role) => !held.has(role));
  if (lacking.length > 0) {
    throw forbidden(
      `roles: a token may use only roles that you hold (${[...held].join(', ') || 'none'}), not ${lacking.slice(0, 5).join(', ')}`,
    );
  }
  const token = newPersonalToken();
  const id = newId();
  const expiresAt = new Date(platform.now().getTime() + expiresInDays * DAY_MS);
  await db
    .insert(personalTokens)
    .values({ id, tokenHash: sha256(token), accountId: principal.id, name, roles, readOnly, expiresAt });
  noteChange(db, { kind: 'personal_tokens', id, name });
  const [row] = await rows<Row<ShownToken>>(db, sql`select ${SHOWN} from personal_tokens t where id = ${id}`);
  if (!row) throw notFound('Token', id);
  return { token, data: readRow<ShownToken>(row) };
}

/** Lists the caller's own tokens, the newest first; expired ones stay for 30 days. */
export async function listOwnTokens({ db, principal }: Pick<Writing, 'db' | 'principal'>) {
  const found = await rows<Row<ShownToken>>(
    db,
    sql`select ${SHOWN} from personal_tokens t where account_id = ${principal.id}
        order by created_at desc, id desc`,
  );
  return { results: found.map(readRow<ShownToken>), total: found.length };
}

type Owned = ShownToken & { account: string; accountId: string };

const tokenList = defineResource({ name: 'tokens', schema: OwnedToken, source: 'given' });

/** Lists the tokens of all accounts with their owners, the newest first unless the query says otherwise. */
export async function listAllTokens({ db }: Pick<Writing, 'db'>, query: object) {
  const asked = readList(tokenList, query);
  const found = await rows<Row<Owned>>(
    db,
    sql`select ${SHOWN}, a.username as account, a.id as "accountId"
        from personal_tokens t join accounts a on a.id = t.account_id
        order by t.created_at desc, t.id desc`,
  );
  const page = await list(db, tokenList, asked, { given: found.map(readRow<Owned>) });
  return core<Owned>(page);
}

/**
 * Deletes a token; it is rejected in every process at once.
 *
 * @param owner whose token it must be; null: anybody's
 * @throws ServiceError NOT_FOUND
 */
export async function deletePersonalToken(db: Database, id: string, owner: string | null) {
  const [deleted] = await rows<{ name: string }>(
    db,
    sql`delete from personal_tokens where id = ${id} and account_id = coalesce(${owner}::text, account_id)
        returning name`,
  );
  if (!deleted) throw notFound('Token', id);
  noteChange(db, { kind: 'personal_tokens', id, name: deleted.name });
  return { status: 'OK' as const, message: `Deleted the token ${deleted.name}.` };
}
