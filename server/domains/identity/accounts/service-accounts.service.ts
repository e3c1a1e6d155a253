import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { type Database, inTransaction, rows } from '#db/client.ts';
import { find, insert } from '#db/collection.ts';
import { isoOf } from '#db/expressions.ts';
import { newId } from '#db/ids.ts';
import type { Account, ServiceAccount, ServiceAccountUpdate } from '#db/schemas/identity/account.ts';
import type { NewServiceAccount } from '#db/schemas/requests/account.ts';
import { accounts, credentials } from '#db/tables/identity/accounts.ts';
import { writeAuditRecord } from '#server/kernel/audit/audit.service.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { type Issue, invalidRequest, notFound, ServiceError } from '#server/kernel/errors.ts';
import type { Context, Request } from '#server/kernel/platform.ts';
import { assertWithinRights, beginChange, readDirect } from '../rights/rights.service.ts';
import { hashPassword } from '../sessions/passwords.service.ts';
import { proveAccount } from '../sessions/proof.service.ts';
import { lockProvenAccount } from '../sessions/sign-in.service.ts';
import { endPersonalTokens } from '../sessions/token-check.service.ts';
import { ACCESS_TOKEN_SECONDS, accessTokenCredential, signAccessToken } from '../sessions/tokens.service.ts';
import { assertNameFree, storeAccount } from './accounts.service.ts';
import { ignoredOf, newStamps, nextStamps, readUpdates } from './updates.ts';

/** Provenance of service accounts (contract/lifecycle#1). */
const MACHINES = 'Service Account';

/** A request for an access token as in RFC 6749 §4.4; other fields are rejected. */
export type TokenRequest = {
  grant_type?: string | undefined;
  client_id?: string | undefined;
  client_secret?: string | undefined;
  scope?: string | undefined;
  [other: string]: unknown;
};

/**
 * Returns an access token for the service account with this id and secret.
 *
 * @throws ServiceError BAD_REQUEST or UNAUTHORIZED, with RFC 6749's `error` as an additional field; TOO_MANY_REQUESTS with
 *   Retry-After
 * @see contract/lifecycle#1
 */
export async function issueToken(ctx: Omit<Context, 'db'>, tokenRequest: TokenRequest) {
  const { platform, request, answer } = ctx;
  const { access, now } = platform;
  answer.headers['Cache-Control'] = 'no-store';
  const { id: name, secret } = readClient(tokenRequest, request.basic());
  const from = { address: request.address, requestId: request.id };
  const proof = await proveAccount(access, { kind: 'machine', name, secret }, from);
  if (!proof) throw invalidClient();
  const tokenId = randomUUID();
  await inTransaction(access.db, async (tx) => {
    if (!(await lockProvenAccount(tx, proof))) throw invalidClient();
    const credential = accessTokenCredential(tokenId);
    const audited = { account: proof.username, accountId: proof.id, credential, ...from, changes: [] };
    await writeAuditRecord(
      tx,
      { ...audited, operation: 'oauth.issueToken', outcome: 'ok', status: 200 },
      now(),
    );
  });
  return {
    access_token: await signAccessToken(access.tokenKeys, proof.id, proof.generation ?? 0, tokenId, now()),
    token_type: 'bearer' as const,
    expires_in: ACCESS_TOKEN_SECONDS,
  };
}

const TOKEN_REQUEST_FIELDS = new Set(['grant_type', 'client_id', 'client_secret', 'scope']);

function readClient(request: TokenRequest, basic: ReturnType<Request['basic']>) {
  const issues: Issue[] = Object.keys(request)
    .filter((name) => !TOKEN_REQUEST_FIELDS.has(name))
    .map((name) => ({
      path: [name.slice(0, 100)],
      message: `unknown field ${JSON.stringify(name.slice(0, 100))}`,
      code: 'unrecognized_keys',
    }));
  const {
    grant_type: grant,
    client_id: id = basic?.username,
    client_secret: secret = basic?.password,
  } = request;
  // Checked first, because the other fields depend on the type of grant.
  if (grant !== undefined && grant !== 'client_credentials') {
    const issue = {
      path: ['grant_type'],
      message: 'only client_credentials is supported',
      code: 'invalid_value',
    };
    throw oauthError(invalidRequest([issue]), 'unsupported_grant_type');
  }
  if (grant === undefined) issues.push(missing('grant_type'));
  if (id === undefined) issues.push(missing('client_id'));
  if (secret === undefined) issues.push(missing('client_secret'));
  if (basic && (id !== basic.username || secret !== basic.password)) {
    issues.push({
      path: ['client_id'],
      message: 'differs from the client in the Authorization header',
      code: 'ambiguous',
    });
  }
  if (issues.length > 0 || id === undefined || secret === undefined) {
    throw oauthError(invalidRequest(issues), 'invalid_request');
  }
  return { id, secret };
}

const missing = (name: string): Issue => ({ path: [name], message: 'is missing', code: 'invalid_type' });

/** Returns the common error body with the additional `error` field of RFC 6749 §5.2. */
const oauthError = ({ code, message, issues }: ServiceError, error: string) =>
  new ServiceError(code, message, { issues, extra: { error }, headers: { 'Cache-Control': 'no-store' } });

const invalidClient = () =>
  new ServiceError('UNAUTHORIZED', 'The client id or its secret is wrong', {
    extra: { error: 'invalid_client' },
    headers: { 'WWW-Authenticate': 'Basic realm="switchyard"', 'Cache-Control': 'no-store' },
  });

/** Returns the service accounts that are not deleted, without their secrets. */
export async function readServiceAccounts(db: Database, which = sql`true`): Promise<ServiceAccount[]> {
  const found = await rows<{ account: string }>(
    db,
    sql`select jsonb_build_object('client_id', id, 'name', username, 'description', coalesce(doc -> 'description', '""'),
          'inactive', coalesce(inactive, false), 'memberOf', coalesce(doc -> 'memberOf', '[]'),
          'created', doc #> '{_meta,created}', 'lastUsed', ${isoOf(accounts.lastLogin)})::text as account
        from accounts where is_service_account and deleted is not true and ${which} order by id`,
  );
  return found.map(({ account }) => JSON.parse(account) as ServiceAccount);
}

/**
 * Creates a service account. Only this response contains its secret.
 *
 * @returns `client_id` and `client_secret`, with which it signs in
 * @throws ServiceError CONFLICT when the name is taken, BAD_REQUEST for an unknown group or role
 */
export async function createServiceAccount(
  ctx: WriteContext<'access' | 'catalogue'>,
  given: NewServiceAccount,
) {
  const { db, platform } = ctx;
  const { name, description = '' } = given;
  await beginChange(ctx);
  await assertNameFree(db, MACHINES, name);
  const id = newId();
  const account: Account = {
    _id: id,
    provenance: MACHINES,
    username: name,
    firstname: '',
    email: '',
    description,
    inactive: false,
    isServiceAccount: true,
    // The owner, who may have their triggers run as it (server/domains/workflow/triggers/run-as.service.ts).
    createdBy: ctx.principal.id,
    memberOf: [],
    assignedRoles: [],
    ...(await readDirect(db, given, ['accountData'])),
    _meta: newStamps(platform.now()),
  };
  await assertWithinRights(ctx, account);
  await insert(db, accounts, id, account);
  const secret = randomUUID();
  await db.insert(credentials).values({ accountId: id, hash: await hashPassword(secret) });
  return { results: { name, description, client_id: id, client_secret: secret } };
}

/**
 * Updates a service account. Deactivating it invalidates its tokens at once.
 *
 * @throws ServiceError NOT_FOUND, CONFLICT when the name is taken
 */
export async function updateServiceAccount(
  ctx: WriteContext<'access' | 'catalogue'>,
  id: string,
  updates: ServiceAccountUpdate,
) {
  const { db, platform, request } = ctx;
  const { given, ignored } = readUpdates(updates);
  const { name, ...rest } = given;
  await beginChange(ctx);
  const found = await findMachine(db, id);
  const { doc } = found;
  assertUnchanged(request.ifMatch, doc._meta?.updated, `Service account ${doc.username}`);
  if (name !== undefined && name !== doc.username) await assertNameFree(db, MACHINES, name);
  const username = name ?? doc.username;
  await storeAccount(ctx, found, { ...doc, ...rest, username, _meta: nextStamps(doc._meta, platform.now()) });
  const [data] = await readServiceAccounts(db, sql`id = ${id}`);
  if (!data) throw notFound('Service account', id);
  const message = `Successfully updated service account ${username}.`;
  return { status: 'OK' as const, message, data, ...ignoredOf(ignored) };
}

/**
 * Replaces the secret of a service account: the old one and all its tokens become invalid, including its personal
 * tokens.
 *
 * @returns the new `client_secret`, which no other answer contains
 * @throws ServiceError NOT_FOUND
 */
export async function regenerateSecret(ctx: WriteContext<'access' | 'catalogue'>, id: string) {
  const { db, platform } = ctx;
  await beginChange(ctx);
  const found = await findMachine(db, id);
  const { doc } = found;
  // Whoever reads the new secret has all rights of the account, so the same checks apply as for changing the account.
  await storeAccount(ctx, found, { ...doc, _meta: nextStamps(doc._meta, platform.now()) });
  const secret = randomUUID();
  await db
    .update(credentials)
    .set({ hash: await hashPassword(secret), generation: sql`${credentials.generation} + 1` })
    .where(eq(credentials.accountId, id));
  await endPersonalTokens(db, id);
  return { results: { client_id: id, client_secret: secret } };
}

/**
 * Deletes a service account. Its document remains, inactive and without a secret, so that what it created keeps its author;
 * its name becomes free.
 *
 * @throws ServiceError NOT_FOUND
 */
export async function deleteServiceAccount(ctx: WriteContext<'access' | 'catalogue'>, id: string) {
  const { db, platform, request } = ctx;
  await beginChange(ctx);
  const found = await findMachine(db, id);
  const { doc } = found;
  assertUnchanged(request.ifMatch, doc._meta?.updated, `Service account ${doc.username}`);
  await storeAccount(ctx, found, {
    ...doc,
    inactive: true,
    deleted: true,
    memberOf: [],
    assignedRoles: [],
    _meta: nextStamps(doc._meta, platform.now()),
  });
  await db.delete(credentials).where(eq(credentials.accountId, id));
  return { status: 'OK' as const, message: `Successfully deleted service account ${doc.username}.` };
}

async function findMachine(tx: Database, id: string) {
  const found = await find(
    tx,
    accounts,
    sql`id = ${id} and is_service_account and deleted is not true`,
    true,
  );
  if (!found) throw notFound('Service account', id);
  return found;
}
