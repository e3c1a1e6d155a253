import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { sessions } from '#db/tables.ts';
import type { SignInRules } from './access.service.ts';

/** Longest idle time that a profile can set, in minutes: ten years. Beyond it no date can be reckoned with. */
const LONGEST = 10 * 365 * 24 * 60;

/** Share of the idle time after which a request writes that the session was used: a write a request would be waste. */
const TOUCH_SHARE = 0.02;

/** Seconds of idleness that end a session. */
export const idleSecondsOf = ({ logoutTime }: Pick<SignInRules, 'logoutTime'>): number =>
  Math.min(logoutTime, LONGEST) * 60;

/** A session that has not ended by idleness; `idle` in seconds. */
export type Session = { accountId: string; idle: number };

export async function findSession(
  db: Database,
  tokenHash: string,
  idleSeconds: number,
): Promise<Session | undefined> {
  const [session] = await rows<Session>(
    db,
    sql`select account_id as "accountId", extract(epoch from now() - last_used_at)::float8 as idle
        from sessions where token_hash = ${tokenHash} and ${isAlive(idleSeconds)}`,
  );
  return session;
}

/** Whether a row of `sessions` has not ended by idleness. */
export const isAlive = (idleSeconds: number) =>
  sql`last_used_at > now() - make_interval(secs => ${idleSeconds}::float8)`;

/** A request used the session: its idle time begins anew (lifecycle §1). */
export async function touchSession(
  db: Database,
  tokenHash: string,
  { idle }: Session,
  idleSeconds: number,
): Promise<void> {
  const stale = idleSeconds * TOUCH_SHARE;
  if (idle <= stale) return;
  // Of the many requests that find it stale together only the first writes.
  await db.execute(
    sql`update sessions set last_used_at = now() where token_hash = ${tokenHash}
        and last_used_at <= now() - make_interval(secs => ${stale}::float8)`,
  );
}

/** Only the hash of the token is kept (decisions §3). */
export async function insertSession(
  tx: Database,
  session: { tokenHash: string; accountId: string; address: string },
): Promise<void> {
  await tx.insert(sessions).values(session);
}

export async function endSession(db: Database, tokenHash: string): Promise<void> {
  await db.delete(sessions).where(sql`token_hash = ${tokenHash}`);
}

/** End the sessions of an account, all of them or all but one. */
export async function endSessions(
  tx: Database,
  accountId: string,
  kept: string | null = null,
): Promise<void> {
  await tx
    .delete(sessions)
    .where(sql`account_id = ${accountId} and token_hash is distinct from ${kept}::text`);
}

/**
 * Sessions that ended by idleness go: their number stays that of the people at work. Those that another process
 * clears at this moment are left to it.
 */
export async function clearEnded(db: Database, idleSeconds: number): Promise<void> {
  await db.execute(sql`delete from sessions where token_hash in
    (select token_hash from sessions where not (${isAlive(idleSeconds)}) for update skip locked)`);
}
