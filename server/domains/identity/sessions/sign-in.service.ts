import { and, eq, exists, sql } from 'drizzle-orm';
import { type Database, inTransaction } from '#db/client.ts';
import { type Change, noteChange } from '#db/collection.ts';
import { accounts, credentials } from '#db/tables/identity/accounts.ts';
import type { Proof } from '#server/kernel/access.ts';
import { writeAuditRecord } from '#server/kernel/audit/audit.service.ts';
import { invalid, ServiceError } from '#server/kernel/errors.ts';
import { printable } from '#server/kernel/observability/printable.ts';
import type { Context } from '#server/kernel/platform.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { newSessionToken } from '#server/kernel/secrets/session-token.ts';
import { sha256 } from '#server/kernel/secrets/vault.ts';
import { beginFactor, type FactorProof, takeFactor } from '../second-factor/factor-proof.service.ts';
import { proveAccount } from './proof.service.ts';
import { endSession, endSessions, insertSession, type ProviderSession } from './sessions.service.ts';

/** Maximum number of characters of a User-Agent header that a session stores. */
const USER_AGENT_LENGTH = 256;

/** Name and password, in `user` or at the top level: clients send either (contract/decisions#3). */
export type Presented = {
  user?: { username: string; password: string } | undefined;
  username?: string | undefined;
  password?: string | undefined;
};

const SIGNED_IN = { operation: 'session.signIn', status: 200 };

/**
 * Creates a session for the account with this name and password, and sets its cookie.
 *
 * @returns the token, of which only the hash is stored
 * @throws ServiceError UNAUTHORIZED, the same for an unknown name, a wrong password and an inactive account;
 *   TOO_MANY_REQUESTS with Retry-After
 * @see contract/decisions#3, contract/lifecycle#1
 */
export async function signIn(ctx: Omit<Context, 'db'>, presented: Presented & FactorProof): Promise<string> {
  const { platform, request, answer } = ctx;
  const { username, password } = readPresented(presented);
  const { access } = platform;
  const { address, id: requestId } = request;
  const claim = { kind: 'person', name: username, secret: password } as const;
  const proof = await proveAccount(access, claim, { address, requestId });
  if (!proof) throw invalidCredentials();
  const { code, securityKey } = presented;
  const isTried = code !== undefined || securityKey !== undefined;
  const attempt = isTried ? await beginFactor({ platform }, proof.id) : null;
  const starting = startSession({ platform, request }, SIGNED_IN, async (tx) => {
    if (!(await lockProvenAccount(tx, proof))) throw invalidCredentials();
    const changes = await takeFactor(tx, ctx, proof.id, { code, securityKey });
    return { ...proof, changes };
  });
  const { token, setCookie } = await starting.catch(async (error: unknown) => {
    if (attempt && (await attempt.isRecorded())) {
      access.tried('refused');
      const audited = { account: proof.username, accountId: proof.id, credential: null, address, requestId };
      const rejection = { operation: SIGNED_IN.operation, outcome: 'refused', status: 401 } as const;
      await writeAuditRecord(access.db, { ...audited, ...rejection, changes: [] }, platform.now());
    }
    throw error;
  });
  await attempt?.succeeded();
  answer.headers['Set-Cookie'] = setCookie;
  return token;
}

/** Who signed in, the session of the provider that did it, if any, and what the audit row names besides. */
export type SignedInAccount = {
  id: string;
  username: string;
  provider?: ProviderSession;
  changes?: Change[];
};

/**
 * Creates a session.
 *
 * @param audited operation and status of the audit row
 * @param hold locks the account that signed in; it throws when it may not
 * @returns the token, and the header that stores it in a browser
 */
export async function startSession(
  {
    platform: { access, now },
    request,
  }: {
    platform: Pick<Omit<Context, 'db'>['platform'], 'access' | 'now'>;
    request: Omit<Context, 'db'>['request'];
  },
  audited: { operation: string; status: number },
  hold: (tx: Database) => Promise<SignedInAccount>,
): Promise<{ token: string; setCookie: string }> {
  const { address, id: requestId } = request;
  const { cookieName, uniqueSession } = await access.rules();
  await access.clearSessions();
  const token = newSessionToken();
  await inTransaction(access.db, async (tx) => {
    const { id, username, provider, changes = [] } = await hold(tx);
    if (uniqueSession) await endSessions(tx, id);
    const session = await insertSession(tx, {
      tokenHash: sha256(token),
      accountId: id,
      address,
      userAgent: printable(request.userAgent ?? '', USER_AGENT_LENGTH),
      ...provider,
    });
    const credential = { kind: 'session' as const, id: session, name: null };
    const who = { account: username, accountId: id, credential, address, requestId, changes };
    await writeAuditRecord(tx, { ...who, ...audited, outcome: 'ok' }, now());
  });
  if (uniqueSession) access.callers.forget();
  return { token, setCookie: cookie(cookieName, token, request.secure) };
}

/**
 * Locks the account until the transaction ends, and stores the time of the sign-in: sign-ins of one account run
 * sequentially, so that `uniqueSession` leaves one session of two concurrent ones.
 *
 * @returns false when it was deactivated, or its secret replaced, since the credential was checked
 */
export async function lockProvenAccount(tx: Database, { id, generation }: Proof): Promise<boolean> {
  await holdAccount(tx, id);
  // A separate statement: it sees what was stored while the first one waited.
  const isCurrent = and(eq(credentials.accountId, id), eq(credentials.generation, generation ?? 0));
  const held = await tx
    .update(accounts)
    .set({ lastLogin: sql`now()` })
    .where(
      and(
        eq(accounts.id, id),
        sql`${accounts.inactive} is not true and ${accounts.deleted} is not true`,
        generation === null
          ? undefined
          : exists(tx.select({ id: credentials.accountId }).from(credentials).where(isCurrent)),
      ),
    )
    .returning({ id: accounts.id });
  return held.length > 0;
}

/** Locks an account until the transaction ends; other transactions can still insert references to it. */
export const holdAccount = (tx: Database, id: string) =>
  tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, id)).for('no key update');

/** Ends the caller's current session only; does nothing for Basic authentication or an OAuth token. */
export async function signOut({
  db,
  principal,
  platform,
  request,
  answer,
}: Omit<Context, 'db'> & { db: Database; principal: Caller }) {
  if (principal.session) {
    await endSession(db, principal.session);
    // This fills the audit row; and a write to an account clears this process's cache of callers.
    noteChange(db, { kind: 'accounts', id: principal.id, name: principal.username });
  }
  const { cookieName } = await platform.access.knownRules();
  answer.headers['Set-Cookie'] = `${cookie(cookieName, '', request.secure)}; Max-Age=0`;
  return { status: 'OK' as const, message: 'Signed out' };
}

/** 401: the same for an unknown name, a wrong password and an inactive account. */
export const invalidCredentials = () => new ServiceError('UNAUTHORIZED', 'Invalid credentials');

/** Returns name and password. @throws ServiceError BAD_REQUEST when they are not sent once */
export function readPresented({ user, username, password }: Presented) {
  if (user && username === undefined && password === undefined) return user;
  if (!user && username !== undefined && password !== undefined) return { username, password };
  throw invalid(['user'], 'send username and password once', 'invalid_type');
}

const cookie = (name: string, value: string, secure: boolean) =>
  `${name}=${value}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
