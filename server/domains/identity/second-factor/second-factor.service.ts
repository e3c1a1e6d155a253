import { randomBytes } from 'node:crypto';
import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { find, noteChange } from '#db/collection.ts';
import { isoOf } from '#db/expressions.ts';
import { accounts } from '#db/tables/identity/accounts.ts';
import { secondFactors, securityKeys } from '#db/tables/identity/sign-in.ts';
import { conflict, invalid, notFound } from '#server/kernel/errors.ts';
import type { SignedIn } from '#server/kernel/platform.ts';
import { endSessions } from '../sessions/sessions.service.ts';
import { describeSecret, SECRET_BYTES, stepOf } from './codes.ts';
import {
  type FactorProof,
  findFactor,
  freshRecoveryCodes,
  placeOfSecret,
  takeFactor,
  takeStep,
} from './factor-proof.service.ts';

/**
 * Returns what the caller's second factor consists of, and how many recovery codes are left.
 *
 * @returns whether one-time passwords are in force, and the numbers of keys and codes
 */
export async function readSecondFactor({ db, principal }: Pick<SignedIn, 'db' | 'principal'>) {
  const [found] = await db
    .select({
      since: isoOf(secondFactors.createdAt),
      left: sql<number>`jsonb_array_length(${secondFactors.recoveryCodes})`,
      oneTimePasswords: sql<boolean>`${secondFactors.secret} is not null`,
    })
    .from(secondFactors)
    .where(and(eq(secondFactors.accountId, principal.id), eq(secondFactors.confirmed, true)));
  return {
    enabled: found !== undefined,
    since: found?.since ?? null,
    recoveryCodesLeft: found?.left ?? 0,
    oneTimePasswords: found?.oneTimePasswords ?? false,
    securityKeys: await countKeys(db, principal.id),
  };
}

const countKeys = (db: Database, accountId: string) =>
  db.$count(securityKeys, eq(securityKeys.accountId, accountId));

const ALREADY_ENABLED = 'The account has one-time passwords: disable them first';

/**
 * Begins to set up one-time passwords: they take effect once a code was confirmed.
 *
 * @param proof of the second factor that the account has already, if any
 * @returns the secret, which is shown once
 * @throws ServiceError CONFLICT when there are some already; UNAUTHORIZED with a reason without the proof
 */
export async function startSecondFactor(ctx: SignedIn, proof: FactorProof) {
  const { db, platform, principal } = ctx;
  const { id, username } = principal;
  if ((await findFactor(db, id))?.secret) throw conflict(ALREADY_ENABLED);
  await takeFactor(db, ctx, id, proof);
  const described = describeSecret(username, new Uint8Array(randomBytes(SECRET_BYTES)));
  const pending = platform.vault.seal(described.secret, placeOfSecret(id));
  await db
    .insert(secondFactors)
    .values({ accountId: id, pending, recoveryCodes: [], confirmed: false })
    .onConflictDoUpdate({ target: secondFactors.accountId, set: { pending } });
  noteChange(db, { kind: 'second_factors', id, name: username });
  return described;
}

/**
 * Confirms one-time passwords with the first code; from now on signing in needs a second factor. Other sessions of the account
 * end.
 *
 * @returns recovery codes, which are shown once; they replace those of before
 * @throws ServiceError CONFLICT when none was begun; BAD_REQUEST for a wrong code
 */
export async function confirmSecondFactor({ db, platform, principal }: SignedIn, code: string) {
  const { id, username } = principal;
  const [begun] = await db
    .select({ pending: secondFactors.pending, confirmed: secondFactors.confirmed })
    .from(secondFactors)
    .where(and(eq(secondFactors.accountId, id), isNotNull(secondFactors.pending)))
    .for('update');
  if (!begun?.pending)
    throw conflict('No second factor waits for a code: begin with POST /user/second_factor');
  const now = platform.now();
  const step = stepOf(platform.vault.open(begun.pending, placeOfSecret(id)), code, now);
  if (step === null || !(await takeStep(db, id, step, now))) {
    throw invalid(
      ['code'],
      'is wrong; check the clock of the device and send the current code',
      'wrong_code',
    );
  }
  const { recoveryCodes, hashes } = freshRecoveryCodes(id);
  await db
    .update(secondFactors)
    .set({
      secret: begun.pending,
      pending: null,
      confirmed: true,
      ...(!begun.confirmed && { createdAt: sql`now()` }),
      recoveryCodes: hashes,
    })
    .where(eq(secondFactors.accountId, id));
  await endSessions(db, id, principal.session);
  noteChange(db, { kind: 'second_factors', id, name: username });
  noteChange(db, { kind: 'sessions', id, name: username });
  const message = 'Signing in needs a second factor from now on.';
  return { status: 'OK' as const, message, recoveryCodes };
}

/**
 * Removes the caller's one-time passwords. Security keys stay, and signing in then needs one of them.
 *
 * @throws ServiceError UNAUTHORIZED with a reason for a wrong proof; CONFLICT when there are none
 */
export async function disableSecondFactor(ctx: SignedIn, proof: FactorProof) {
  const { db, principal } = ctx;
  const { id, username } = principal;
  if (!(await findFactor(db, id))?.secret) throw conflict('The account has no one-time passwords');
  await takeFactor(db, ctx, id, proof);
  await db.update(secondFactors).set({ secret: null, pending: null }).where(eq(secondFactors.accountId, id));
  noteChange(db, { kind: 'second_factors', id, name: username });
  const isNeeded = await keepWhileUsed(db, id);
  return { status: 'OK' as const, message: outcomeOf(isNeeded) };
}

/** Returns the message that says whether signing in still needs a second factor. */
export const outcomeOf = (isNeeded: boolean) =>
  isNeeded ? 'Signing in still needs a second factor.' : 'Signing in needs no second factor any more.';

/** Removes a second factor that has neither one-time passwords nor keys any more. @returns whether it is still in force */
export async function keepWhileUsed(db: Database, accountId: string): Promise<boolean> {
  if ((await findFactor(db, accountId))?.secret) return true;
  if ((await countKeys(db, accountId)) > 0) return true;
  await db.delete(secondFactors).where(eq(secondFactors.accountId, accountId));
  return false;
}

/** Removes the second factor of any account, security keys included, and ends its sessions. @throws ServiceError NOT_FOUND */
export async function removeSecondFactor({ db }: Pick<SignedIn, 'db'>, accountId: string) {
  const account = await find(db, accounts, accountId);
  if (!account) throw notFound('Account', accountId);
  const { username } = account.doc;
  const removed = await db
    .delete(secondFactors)
    .where(eq(secondFactors.accountId, accountId))
    .returning({ id: secondFactors.accountId });
  if (removed.length === 0) throw notFound('Second factor of the account', username);
  const { id, name } = securityKeys;
  const keys = await db
    .delete(securityKeys)
    .where(eq(securityKeys.accountId, accountId))
    .returning({ id, name });
  await endSessions(db, accountId);
  noteChange(db, { kind: 'second_factors', id: accountId, name: username });
  for (const key of keys) noteChange(db, { kind: 'security_keys', ...key });
  noteChange(db, { kind: 'sessions', id: accountId, name: username });
  return { status: 'OK' as const, message: `Removed the second factor of ${username}.` };
}
