import { randomBytes } from 'node:crypto';
import { and, eq, gt, lt, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { personalTokens } from '#db/tables/identity/accounts.ts';
import { type AccountRights, type AdminEntry, type Caller, callerOf } from '#server/kernel/principal.ts';
import { sha256 } from '#server/kernel/secrets/vault.ts';

const PREFIX = 'swy_';
/** Length of a token in characters: the prefix and 256 random bits in base64url. A session token is shorter. */
const LENGTH = PREFIX.length + 43;

/** Minimum number of seconds between two recorded uses, to avoid a write per request. */
const USE_RECORDED_SECONDS = 60;

/** Days for which lists show an expired token. */
const KEPT_DAYS = 30;

/** Returns whether a bearer token has the format of a personal token. */
export const isPersonalToken = (token: string) => token.startsWith(PREFIX) && token.length === LENGTH;

/** Returns a new token, with a prefix that users and secret scanners recognize. */
export const newPersonalToken = () => PREFIX + randomBytes(32).toString('base64url');

/** Deletes every token of an account. */
export async function endPersonalTokens(tx: Database, accountId: string): Promise<void> {
  await tx.delete(personalTokens).where(eq(personalTokens.accountId, accountId));
}

/** Deletes tokens that expired long ago. */
export async function clearExpiredTokens(db: Database): Promise<void> {
  const oldest = sql`now() - make_interval(days => ${KEPT_DAYS}::int)`;
  await db.delete(personalTokens).where(lt(personalTokens.expiresAt, oldest));
}

/** A valid token, and the rights of its account that it may use. */
export type Granted = {
  id: string;
  name: string;
  accountId: string;
  roles: string[];
  readOnly: boolean;
  isStale: boolean;
};

/** Finds a token that has not expired. */
export async function findPersonalToken(db: Database, token: string): Promise<Granted | undefined> {
  const { id, name, accountId, roles, readOnly, tokenHash, expiresAt } = personalTokens;
  const [found] = await db
    .select({ id, name, accountId, roles, readOnly, isStale: IS_STALE })
    .from(personalTokens)
    .where(and(eq(tokenHash, sha256(token)), gt(expiresAt, sql`now()`)));
  return found;
}

const { lastUsedAt } = personalTokens;
const IS_STALE = sql<boolean>`(${lastUsedAt} is null
  or ${lastUsedAt} < now() - make_interval(secs => ${USE_RECORDED_SECONDS}::float8))`;

/** Records that a token was used, at most once a minute. */
export async function touchPersonalToken(db: Database, { id, isStale }: Granted): Promise<void> {
  if (!isStale) return;
  await db
    .update(personalTokens)
    .set({ lastUsedAt: sql`now()` })
    .where(and(eq(personalTokens.id, id), IS_STALE));
}

/** Returns an account as a caller with those of its roles that a token names. */
export const narrowedCaller = (
  accountRights: AccountRights,
  admins: readonly AdminEntry[],
  roles: readonly string[],
): Caller =>
  callerOf(
    { ...accountRights, roles: accountRights.roles.filter((role) => roles.includes(role.name)) },
    roles.includes('admin') ? admins : [],
    null,
  );

/** Returns an account as the caller that uses one of its tokens. */
export function bearerOf(
  accountRights: AccountRights,
  admins: readonly AdminEntry[],
  granted: Granted,
): Caller {
  const { id, name, readOnly, roles } = granted;
  const caller = narrowedCaller(accountRights, admins, roles);
  const whole = callerOf(accountRights, admins, null);
  const isNarrower =
    whole.roles.some((role) => !caller.roles.includes(role)) ||
    whole.permissions.some((permission) => !caller.permissions.includes(permission));
  return {
    ...caller,
    token: { id, readOnly, roles, isNarrower },
    credential: { kind: 'personalToken', id, name },
  };
}
