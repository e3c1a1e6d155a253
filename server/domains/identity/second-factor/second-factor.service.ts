import { randomBytes } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { find, noteChange } from '#db/collection.ts';
import { accounts } from '#db/tables/documents.ts';
import { secondFactors } from '#db/tables/sign-in.ts';
import type { Access } from '#server/kernel/access.ts';
import { conflict, invalid, notFound, ServiceError, unprocessable } from '#server/kernel/errors.ts';
import type { SignedIn } from '#server/kernel/platform.ts';
import type { Vault } from '#server/kernel/secrets/vault.ts';
import { isoOf } from '../accounts/iso-time.service.ts';
import { takeOnce } from '../providers/used-once.service.ts';
import { proveAccount } from '../sessions/proof.service.ts';
import { endSessions } from '../sessions/sessions.service.ts';
import {
  describeSecret,
  hashRecoveryCode,
  PERIOD_S,
  RECOVERY_BYTES,
  RECOVERY_CODES,
  recoveryCodeOf,
  SECRET_BYTES,
  stepOf,
  WINDOW,
} from './codes.ts';

const placeOf = (accountId: string) => ['second_factors', accountId, 'secret'] as const;

const freshBytes = (count: number): Uint8Array<ArrayBuffer> => new Uint8Array(randomBytes(count));

/** Returns whether an account signs in with a second factor. */
export async function hasSecondFactor(db: Database, accountId: string): Promise<boolean> {
  const isActive = and(eq(secondFactors.accountId, accountId), eq(secondFactors.confirmed, true));
  return (await db.$count(secondFactors, isActive)) > 0;
}

/** 401: the password was right, and a code is needed as well. */
export const codeRequired = () =>
  new ServiceError('UNAUTHORIZED', 'A code of the second factor is required: send it in the field code', {
    extra: { reason: 'second factor required' },
  });

const codeRefused = () =>
  new ServiceError('UNAUTHORIZED', 'The code is wrong or was used before; wait for the next one', {
    extra: { reason: 'second factor refused' },
  });

type Throttled = { platform: { access: Pick<Access, 'throttle'> } };

/**
 * Counts an attempt with a code: for the account, from whatever address, because whoever tries codes has the password.
 *
 * @throws ServiceError TOO_MANY_REQUESTS with Retry-After
 */
export const beginCode = ({ platform }: Throttled, accountId: string) =>
  platform.access.throttle.begin('second factor', accountId);

/**
 * Takes a one-time password or a recovery code; neither is accepted again.
 *
 * @param tx a transaction
 * @throws ServiceError UNAUTHORIZED with a reason when the account needs a code and this is none; does nothing for an account
 *   without a second factor
 */
export async function takeCode(
  tx: Database,
  { vault, now }: { vault: Vault; now: Date },
  accountId: string,
  code: string | undefined,
): Promise<void> {
  const [factor] = await tx
    .select({ secret: secondFactors.secret, recoveryCodes: secondFactors.recoveryCodes })
    .from(secondFactors)
    .where(and(eq(secondFactors.accountId, accountId), eq(secondFactors.confirmed, true)))
    .for('update');
  if (!factor) return;
  if (code === undefined) throw codeRequired();
  const step = stepOf(vault.open(factor.secret, placeOf(accountId)), code, now);
  if (step !== null) {
    if (!(await takeOnce(tx, `one-time password ${accountId} ${step}`, expiryOf(now)))) throw codeRefused();
    return;
  }
  const hash = hashRecoveryCode(accountId, code);
  if (!factor.recoveryCodes.includes(hash)) throw codeRefused();
  const recoveryCodes = factor.recoveryCodes.filter((one) => one !== hash);
  await tx.update(secondFactors).set({ recoveryCodes }).where(eq(secondFactors.accountId, accountId));
}

const expiryOf = (now: Date) => new Date(now.getTime() + (2 * WINDOW + 2) * PERIOD_S * 1000);

/** Returns whether the caller has a second factor, and how many recovery codes are left. */
export async function readSecondFactor({ db, principal }: Pick<SignedIn, 'db' | 'principal'>) {
  const [found] = await db
    .select({
      since: isoOf(secondFactors.createdAt),
      left: sql<number>`jsonb_array_length(${secondFactors.recoveryCodes})`,
    })
    .from(secondFactors)
    .where(and(eq(secondFactors.accountId, principal.id), eq(secondFactors.confirmed, true)));
  return { enabled: found !== undefined, since: found?.since ?? null, recoveryCodesLeft: found?.left ?? 0 };
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

/**
 * Begins to set up a second factor: it takes effect once a code was confirmed.
 *
 * @returns the secret, which is shown once
 * @throws ServiceError CONFLICT when there is one already
 */
export async function startSecondFactor({ db, platform, principal }: SignedIn) {
  const { id, username } = principal;
  if (await hasSecondFactor(db, id)) throw conflict('The account has a second factor: disable it first');
  const described = describeSecret(username, freshBytes(SECRET_BYTES));
  const secret = platform.vault.seal(described.secret, placeOf(id));
  const values = { accountId: id, secret, recoveryCodes: [], confirmed: false };
  const stored = await db
    .insert(secondFactors)
    .values(values)
    .onConflictDoUpdate({
      target: secondFactors.accountId,
      set: { secret, createdAt: sql`now()` },
      setWhere: eq(secondFactors.confirmed, false),
    })
    .returning({ id: secondFactors.accountId });
  if (stored.length === 0) throw conflict('The account has a second factor: disable it first');
  noteChange(db, { kind: 'second_factors', id, name: username });
  return described;
}

/**
 * Confirms a second factor with its first code; from now on signing in needs one. Other sessions of the account end.
 *
 * @returns recovery codes, which are shown once
 * @throws ServiceError CONFLICT when none was begun; BAD_REQUEST for a wrong code
 */
export async function confirmSecondFactor({ db, platform, principal }: SignedIn, code: string) {
  const { id, username } = principal;
  const [begun] = await db
    .select({ secret: secondFactors.secret })
    .from(secondFactors)
    .where(and(eq(secondFactors.accountId, id), eq(secondFactors.confirmed, false)))
    .for('update');
  if (!begun) throw conflict('No second factor waits for a code: begin with POST /user/second_factor');
  const now = platform.now();
  const step = stepOf(platform.vault.open(begun.secret, placeOf(id)), code, now);
  if (step === null || !(await takeOnce(db, `one-time password ${id} ${step}`, expiryOf(now)))) {
    throw invalid(
      ['code'],
      'is wrong; check the clock of the device and send the current code',
      'wrong_code',
    );
  }
  const recoveryCodes = Array.from({ length: RECOVERY_CODES }, () =>
    recoveryCodeOf(freshBytes(RECOVERY_BYTES)),
  );
  await db
    .update(secondFactors)
    .set({
      confirmed: true,
      createdAt: sql`now()`,
      recoveryCodes: recoveryCodes.map((one) => hashRecoveryCode(id, one)),
    })
    .where(eq(secondFactors.accountId, id));
  await endSessions(db, id, principal.session);
  noteChange(db, { kind: 'sessions', id, name: username });
  const message = 'Signing in needs a code from now on.';
  return { status: 'OK' as const, message, recoveryCodes };
}

/**
 * Removes the caller's second factor.
 *
 * @throws ServiceError UNAUTHORIZED with a reason for a wrong code; CONFLICT when there is none
 */
export async function disableSecondFactor({ db, platform, principal }: SignedIn, code: string) {
  const { id } = principal;
  if (!(await hasSecondFactor(db, id))) throw conflict('The account has no second factor');
  await takeCode(db, { vault: platform.vault, now: platform.now() }, id, code);
  await db.delete(secondFactors).where(eq(secondFactors.accountId, id));
  noteChange(db, { kind: 'second_factors', id, name: principal.username });
  return { status: 'OK' as const, message: 'Signing in needs no code any more.' };
}

/** Removes the second factor of any account, and ends its sessions. @throws ServiceError NOT_FOUND */
export async function removeSecondFactor({ db }: Pick<SignedIn, 'db'>, accountId: string) {
  const account = await find(db, accounts, accountId);
  if (!account) throw notFound('Account', accountId);
  const { username } = account.doc;
  const removed = await db
    .delete(secondFactors)
    .where(eq(secondFactors.accountId, accountId))
    .returning({ id: secondFactors.accountId });
  if (removed.length === 0) throw notFound('Second factor of the account', username);
  await endSessions(db, accountId);
  noteChange(db, { kind: 'second_factors', id: accountId, name: username });
  noteChange(db, { kind: 'sessions', id: accountId, name: username });
  return { status: 'OK' as const, message: `Removed the second factor of ${username}.` };
}
