import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { sessions } from '#db/tables/documents.ts';
import { notFound } from '#server/kernel/errors.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { isoOf } from '../accounts/iso-time.service.ts';
import type { Access, SignInRules } from '../rights/access.service.ts';

/** Longest idle time that a profile can set, in minutes: ten years. Beyond it no date can be reckoned with. */
const LONGEST = 10 * 365 * 24 * 60;

/** Share of the idle time after which a request writes that the session was used: a write a request would be waste. */
const TOUCH_SHARE = 0.02;

/** What ends a session by itself: so many seconds of idleness, and so many after its sign-in. */
export type SessionLimits = { idleSeconds: number; maximumSeconds: number };

export const sessionLimitsOf = ({
  logoutTime,
  sessionMaximum,
}: Pick<SignInRules, 'logoutTime' | 'sessionMaximum'>): SessionLimits => ({
  idleSeconds: Math.min(logoutTime, LONGEST) * 60,
  maximumSeconds: Math.min(sessionMaximum, LONGEST) * 60,
});

/** A session that has not ended by itself; `idle` in seconds. */
export type Session = { accountId: string; idle: number };

export async function findSession(
  db: Database,
  tokenHash: string,
  limits: SessionLimits,
): Promise<Session | undefined> {
  const [session] = await rows<Session>(
    db,
    sql`select account_id as "accountId", extract(epoch from now() - last_used_at)::float8 as idle
        from sessions where token_hash = ${tokenHash} and ${isAlive(limits)}`,
  );
  return session;
}

/** Whether a row of `sessions` has ended neither by idleness nor by age. */
export const isAlive = ({ idleSeconds, maximumSeconds }: SessionLimits) =>
  sql`(last_used_at > now() - make_interval(secs => ${idleSeconds}::float8)
    and created_at > now() - make_interval(secs => ${maximumSeconds}::float8))`;

/** A request used the session: its idle time begins anew (contract/lifecycle#1). */
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

/** Only the hash of the token is kept (contract/decisions#3). */
export async function insertSession(
  tx: Database,
  session: { tokenHash: string; accountId: string; address: string; userAgent: string },
): Promise<void> {
  await tx.insert(sessions).values(session);
}

/** Sessions that one listing shows at most. */
const LISTED = 1000;

/** A session as its owner sees it: neither the token nor its hash. */
type OwnSession = {
  _id: string;
  address: string;
  userAgent: string;
  created: string;
  lastUsed: string;
  expires: string;
  current: boolean;
};

type Own = { db: Database; principal: Caller };

/** Lists the caller's own sessions, the latest used first. */
export async function listOwnSessions({
  db,
  principal,
  platform,
}: Own & { platform: { access: Pick<Access, 'rules'> } }): Promise<{ results: OwnSession[]; total: number }> {
  const limits = sessionLimitsOf(await platform.access.rules());
  const found = await rows<OwnSession & { total: number }>(
    db,
    sql`select id as "_id", address, user_agent as "userAgent", ${isoOf('created_at')} as created,
          ${isoOf('last_used_at')} as "lastUsed",
          ${isoOf(sql`created_at + make_interval(secs => ${limits.maximumSeconds}::float8)`)} as expires,
          token_hash is not distinct from ${principal.session}::text as current, count(*) over ()::int as total
        from sessions where account_id = ${principal.id} and ${isAlive(limits)}
        order by last_used_at desc, id limit ${LISTED}::int`,
  );
  const results = found.map(({ total: _, ...session }) => session);
  return { results, total: found[0]?.total ?? 0 };
}

/**
 * Ends one of the caller's own sessions, in every process at once.
 *
 * @throws ServiceError NOT_FOUND also for a session of somebody else
 */
export async function endOwnSession({ db, principal }: Own, id: string) {
  const [ended] = await rows(
    db,
    sql`delete from sessions where id = ${id} and account_id = ${principal.id} returning id`,
  );
  if (!ended) throw notFound('Session', id);
  noteChange(db, { kind: 'sessions', id, name: principal.username });
  return { status: 'OK' as const, message: 'Ended the session.' };
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
 * Sessions that ended by themselves go: their number stays that of the people at work. Those that another process
 * clears at this moment are left to it.
 */
export async function clearEnded(db: Database, limits: SessionLimits): Promise<void> {
  await db.execute(sql`delete from sessions where token_hash in
    (select token_hash from sessions where not (${isAlive(limits)}) for update skip locked)`);
}
