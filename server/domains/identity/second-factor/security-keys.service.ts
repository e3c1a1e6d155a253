import { and, asc, eq, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { Database } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { isoOf } from '#db/expressions.ts';
import { newId } from '#db/ids.ts';
import type { Attestation } from '#db/schemas/identity/security-key.ts';
import { secondFactors, securityKeys } from '#db/tables/identity/sign-in.ts';
import { conflict, notFound, ServiceError } from '#server/kernel/errors.ts';
import type { Context, SignedIn } from '#server/kernel/platform.ts';
import { proveAccount } from '../sessions/proof.service.ts';
import { endSessions } from '../sessions/sessions.service.ts';
import {
  holdAccount,
  invalidCredentials,
  type Presented,
  readPresented,
} from '../sessions/sign-in.service.ts';
import { beginCreation, beginRequest, checkAttestation, keyHostOf } from './ceremonies.service.ts';
import {
  type FactorProof,
  findFactor,
  freshRecoveryCodes,
  takeChallenge,
  takeFactor,
} from './factor-proof.service.ts';
import { keepWhileUsed, outcomeOf } from './second-factor.service.ts';

/** Maximum number of security keys per account. */
const MOST = 20;

/** A security key as its owner sees it. */
const SHOWN = {
  _id: securityKeys.id,
  name: securityKeys.name,
  host: securityKeys.host,
  transports: securityKeys.transports,
  created: isoOf(securityKeys.createdAt),
  lastUsed: sql<string | null>`${isoOf(securityKeys.lastUsedAt)}`,
};

const ofAccount = (accountId: string) => eq(securityKeys.accountId, accountId);

const credentialsOf = (db: Database, accountId: string, host: string) =>
  db
    .select({ credentialId: securityKeys.credentialId, transports: securityKeys.transports })
    .from(securityKeys)
    .where(and(ofAccount(accountId), eq(securityKeys.host, host)));

/** Lists the caller's security keys, the oldest first. */
export async function listSecurityKeys({ db, principal }: Pick<SignedIn, 'db' | 'principal'>) {
  const results = await db
    .select(SHOWN)
    .from(securityKeys)
    .where(ofAccount(principal.id))
    .orderBy(asc(securityKeys.createdAt), asc(securityKeys.id));
  return { results, total: results.length };
}

/**
 * Begins to register a key for the caller.
 *
 * @param proof of the second factor that the account has already, if any
 * @returns options for the browser
 * @throws ServiceError CONFLICT at the limit of keys; UNAUTHORIZED with a reason without the proof; UNPROCESSABLE_CONTENT when the
 *   platform is reached by an IP address
 */
export async function startSecurityKey(ctx: SignedIn, proof: FactorProof) {
  const { db, principal, answer } = ctx;
  const { id, username, session } = principal;
  const host = keyHostOf(ctx);
  await assertRoom(db, id);
  await takeFactor(db, ctx, id, proof);
  const known = await credentialsOf(db, id, host);
  const bond = { accountId: id, session: session ?? null };
  const { options, setCookie } = await beginCreation(ctx, { id, username }, bond, known);
  answer.headers['Set-Cookie'] = setCookie;
  noteChange(db, { kind: 'second_factors', id, name: username });
  return { options };
}

async function assertRoom(db: Database, accountId: string): Promise<void> {
  // Without the lock, two concurrent requests would both see room for one more.
  await holdAccount(db, accountId);
  if ((await db.$count(securityKeys, ofAccount(accountId))) >= MOST) {
    throw conflict(`The account has ${MOST} security keys, the limit; remove one first`);
  }
}

/**
 * Stores a key that the browser has created. With the first second factor of an account, other sessions of the account end.
 *
 * @returns the key, and recovery codes when the account had no second factor before; they are shown once
 * @throws ServiceError UNAUTHORIZED when this session began no registration, or used it before; BAD_REQUEST when the credential is
 *   not valid; CONFLICT for a key that the account has already
 */
export async function confirmSecurityKey(
  ctx: SignedIn,
  name: string,
  credential: z.infer<typeof Attestation>,
) {
  const { db, principal } = ctx;
  const { id: accountId, username, session } = principal;
  const bond = { accountId, session: session ?? null };
  const { challenge, expires, host, key } = await checkAttestation(ctx, bond, credential);
  if (!(await takeChallenge(db, challenge, expires))) {
    throw new ServiceError('UNAUTHORIZED', 'This registration has ended: begin again', {
      extra: { reason: 'ATTEMPT_UNKNOWN' },
    });
  }
  await assertRoom(db, accountId);
  const id = newId();
  const stored = await db
    .insert(securityKeys)
    .values({ id, accountId, name, host, ...key })
    .onConflictDoNothing()
    .returning({ id: securityKeys.id });
  if (stored.length === 0) throw conflict('The account has this security key already');
  noteChange(db, { kind: 'security_keys', id, name });
  const recoveryCodes = (await findFactor(db, accountId, true)) ? [] : await startFactor(ctx);
  const [data] = await db.select(SHOWN).from(securityKeys).where(eq(securityKeys.id, id));
  if (!data) throw notFound('Security key', id);
  const message = `Registered ${name}: signing in as ${username} needs a second factor.`;
  return { status: 'Created' as const, message, data, recoveryCodes };
}

/** Puts the second factor of an account in force that had none. */
async function startFactor({ db, principal }: SignedIn): Promise<string[]> {
  const { id, username, session } = principal;
  const { recoveryCodes, hashes } = freshRecoveryCodes(id);
  const inForce = { confirmed: true, recoveryCodes: hashes };
  await db
    .insert(secondFactors)
    .values({ accountId: id, ...inForce })
    .onConflictDoUpdate({ target: secondFactors.accountId, set: { ...inForce, createdAt: sql`now()` } });
  await endSessions(db, id, session);
  noteChange(db, { kind: 'second_factors', id, name: username });
  noteChange(db, { kind: 'sessions', id, name: username });
  return recoveryCodes;
}

/** Renames one of the caller's keys. @throws ServiceError NOT_FOUND */
export async function renameSecurityKey({ db, principal }: SignedIn, id: string, name: string) {
  const [data] = await db
    .update(securityKeys)
    .set({ name })
    .where(and(ofAccount(principal.id), eq(securityKeys.id, id)))
    .returning(SHOWN);
  if (!data) throw notFound('Security key', id);
  noteChange(db, { kind: 'security_keys', id, name });
  return { status: 'OK' as const, message: `Renamed the key to ${name}.`, data };
}

/**
 * Removes one of the caller's keys. Without another key and without one-time passwords the account has no second factor any more.
 *
 * @throws ServiceError NOT_FOUND; UNAUTHORIZED with a reason for a wrong proof
 */
export async function removeSecurityKey(ctx: SignedIn, id: string, proof: FactorProof) {
  const { db, principal } = ctx;
  const isOne = and(ofAccount(principal.id), eq(securityKeys.id, id));
  if ((await db.$count(securityKeys, isOne)) === 0) throw notFound('Security key', id);
  await takeFactor(db, ctx, principal.id, proof);
  const [removed] = await db.delete(securityKeys).where(isOne).returning({ name: securityKeys.name });
  if (!removed) throw notFound('Security key', id);
  noteChange(db, { kind: 'security_keys', id, name: removed.name });
  noteChange(db, { kind: 'second_factors', id: principal.id, name: principal.username });
  const isNeeded = await keepWhileUsed(db, principal.id);
  return { status: 'OK' as const, message: `Removed ${removed.name}. ${outcomeOf(isNeeded)}` };
}

/**
 * Begins to prove a second factor by a security key: for a sign-in, or for a change of the second factor.
 *
 * @returns options for the browser
 * @throws ServiceError UNAUTHORIZED as for a sign-in; CONFLICT when the account has no key for this host; TOO_MANY_REQUESTS
 */
export async function beginSecurityKey(ctx: Omit<Context, 'db'>, presented: Presented) {
  const { platform, request, answer } = ctx;
  const { username, password } = readPresented(presented);
  const host = keyHostOf(ctx);
  const claim = { kind: 'person', name: username, secret: password } as const;
  const from = { address: request.address, requestId: request.id };
  const proof = await proveAccount(platform.access, claim, from);
  if (!proof) throw invalidCredentials();
  const known = await credentialsOf(platform.access.db, proof.id, host);
  if (known.length === 0) throw conflict(`The account has no security key for ${host}`);
  const { options, setCookie } = await beginRequest(ctx, { accountId: proof.id, session: null }, known);
  answer.headers['Set-Cookie'] = setCookie;
  return { options };
}
