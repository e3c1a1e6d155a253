import { and, desc, eq, gt, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { isoOf } from '#db/expressions.ts';
import { newId } from '#db/ids.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { OwnedToken } from '#db/schemas/identity/session.ts';
import { accounts, personalTokens } from '#db/tables/identity/accounts.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { core } from '#server/kernel/documents/list-envelope.ts';
import { conflict, forbidden, notFound } from '#server/kernel/errors.ts';

import { sha256 } from '#server/kernel/secrets/vault.ts';
import { effectiveRightsOf } from '../rights/effective-rights.service.ts';
import { holdAccount } from './sign-in.service.ts';
import { newPersonalToken } from './token-check.service.ts';

/** Maximum number of valid tokens per account. */
const MOST = 100;

const DAY_MS = 24 * 3_600_000;

type NewToken = {
  name: string;
  expiresInDays: number;
  /** Absent: every role that the account has now. Empty: none. */
  roles?: string[] | undefined;
  readOnly: boolean;
};

/** A personal token as lists show it: without the token and its hash. */
const SHOWN = {
  _id: personalTokens.id,
  name: personalTokens.name,
  created: isoOf(personalTokens.createdAt),
  expires: isoOf(personalTokens.expiresAt),
  lastUsed: isoOf(personalTokens.lastUsedAt) as SQL<string | null>,
  roles: personalTokens.roles,
  readOnly: personalTokens.readOnly,
};

/**
 * Creates a token for the programs of the caller.
 *
 * @returns the token, of which only the hash is stored, and its description
 * @throws ServiceError FORBIDDEN for a role that the caller does not have, CONFLICT at the limit of tokens
 */
export async function createPersonalToken(
  { db, principal, platform }: WriteContext<'access' | 'catalogue'>,
  { name, expiresInDays, roles: wanted, readOnly }: NewToken,
) {
  // Without the lock, two concurrent requests would both see room for one more.
  await holdAccount(db, principal.id);
  const isOwn = eq(personalTokens.accountId, principal.id);
  if ((await db.$count(personalTokens, and(isOwn, gt(personalTokens.expiresAt, sql`now()`)))) >= MOST) {
    throw conflict(`The account has ${MOST} valid tokens, the limit; delete one first`);
  }
  const accountRights = await effectiveRightsOf(db, principal.id);
  const held = new Set([...principal.roles, ...(accountRights?.roles ?? []).map((role) => role.name)]);
  const roles = [...new Set(wanted ?? held)];
  const lacking = roles.filter((role) => !held.has(role));
  if (lacking.length > 0) {
    throw forbidden(
      `roles: a token may have only roles that you have (${[...held].join(', ') || 'none'}), not ${lacking.slice(0, 5).join(', ')}`,
    );
  }
  const token = newPersonalToken();
  const id = newId();
  const expiresAt = new Date(platform.now().getTime() + expiresInDays * DAY_MS);
  await db
    .insert(personalTokens)
    .values({ id, tokenHash: sha256(token), accountId: principal.id, name, roles, readOnly, expiresAt });
  noteChange(db, { kind: 'personal_tokens', id, name });
  const [data] = await db.select(SHOWN).from(personalTokens).where(eq(personalTokens.id, id));
  if (!data) throw notFound('Token', id);
  return { token, data };
}

/** Lists the caller's own tokens, newest first; expired ones are listed for 30 days. */
export async function listOwnTokens({ db, principal }: ReadContext) {
  const results = await db
    .select(SHOWN)
    .from(personalTokens)
    .where(eq(personalTokens.accountId, principal.id))
    .orderBy(desc(personalTokens.createdAt), desc(personalTokens.id));
  return { results, total: results.length };
}

const tokenList = defineResource({ name: 'tokens', schema: OwnedToken, source: 'given' });

/** Lists the tokens of all accounts with their owners, newest first by default. */
export async function listAllTokens({ db }: Pick<ReadContext, 'db'>, query: object) {
  const listQuery = readList(tokenList, query);
  const given = await db
    .select({ ...SHOWN, account: accounts.username, accountId: accounts.id })
    .from(personalTokens)
    .innerJoin(accounts, eq(accounts.id, personalTokens.accountId))
    .orderBy(desc(personalTokens.createdAt), desc(personalTokens.id));
  const page = await list(db, tokenList, listQuery, { given });
  return core<(typeof given)[number]>(page);
}

/**
 * Deletes a token; it is rejected in every process at once.
 *
 * @param owner the account that must own it; null: any
 * @throws ServiceError NOT_FOUND
 */
export async function deletePersonalToken(db: Database, id: string, owner: string | null) {
  const isOwned = owner === null ? undefined : eq(personalTokens.accountId, owner);
  const [deleted] = await db
    .delete(personalTokens)
    .where(and(eq(personalTokens.id, id), isOwned))
    .returning({ name: personalTokens.name });
  if (!deleted) throw notFound('Token', id);
  noteChange(db, { kind: 'personal_tokens', id, name: deleted.name });
  return { status: 'OK' as const, message: `Deleted the token ${deleted.name}.` };
}
