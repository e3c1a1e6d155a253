import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { type AdminEntry, type Caller, callerOf, type Standing } from '#server/kernel/principal.ts';
import { sha256 } from '#server/kernel/secrets/vault.ts';

const PREFIX = 'swy_';
/** Characters of a token: the prefix and 256 random bits in base64url. A session's token is shorter. */
const LENGTH = PREFIX.length + 43;

/** How much later than the last use a use is recorded, in seconds: one write per request would be waste. */
const TOUCH_SECONDS = 60;

/** Days that an expired token stays in the lists. */
const KEPT_DAYS = 30;

/** Whether a bearer token has the form of a personal token. */
export const isPersonalToken = (token: string) => token.startsWith(PREFIX) && token.length === LENGTH;

/** A new token: the prefix tells people and secret scanners what it is. */
export const newPersonalToken = () => PREFIX + randomBytes(32).toString('base64url');

/** A row as the database gives it: JSON comes as text. */
export type Row<Shown extends { roles: string[] }> = Omit<Shown, 'roles'> & { roles: string };

export const readRow = <Shown extends { roles: string[] }>(row: Row<Shown>) =>
  ({ ...row, roles: JSON.parse(row.roles) as string[] }) as unknown as Shown;

/** Deletes every token of an account. */
export async function endPersonalTokens(tx: Database, accountId: string): Promise<void> {
  await rows(tx, sql`delete from personal_tokens where account_id = ${accountId}`);
}

/** Deletes tokens that expired long ago. */
export async function clearExpiredTokens(db: Database): Promise<void> {
  await rows(
    db,
    sql`delete from personal_tokens where expires_at < now() - make_interval(days => ${KEPT_DAYS}::int)`,
  );
}

/** A token that is valid, and what it may use of its account. */
export type Granted = { id: string; accountId: string; roles: string[]; readOnly: boolean; isStale: boolean };

/** Finds a token that has not expired. */
export async function findPersonalToken(db: Database, token: string): Promise<Granted | undefined> {
  const [found] = await rows<Row<Granted>>(
    db,
    sql`select id, account_id as "accountId", roles::text as roles, read_only as "readOnly",
          coalesce(last_used_at < now() - make_interval(secs => ${TOUCH_SECONDS}::float8), true) as "isStale"
        from personal_tokens where token_hash = ${sha256(token)} and expires_at > now()`,
  );
  return found && readRow<Granted>(found);
}

/** Records that a token was used, at most once a minute. */
export async function touchPersonalToken(db: Database, { id, isStale }: Granted): Promise<void> {
  if (!isStale) return;
  await rows(
    db,
    sql`update personal_tokens set last_used_at = now() where id = ${id}
        and (last_used_at is null or last_used_at < now() - make_interval(secs => ${TOUCH_SECONDS}::float8))`,
  );
}

/** Returns an account as a caller with those of its roles that a token names. */
export const narrowedCaller = (
  standing: Standing,
  admins: readonly AdminEntry[],
  roles: readonly string[],
): Caller =>
  callerOf(
    { ...standing, roles: standing.roles.filter((role) => roles.includes(role.name)) },
    roles.includes('admin') ? admins : [],
    null,
  );

/** Returns an account as the bearer of a token of its own. */
export function bearerOf(standing: Standing, admins: readonly AdminEntry[], granted: Granted): Caller {
  const { id, readOnly, roles } = granted;
  const caller = narrowedCaller(standing, admins, roles);
  const whole = callerOf(standing, admins, null);
  const isNarrower =
    whole.roles.some((role) => !caller.roles.includes(role)) ||
    whole.permissions.some((permission) => !caller.permissions.includes(permission));
  return { ...caller, token: { id, readOnly, roles, isNarrower } };
}
