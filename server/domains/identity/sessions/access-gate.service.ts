import { eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { credentials } from '#db/tables/identity/accounts.ts';
import type { Access, Directories, From, SignInRules } from '#server/kernel/access.ts';
import { ServiceError, WrongCredential } from '#server/kernel/errors.ts';
import { type AccountRights, type Caller, callerOf } from '#server/kernel/principal.ts';
import { sha256 } from '#server/kernel/secrets/vault.ts';
import { throttleCall } from '#server/kernel/timing/throttle-call.ts';
import { unlessAway } from '#server/kernel/timing/unless-away.ts';
import { openCallers } from '../rights/callers.ts';
import { effectiveRightsOf } from '../rights/effective-rights.service.ts';
import { factorRequired, hasSecondFactor } from '../second-factor/factor-proof.service.ts';
import { type Claim, keyOfClaim, proveAccount } from './proof.service.ts';
import { clearEnded, findSession, sessionLimitsOf, touchSession } from './sessions.service.ts';
import { openThrottle } from './throttle.service.ts';
import {
  bearerOf,
  clearExpiredTokens,
  findPersonalToken,
  isPersonalToken,
  touchPersonalToken,
} from './token-check.service.ts';
import { accessTokenCredential, readAccessToken } from './tokens.service.ts';

/** How often each process deletes ended sessions, in milliseconds. */
const CLEARED_MS = 60_000;

type AccessGateDependencies = {
  db: Database;
  /** The first signs OAuth access tokens, all verify them. */
  tokenKeys: readonly Buffer[];
  rules: () => Promise<SignInRules>;
  now: () => Date;
  signIn: (outcome: 'ok' | 'refused' | 'throttled') => void;
  directories: Directories;
};

/** Returns the empty state of a process for callers and sign-ins. */
export function openAccess({ db, tokenKeys, now, signIn, ...parts }: AccessGateDependencies): Access {
  let known: SignInRules | undefined;
  const rules = async () => {
    known = await parts.rules();
    return known;
  };
  return {
    db,
    callers: openCallers(),
    pending: new Map(),
    proofs: new Map(),
    throttle: openThrottle(db, () => signIn('throttled')),
    tokenKeys,
    rules,
    directories: parts.directories,
    knownRules: async () => known ?? rules(),
    now,
    tried: signIn,
    clearSessions: throttleCall(CLEARED_MS, async () => {
      await clearEnded(db, sessionLimitsOf(await rules()));
      await clearExpiredTokens(db);
    }),
  };
}

type Presented =
  | { kind: 'token'; token: string; from: 'header' | 'cookie' | 'query' }
  | { kind: 'basic'; username: string; password: string }
  | { kind: 'unreadable' };

const UNKNOWN = 'The credential is unknown or has expired; sign in again';
const unauthorized = () => new WrongCredential('UNAUTHORIZED', UNKNOWN);

/**
 * Returns the caller that a credential belongs to.
 *
 * @param from origin of the request; `background`: true for a request that no user triggered, which does not extend
 *   the session; `withoutDatabase`: true where the last known caller counts while the database is away
 * @throws ServiceError UNAUTHORIZED when it is wrong or expired, TOO_MANY_REQUESTS when it was tried too often
 * @see contract/decisions#3, contract/lifecycle#1
 */
export async function principalOf(
  access: Access,
  credential: Presented,
  from: From & { background: boolean; withoutDatabase?: boolean },
): Promise<Caller> {
  if (credential.kind === 'unreadable') throw unauthorized();
  if (credential.kind === 'basic') {
    const { username: name, password: secret } = credential;
    return byPassword(access, { kind: 'person', name, secret }, from);
  }
  // Browsers send cookies automatically; personal tokens are for programs, which send them deliberately.
  if (credential.from === 'cookie' && isPersonalToken(credential.token)) throw unauthorized();
  const { token } = credential;
  const lastKnown = from.withoutDatabase && access.callers.last(token, access.now().getTime());
  const found = byToken(access, token, from.background);
  return lastKnown ? unlessAway(found, lastKnown) : found;
}

/** Caches callers by the token itself, in this process only: hashing it costs more than the rest of a look-up. */
async function byToken(access: Access, token: string, background: boolean): Promise<Caller> {
  const now = access.now().getTime();
  const known = access.callers.get(token, now);
  if (known) return known;
  const epoch = access.callers.epoch();
  // Concurrent requests share one look-up; a request that starts after a change of rights does not join an older one.
  const cacheKey = `${token} ${background} ${epoch}`;
  const pending = access.pending.get(cacheKey);
  if (pending) return pending;
  const looked = (
    isPersonalToken(token)
      ? callerByPersonalToken(access, token)
      : isAccessToken(token)
        ? callerByAccessToken(access, token)
        : callerBySession(access, sha256(token), background)
  ).finally(() => access.pending.delete(cacheKey));
  access.pending.set(cacheKey, looked);
  const caller = await looked.catch((error: unknown) => {
    if (error instanceof WrongCredential) access.callers.drop(token);
    throw error;
  });
  // A background request does not extend the session, so its cached result must not replace the next request's look-up.
  if (!background && epoch === access.callers.epoch()) access.callers.set(token, caller, now);
  return caller;
}

/**
 * Returns whether a token is a JWT, which has two dots; a session token has none (contract/lifecycle#1: alphabet
 * `[A-Za-z0-9_-]`).
 */
const isAccessToken = (token: string) => token.includes('.');

async function callerBySession(access: Access, tokenHash: string, background: boolean): Promise<Caller> {
  const rules = await access.rules();
  const limits = sessionLimitsOf(rules);
  const session = await findSession(access.db, tokenHash, limits);
  if (session?.providerId) {
    const { accountId: id, providerId } = session;
    if (!(await access.directories.confirm({ id }, { tokenHash, providerId }))) throw unauthorized();
  }
  const accountRights = session && (await effectiveRightsOf(access.db, session.accountId));
  if (!accountRights) throw unauthorized();
  if (!background) await touchSession(access.db, tokenHash, session, limits.idleSeconds);
  return {
    ...callerOf(accountRights, rules.admins, tokenHash),
    credential: { kind: 'session', id: session.id, name: null },
  };
}

/** Needs as many queries as a session: the token, the rights of the account, and occasionally the time of use. */
async function callerByPersonalToken(access: Access, token: string): Promise<Caller> {
  const granted = await findPersonalToken(access.db, token);
  const accountRights = granted && (await currentRightsOf(access, granted.accountId));
  if (!accountRights) throw unauthorized();
  await touchPersonalToken(access.db, granted);
  const { admins } = await access.rules();
  return bearerOf(accountRights, admins, granted);
}

async function callerByAccessToken(access: Access, token: string): Promise<Caller> {
  const claims = await readAccessToken(access.tokenKeys, token, access.now());
  if (!claims) throw unauthorized();
  const [current] = await access.db
    .select({ generation: credentials.generation })
    .from(credentials)
    .where(eq(credentials.accountId, claims.account));
  if (current?.generation !== claims.generation) throw unauthorized();
  const caller = await callerById(access, claims.account);
  return { ...caller, credential: accessTokenCredential(claims.tokenId) };
}

/** Every request sends the password again: the result is cached for a second, under a key that is not the password. */
async function byPassword(access: Access, claim: Claim, from: From): Promise<Caller> {
  const key = `basic ${keyOfClaim(claim)}`;
  const now = access.now().getTime();
  const known = access.callers.get(key, now);
  if (known) return known;
  const epoch = access.callers.epoch();
  const proof = await proveAccount(access, claim, from);
  // The audit trail already has this attempt, as it has every sign-in.
  if (!proof) throw new ServiceError('UNAUTHORIZED', UNKNOWN);
  if (await hasSecondFactor(access.db, proof.id)) throw factorRequired([]);
  const caller: Caller = {
    ...(await callerById(access, proof.id)),
    credential: { kind: 'password', id: null, name: null },
  };
  if (epoch === access.callers.epoch()) access.callers.set(key, caller, now);
  return caller;
}

/** Returns the rights of an account; those of a user of a directory are compared with it first. */
async function currentRightsOf(access: Access, accountId: string): Promise<AccountRights | undefined> {
  const accountRights = await effectiveRightsOf(access.db, accountId);
  if (!accountRights || OWN.has(accountRights.provenance)) return accountRights;
  const confirmed = await access.directories.confirm({ id: accountId }, null);
  return confirmed ? effectiveRightsOf(access.db, accountId) : undefined;
}

/** Provenances of accounts that are in no directory. */
const OWN = new Set(['local', 'Service Account']);

async function callerById(access: Access, accountId: string): Promise<Caller> {
  const accountRights = await currentRightsOf(access, accountId);
  if (!accountRights) throw unauthorized();
  return callerOf(accountRights, (await access.rules()).admins, null);
}
