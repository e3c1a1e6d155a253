import { and, desc, eq, inArray, ne, not, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { sessions } from '#db/tables/documents.ts';
import type { Access, SignInRules } from '#server/kernel/access.ts';
import { notFound } from '#server/kernel/errors.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { isoOf } from '../accounts/iso-time.service.ts';

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

/** Finds a session that has not ended by itself; `idle` in seconds. */
export async function findSession(db: Database, tokenHash: string, limits: SessionLimits) {
  const idle = sql<number>`extract(epoch from now() - ${sessions.lastUsedAt})::float8`;
  const [session] = await db
    .select({ accountId: sessions.accountId, idle })
    .from(sessions)
    .where(and(eq(sessions.tokenHash, tokenHash), isAlive(limits)));
  return session;
}

/** Whether a row of `sessions` has ended neither by idleness nor by age. */
export const isAlive = ({ idleSeconds, maximumSeconds }: SessionLimits) =>
  sql`(${sessions.lastUsedAt} > now() - make_interval(secs => ${idleSeconds}::float8)
    and ${sessions.createdAt} > now() - make_interval(secs => ${maximumSeconds}::float8))`;

/** A request used the session: its idle time begins anew (contract/lifecycle#1). */
export async function touchSession(
  db: Database,
  tokenHash: string,
  { idle }: { idle: number },
  idleSeconds: number,
): Promise<void> {
  const stale = idleSeconds * TOUCH_SHARE;
  if (idle <= stale) return;
  // Of the many requests that find it stale together only the first writes.
  const isStale = sql`${sessions.lastUsedAt} <= now() - make_interval(secs => ${stale}::float8)`;
  await db
    .update(sessions)
    .set({ lastUsedAt: sql`now()` })
    .where(and(eq(sessions.tokenHash, tokenHash), isStale));
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

type Own = { db: Database; principal: Caller };

/** Lists the caller's own sessions, the latest used first: neither their tokens nor the hashes of these. */
export async function listOwnSessions({
  db,
  principal,
  platform,
}: Own & { platform: { access: Pick<Access, 'rules'> } }) {
  const limits = sessionLimitsOf(await platform.access.rules());
  const { id, address, userAgent, createdAt, lastUsedAt } = sessions;
  const own = and(eq(sessions.accountId, principal.id), isAlive(limits));
  const results = await db
    .select({
      _id: id,
      address,
      userAgent,
      created: isoOf(createdAt),
      lastUsed: isoOf(lastUsedAt),
      expires: isoOf(sql`${createdAt} + make_interval(secs => ${limits.maximumSeconds}::float8)`),
      current: sql<boolean>`${sessions.tokenHash} is not distinct from ${principal.session}::text`,
    })
    .from(sessions)
    .where(own)
    .orderBy(desc(lastUsedAt), id)
    .limit(LISTED);
  return { results, total: results.length < LISTED ? results.length : await db.$count(sessions, own) };
}

/**
 * Ends one of the caller's own sessions, in every process at once.
 *
 * @throws ServiceError NOT_FOUND also for a session of somebody else
 */
export async function endOwnSession({ db, principal }: Own, id: string) {
  const [ended] = await db
    .delete(sessions)
    .where(and(eq(sessions.id, id), eq(sessions.accountId, principal.id)))
    .returning({ id: sessions.id });
  if (!ended) throw notFound('Session', id);
  noteChange(db, { kind: 'sessions', id, name: principal.username });
  return { status: 'OK' as const, message: 'Ended the session.' };
}

export async function endSession(db: Database, tokenHash: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.tokenHash, tokenHash));
}

/** End the sessions of an account, all of them or all but one. */
export async function endSessions(
  tx: Database,
  accountId: string,
  kept: string | null = null,
): Promise<void> {
  const isOther = kept === null ? undefined : ne(sessions.tokenHash, kept);
  await tx.delete(sessions).where(and(eq(sessions.accountId, accountId), isOther));
}

/**
 * Sessions that ended by themselves go: their number stays that of the people at work. Those that another process
 * clears at this moment are left to it.
 */
export async function clearEnded(db: Database, limits: SessionLimits): Promise<void> {
  const { tokenHash } = sessions;
  const ended = db
    .select({ tokenHash })
    .from(sessions)
    .where(not(isAlive(limits)));
  await db.delete(sessions).where(inArray(tokenHash, ended.for('update', { skipLocked: true })));
}
