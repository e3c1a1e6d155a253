import { and, desc, eq, inArray, ne, not, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { isoOf } from '#db/expressions.ts';
import { sessions } from '#db/tables/identity/accounts.ts';
import type { Access, SignInRules } from '#server/kernel/access.ts';
import { notFound } from '#server/kernel/errors.ts';
import type { Caller } from '#server/kernel/principal.ts';

/** Maximum idle time in minutes that a profile can set: ten years; longer ones exceed the range of dates. */
const LONGEST = 10 * 365 * 24 * 60;

/** Share of the idle time after which a request records that the session was used, to avoid a write per request. */
const TOUCH_SHARE = 0.02;

/** The limits of a session: seconds of inactivity, and seconds since its sign-in. */
export type SessionLimits = { idleSeconds: number; maximumSeconds: number };

/** Returns the limits of sessions in seconds. @param rules limits in minutes */
export const sessionLimitsOf = ({
  logoutTime,
  sessionMaximum,
}: Pick<SignInRules, 'logoutTime' | 'sessionMaximum'>): SessionLimits => ({
  idleSeconds: Math.min(logoutTime, LONGEST) * 60,
  maximumSeconds: Math.min(sessionMaximum, LONGEST) * 60,
});

/** Returns a session that has not expired; `idle` in seconds. */
export async function findSession(db: Database, tokenHash: string, limits: SessionLimits) {
  const idle = sql<number>`extract(epoch from now() - ${sessions.lastUsedAt})::float8`;
  const [session] = await db
    .select({ id: sessions.id, accountId: sessions.accountId, providerId: sessions.providerId, idle })
    .from(sessions)
    .where(and(eq(sessions.tokenHash, tokenHash), isAlive(limits)));
  return session;
}

/** Returns the condition that a row of `sessions` has expired neither by inactivity nor by age. */
export const isAlive = ({ idleSeconds, maximumSeconds }: SessionLimits) =>
  sql`(${sessions.lastUsedAt} > now() - make_interval(secs => ${idleSeconds}::float8)
    and ${sessions.createdAt} > now() - make_interval(secs => ${maximumSeconds}::float8))`;

/** Restarts the idle time of a session that a request used (contract/lifecycle#1). */
export async function touchSession(
  db: Database,
  tokenHash: string,
  { idle }: { idle: number },
  idleSeconds: number,
): Promise<void> {
  const stale = idleSeconds * TOUCH_SHARE;
  if (idle <= stale) return;
  // Of concurrent requests that find it stale only the first writes.
  const isStale = sql`${sessions.lastUsedAt} <= now() - make_interval(secs => ${stale}::float8)`;
  await db
    .update(sessions)
    .set({ lastUsedAt: sql`now()` })
    .where(and(eq(sessions.tokenHash, tokenHash), isStale));
}

/** The session of a sign-in provider behind a session here. */
export type ProviderSession = {
  providerId: string;
  /** The provider's name of the session (`sid`), where it has one. */
  providerSession?: string | null;
  subject: string;
  /** Tokens of the provider, sealed. */
  providerTokens?: string | null;
};

/** Stores a session with only the hash of its token (contract/decisions#3). @returns its id */
export async function insertSession(
  tx: Database,
  session: {
    tokenHash: string;
    accountId: string;
    address: string;
    userAgent: string;
  } & Partial<ProviderSession>,
): Promise<string> {
  const [{ id } = { id: '' }] = await tx.insert(sessions).values(session).returning({ id: sessions.id });
  return id;
}

/** Maximum number of sessions in one list. */
const LISTED = 1000;

type Own = { db: Database; principal: Caller };

/** Lists the caller's own sessions, most recently used first, without tokens and hashes. */
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
 * @throws ServiceError NOT_FOUND also for a session of another user
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

/** Ends a session. @param tokenHash SHA-256 of its token */
export async function endSession(db: Database, tokenHash: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.tokenHash, tokenHash));
}

/** Ends the sessions of an account, all of them or all but one. */
export async function endSessions(
  tx: Database,
  accountId: string,
  kept: string | null = null,
): Promise<void> {
  const isOther = kept === null ? undefined : ne(sessions.tokenHash, kept);
  await tx.delete(sessions).where(and(eq(sessions.accountId, accountId), isOther));
}

/**
 * Deletes expired sessions, so that their number remains that of the active users. Skips those that another process is
 * deleting.
 */
export async function clearEnded(db: Database, limits: SessionLimits): Promise<void> {
  const { tokenHash } = sessions;
  const ended = db
    .select({ tokenHash })
    .from(sessions)
    .where(not(isAlive(limits)));
  await db.delete(sessions).where(inArray(tokenHash, ended.for('update', { skipLocked: true })));
}
