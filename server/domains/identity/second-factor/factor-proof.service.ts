import { randomBytes } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { Database } from '#db/client.ts';
import type { Change } from '#db/collection.ts';
import type { Assertion } from '#db/schemas/identity/security-key.ts';
import { secondFactors, securityKeys } from '#db/tables/identity/sign-in.ts';
import type { Access } from '#server/kernel/access.ts';
import { ServiceError, unprocessable } from '#server/kernel/errors.ts';
import type { Context, SignedIn } from '#server/kernel/platform.ts';
import { takeOnce } from '../providers/used-once.service.ts';
import { proveAccount } from '../sessions/proof.service.ts';
import { checkAssertion } from './ceremonies.service.ts';
import {
  hashRecoveryCode,
  PERIOD_S,
  RECOVERY_BYTES,
  RECOVERY_CODES,
  recoveryCodeOf,
  stepOf,
  WINDOW,
} from './codes.ts';

/** The place for which the secret of one-time passwords is sealed. */
export const placeOfSecret = (accountId: string) => ['second_factors', accountId, 'secret'] as const;

/** A proof of the second factor: a one-time password, a recovery code, or the answer of a security key. */
export type FactorProof = { code?: string | undefined; securityKey?: z.infer<typeof Assertion> | undefined };

/**
 * Returns the second factor of an account that is in force; `lock` prevents other uses of it until the transaction ends.
 *
 * @param lock needs a transaction
 * @returns undefined when the account has none
 */
export async function findFactor(db: Database, accountId: string, lock = false) {
  const query = db
    .select({ secret: secondFactors.secret, recoveryCodes: secondFactors.recoveryCodes })
    .from(secondFactors)
    .where(and(eq(secondFactors.accountId, accountId), eq(secondFactors.confirmed, true)));
  const [found] = lock ? await query.for('update') : await query;
  return found;
}

/**
 * Returns whether an account signs in with a second factor.
 *
 * @param accountId id of a local account
 */
export const hasSecondFactor = async (db: Database, accountId: string): Promise<boolean> =>
  (await findFactor(db, accountId)) !== undefined;

/** 401: the password was right, and a second factor is needed as well; `factors` are those that the account has. */
export const factorRequired = (factors: readonly ('code' | 'securityKey')[]) =>
  new ServiceError(
    'UNAUTHORIZED',
    'A second factor is required: send its code in the field code, or the answer of a security key in securityKey',
    { extra: { reason: 'second factor required', factors } },
  );

const factorRejected = (message: string) =>
  new ServiceError('UNAUTHORIZED', message, { extra: { reason: 'second factor refused' } });

type Throttled = { platform: { access: Pick<Access, 'throttle'> } };

/**
 * Counts an attempt with a second factor: for the account, from any address, because a client that tries one knows the password.
 *
 * @throws ServiceError TOO_MANY_REQUESTS with Retry-After
 */
export const beginFactor = ({ platform }: Throttled, accountId: string) =>
  platform.access.throttle.begin('second factor', accountId);

/**
 * Counts an attempt with a second factor around a call that checks it; a call without a proof is not counted.
 *
 * @throws ServiceError TOO_MANY_REQUESTS with Retry-After
 */
export async function withAttempt<Result>(
  ctx: Throttled & Pick<SignedIn, 'principal'>,
  { code, securityKey }: FactorProof,
  call: () => Promise<Result>,
): Promise<Result> {
  if (code === undefined && securityKey === undefined) return call();
  const attempt = await beginFactor(ctx, ctx.principal.id);
  const result = await call();
  await attempt.succeeded();
  return result;
}

/**
 * Checks the proof of a second factor, which is accepted only once.
 *
 * @param tx a transaction
 * @returns the security key that was used, for the audit row; nothing for codes, and for an account without a second factor
 * @throws ServiceError UNAUTHORIZED with a reason when the account needs a proof and this is none
 */
export async function takeFactor(
  tx: Database,
  ctx: Pick<Context, 'platform' | 'request'>,
  accountId: string,
  { code, securityKey }: FactorProof,
): Promise<Change[]> {
  const factor = await findFactor(tx, accountId, true);
  if (!factor) return [];
  if (securityKey) return [await takeKey(tx, ctx, accountId, securityKey)];
  if (code === undefined) {
    const hasKeys = (await tx.$count(securityKeys, eq(securityKeys.accountId, accountId))) > 0;
    throw factorRequired(hasKeys ? ['code', 'securityKey'] : ['code']);
  }
  const { platform } = ctx;
  const now = platform.now();
  const step =
    factor.secret === null
      ? null
      : stepOf(platform.vault.open(factor.secret, placeOfSecret(accountId)), code, now);
  const wrong = () => factorRejected('The code is wrong or was used before; wait for the next one');
  if (step !== null) {
    if (!(await takeStep(tx, accountId, step, now))) throw wrong();
    return [];
  }
  const hash = hashRecoveryCode(accountId, code);
  if (!factor.recoveryCodes.includes(hash)) throw wrong();
  const recoveryCodes = factor.recoveryCodes.filter((one) => one !== hash);
  await tx.update(secondFactors).set({ recoveryCodes }).where(eq(secondFactors.accountId, accountId));
  return [];
}

/** Marks a one-time password as used, by its time step. @returns false when it was used before */
export const takeStep = (tx: Database, accountId: string, step: number, now: Date): Promise<boolean> =>
  takeOnce(
    tx,
    `one-time password ${accountId} ${step}`,
    new Date(now.getTime() + (2 * WINDOW + 2) * PERIOD_S * 1000),
  );

/** Marks the challenge of a security key as used. @returns false when it was answered before */
export const takeChallenge = (tx: Database, challenge: string, expires: Date): Promise<boolean> =>
  takeOnce(tx, `security key challenge ${challenge}`, expires);

async function takeKey(
  tx: Database,
  ctx: Pick<Context, 'platform' | 'request'>,
  accountId: string,
  assertion: z.infer<typeof Assertion>,
): Promise<Change> {
  const { id, name, credentialId, publicKey, counter, transports } = securityKeys;
  const isOwn = eq(securityKeys.accountId, accountId);
  const [key] = await tx
    .select({ id, name, credentialId, publicKey, counter, transports })
    .from(securityKeys)
    .where(and(isOwn, eq(credentialId, assertion.id)))
    .for('update');
  const answered = key && (await checkAssertion(ctx, { accountId, session: null }, assertion, key));
  if (!key || !answered || !(await takeChallenge(tx, answered.challenge, answered.expires))) {
    throw factorRejected('The answer of the security key is not valid, or was used before: begin again');
  }
  await tx
    .update(securityKeys)
    .set({ counter: answered.counter, lastUsedAt: sql`now()` })
    .where(eq(id, key.id));
  return { kind: 'security_keys', id: key.id, name: key.name };
}

/**
 * Returns fresh recovery codes, and what is stored of them.
 *
 * @returns `recoveryCodes` are shown once
 */
export function freshRecoveryCodes(accountId: string): { recoveryCodes: string[]; hashes: string[] } {
  const recoveryCodes = Array.from({ length: RECOVERY_CODES }, () =>
    recoveryCodeOf(new Uint8Array(randomBytes(RECOVERY_BYTES))),
  );
  return { recoveryCodes, hashes: recoveryCodes.map((one) => hashRecoveryCode(accountId, one)) };
}

/**
 * Checks the caller's password, before a transaction begins: checking a credential uses connections of its own.
 *
 * @throws ServiceError FORBIDDEN; UNPROCESSABLE_CONTENT for accounts of a directory; TOO_MANY_REQUESTS
 */
export async function assertOwnPassword(
  { platform, principal, request }: Pick<SignedIn, 'platform' | 'principal' | 'request'>,
  password: string,
): Promise<void> {
  if (principal.provenance !== 'local') {
    throw unprocessable(`${principal.username} signs in elsewhere: a second factor is set up there`);
  }
  const claim = { kind: 'person', name: principal.username, secret: password } as const;
  const proof = await proveAccount(platform.access, claim, {
    address: request.address,
    requestId: request.id,
  });
  if (proof?.id !== principal.id) throw new ServiceError('FORBIDDEN', 'The password is wrong');
}
