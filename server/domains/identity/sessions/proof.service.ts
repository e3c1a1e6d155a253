import { createHmac, randomBytes } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import { accounts, credentials } from '#db/tables/identity/accounts.ts';
import type { Access, Attempt, From, Proof } from '#server/kernel/access.ts';
import { writeAuditRecord } from '#server/kernel/audit/audit.service.ts';
import { assertRoom, counted, verifyPassword } from './passwords.service.ts';
import { sourceOf } from './source.ts';

/** A claimed identity: the user with this sign-in name, or the service account with this client id. */
export type Claim = { kind: 'person' | 'machine'; name: string; secret: string };

/** The operation that the audit trail records for an attempt. */
const OPERATIONS = { person: 'session.signIn', machine: 'oauth.issueToken' };

/** Key for hashing secrets in memory: they are never held as text, nor as a hash that another process could test. */
const KEY = randomBytes(32);

/** Returns the key that represents a claim's secret in memory. */
export const keyOfClaim = ({ kind, name, secret }: Claim): string =>
  createHmac('sha256', KEY)
    .update(JSON.stringify([kind, name, secret]))
    .digest('hex');

/**
 * Returns the active account that this name and secret belong to, or null. The attempt counts from its start, so that
 * concurrent ones count too; an unknown name takes the same time as a wrong secret (contract/decisions#3).
 *
 * Concurrent attempts with the same secret are verified once: callers with the right one do not throttle themselves. When
 * it is wrong, each attempt still counts.
 *
 * @throws ServiceError TOO_MANY_REQUESTS with Retry-After
 */
export async function proveAccount(access: Access, claim: Claim, from: From): Promise<Proof | null> {
  const key = `${keyOfClaim(claim)} ${from.address}`;
  const running = access.proofs.get(key);
  if (!running) {
    const proof = tryClaim(access, claim, from).finally(() => access.proofs.delete(key));
    access.proofs.set(key, proof);
    return proof;
  }
  const shared = await running;
  if (shared) return shared;
  const attempt = await counted.run(sourceOf(from.address), () => begin(access, claim, from));
  await auditRejection(access, claim, from, attempt, null);
  return null;
}

async function tryClaim(access: Access, claim: Claim, from: From): Promise<Proof | null> {
  const began = performance.now();
  const source = sourceOf(from.address);
  assertRoom(source);
  const { attempt, found } = await counted.run(source, async () => ({
    attempt: await begin(access, claim, from),
    found: await findCredential(access, claim),
  }));
  if (!found && claim.kind === 'person') {
    // A password of a local account is never sent to a directory.
    const proof = await access.directories.prove(claim.name, claim.secret, source);
    if (proof) {
      await attempt.succeeded();
      access.tried('ok');
      return proof;
    }
  }
  const proven = await verifyPassword(found?.hash, claim.secret, source);
  if (!found || !proven || found.inactive) {
    await auditRejection(access, claim, from, attempt, found?.username ?? null);
    if (claim.kind === 'person') await access.directories.conceal(began);
    return null;
  }
  await attempt.succeeded();
  access.tried('ok');
  return { id: found.id, username: found.username, generation: found.generation };
}

const begin = (access: Access, { kind, name }: Claim, { address }: From) =>
  access.throttle.begin(`${kind} ${name}`, address);

async function findCredential(access: Access, { kind, name }: Claim) {
  const { id, username, provenance, inactive, isServiceAccount, deleted } = accounts;
  const { hash, generation } = credentials;
  const isPerson = sql`${isServiceAccount} is not true`;
  const who =
    kind === 'person'
      ? and(eq(username, name), eq(provenance, 'local'), isPerson)
      : and(eq(id, name), isServiceAccount);
  const [found] = await access.db
    .select({ id, username, hash, generation, inactive })
    .from(accounts)
    .innerJoin(credentials, eq(credentials.accountId, id))
    .where(and(who, sql`${deleted} is not true`));
  return found;
}

/** @param known the account's name; null when it does not exist: users type passwords into name fields */
async function auditRejection(
  access: Access,
  { kind }: Claim,
  from: From,
  attempt: Attempt,
  known: string | null,
) {
  access.tried('refused');
  if (!(await attempt.isRecorded())) return;
  const audited = {
    account: known,
    accountId: null,
    credential: null,
    address: from.address,
    operation: OPERATIONS[kind],
    requestId: from.requestId,
    outcome: 'refused' as const,
    status: 401,
    changes: [],
  };
  await writeAuditRecord(access.db, audited, access.now());
}
