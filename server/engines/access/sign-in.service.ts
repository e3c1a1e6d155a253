import { sql } from 'drizzle-orm';
import { inTransaction } from '#db/client.ts';
import { sessions } from '#db/tables.ts';
import { recordDeed } from '#server/engines/audit/service.ts';
import { invalid, ServiceError } from '#server/errors.ts';
import { sha256 } from '#server/vault.ts';
import type { Caller } from './principal.ts';
import { type Access, proveAccount } from './service.ts';
import { newSessionToken } from './tokens.service.ts';

/** Name and password, in `user` or bare: clients send either (decisions §3). */
type Presented = {
  user?: { username: string; password: string } | undefined;
  username?: string | undefined;
  password?: string | undefined;
};

/** The part of a request's context that signing in and out touches. */
type Entrance = {
  platform: { access: Access; metrics: { signIn: (outcome: 'ok' | 'refused') => void }; now: () => Date };
  request: { id: string; address: string; secure: boolean };
  answer: { headers: Record<string, string> };
};

/**
 * Open a session for the account that name and password prove, and set its cookie.
 *
 * @returns the token, which is stored nowhere but as a hash
 * @throws ServiceError UNAUTHORIZED, alike for an unknown name, a wrong password and an inactive account;
 *   TOO_MANY_REQUESTS with Retry-After
 * @see decisions §3, lifecycle §1
 */
export async function signIn({ platform, request, answer }: Entrance, presented: Presented): Promise<string> {
  const { username, password } = readPresented(presented);
  const { access, metrics, now } = platform;
  const accountId = await proveAccount(access, username, password, request.address);
  metrics.signIn(accountId ? 'ok' : 'refused');
  const deed = {
    account: accountId ? username : '',
    address: request.address,
    operation: 'session.signIn',
    requestId: request.id,
    changes: [],
  };
  if (!accountId) {
    await recordDeed(access.db, { ...deed, outcome: 'refused', status: 401 }, now());
    throw new ServiceError('UNAUTHORIZED', 'Invalid credentials');
  }
  const { cookieName, uniqueSession, logoutTime } = await access.rules();
  const token = newSessionToken();
  await inTransaction(access.db, async (tx) => {
    if (uniqueSession) await tx.delete(sessions).where(sql`account_id = ${accountId}`);
    // Sessions that ended by idleness go here: their number stays that of the people at work.
    await tx
      .delete(sessions)
      .where(sql`last_used_at < now() - make_interval(secs => ${logoutTime * 60}::float8)`);
    await tx.insert(sessions).values({ tokenHash: sha256(token), accountId, address: request.address });
    await recordDeed(tx, { ...deed, outcome: 'ok', status: 200 }, now());
  });
  if (uniqueSession) access.callers.forget();
  answer.headers['Set-Cookie'] = cookie(cookieName, token, request.secure);
  return token;
}

/** End the session that was presented; with Basic or an OAuth token there is none, and nothing to do. */
export async function signOut({ platform, request, answer }: Entrance, caller: Caller) {
  const { access } = platform;
  if (caller.session) {
    await access.db.delete(sessions).where(sql`token_hash = ${caller.session}`);
    access.callers.forget();
  }
  const { cookieName } = await access.rules();
  answer.headers['Set-Cookie'] = `${cookie(cookieName, '', request.secure)}; Max-Age=0`;
  return { status: 'OK' as const, message: 'Signed out' };
}

function readPresented({ user, username, password }: Presented) {
  if (user && username === undefined && password === undefined) return user;
  if (!user && username !== undefined && password !== undefined) return { username, password };
  throw invalid(['user'], 'name the account with username and password, once', 'invalid_type');
}

const cookie = (name: string, value: string, secure: boolean) =>
  `${name}=${value}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
