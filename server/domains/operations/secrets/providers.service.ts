import { eq, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { insert, noteChange, remove, replace } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { SecretProvider } from '#db/schemas/operations/secret-provider.ts';
import { secretProviders } from '#db/tables/operations/secrets.ts';
import { writeAuditRecord } from '#server/kernel/audit/audit.service.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { unlessTaken } from '#server/kernel/documents/documents.service.ts';
import { core } from '#server/kernel/documents/list-envelope.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { assertQuota } from '#server/kernel/documents/quota.service.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import {
  changedMeanwhile,
  type Issue,
  invalid,
  invalidRequest,
  notFound,
  ServiceError,
} from '#server/kernel/errors.ts';
import type { Platform } from '#server/kernel/platform.ts';
import { localFault } from '#server/kernel/secrets/local-sources.ts';
import { isSecretField, keepSecrets, MASK, type Path, redact } from '#server/kernel/secrets/redact.ts';
import { referencesIn } from '#server/kernel/secrets/references.ts';
import type { SecretUse } from '#server/kernel/secrets/resolver.ts';
import {
  openedDocument,
  type RowOfSecrets,
  sealingFor,
  withFreshSeals,
} from '#server/kernel/secrets/seals.ts';
import type { Vault } from '#server/kernel/secrets/vault.ts';
import { clipped } from '#server/kernel/text/clipped.ts';
import { elapsedMs } from '#server/kernel/timing/elapsed.ts';
import { noteProviderState } from './provider-state.service.ts';

/** Most providers. */
const MOST = 100;

const resource = defineResource({
  name: 'secret providers',
  schema: SecretProvider,
  source: 'given',
  defaultSort: [{ field: 'name', order: 1 }],
  unlimited: true,
});

const rowOf = (name: string): RowOfSecrets => ['secret_providers', name];
const shown = (provider: SecretProvider): SecretProvider => redact(provider, MASK);

/**
 * Returns one page of the providers, with masked secrets.
 *
 * @param query paging, filters and order, as lists accept them
 * @throws ServiceError BAD_REQUEST for a query that is not valid
 */
export async function listProviders(
  { db }: Pick<ReadContext, 'db'>,
  query: Readonly<Record<string, unknown>>,
) {
  const read = readList(resource, query, { hidden: isSecretField });
  const { doc, failingSince, lastError } = secretProviders;
  const found = await db.select({ doc, failingSince, lastError }).from(secretProviders).limit(MOST);
  return core<SecretProvider>(await list(db, resource, read, { given: found.map(withState) }));
}

/** Returns one provider with masked secrets. @throws ServiceError NOT_FOUND */
export const getProvider = async ({ db }: Pick<ReadContext, 'db'>, name: string) =>
  withState(await findRow(db, name));

type WithState = { doc: SecretProvider; failingSince: Date | null; lastError: string | null };

const withState = ({ doc, failingSince, lastError }: WithState): SecretProvider => ({
  ...shown(doc),
  failingSince: failingSince?.toISOString() ?? null,
  lastError,
});

/**
 * Stores a new provider.
 *
 * @throws ServiceError BAD_REQUEST with all issues; CONFLICT when the name is taken or there are too many
 */
export async function createProvider(ctx: WriteContext<'config' | 'secrets'>, given: SecretProvider) {
  await assertQuota(ctx.db, secretProviders, { most: MOST, what: 'secret providers' });
  const stamp = ctx.platform.now().toISOString();
  const { document, unset } = taken(ctx, given, undefined);
  const doc = { ...document, _id: newId(), created: stamp, lastUpdated: stamp };
  await unlessTaken(
    'secret_providers_pkey',
    `A secret provider with the name ${given.name} already exists`,
    () => insert(ctx.db, secretProviders, given.name, doc),
  );
  await onlyDefault(ctx.db, doc);
  return {
    status: 'Created' as const,
    message: messageOf(`Created ${given.name}.`, unset),
    data: shown(doc),
  };
}

/**
 * Replaces a provider.
 *
 * @throws ServiceError BAD_REQUEST with all issues, also for a secret that would be sent to another address; NOT_FOUND;
 *   CONFLICT
 */
export async function replaceProvider(
  ctx: WriteContext<'config' | 'secrets'>,
  name: string,
  given: SecretProvider,
) {
  const stored = await findRow(ctx.db, name, true);
  assertUnchanged(ctx.request.ifMatch, stored.doc.lastUpdated, `Secret provider ${name}`);
  if (given.name !== name) throw invalid(['provider', 'name'], `is ${name} and cannot be changed`);
  const { document, unset } = taken(ctx, given, stored.doc);
  const { _id, created, lastUpdated } = stored.doc;
  const doc: SecretProvider = {
    ...document,
    ...(_id !== undefined && { _id }),
    ...(created !== undefined && { created }),
    lastUpdated: grownStamp(ctx.platform.now(), lastUpdated),
  };
  if (!(await replace(ctx.db, secretProviders, stored, doc)))
    throw changedMeanwhile(`Secret provider ${name}`);
  // The next use decides about the new settings.
  await noteProviderState(ctx.db, name, null);
  await onlyDefault(ctx.db, doc);
  return { status: 'OK' as const, message: messageOf(`Updated ${name}.`, unset), data: shown(doc) };
}

/** Deletes a provider; what refers to it fails with its name from then on. @throws ServiceError NOT_FOUND */
export async function deleteProvider(ctx: WriteContext<'config' | 'secrets'>, name: string) {
  const stored = await findRow(ctx.db, name, true);
  assertUnchanged(ctx.request.ifMatch, stored.doc.lastUpdated, `Secret provider ${name}`);
  await remove(ctx.db, secretProviders, [stored.id]);
  return { status: 'OK' as const, message: `Deleted ${name}.` };
}

/**
 * Signs in to a stored provider, and reads a secret when a path is given; no value is returned.
 *
 * @param path of the secret in the provider; undefined: only signs in
 * @param key field of the secret; undefined: the whole secret
 * @returns `ok`; `latencyMs`: duration in milliseconds; `detail`: the problem, or what succeeded
 * @throws ServiceError NOT_FOUND
 */
export async function testProvider(
  { db, platform }: WriteContext<'config' | 'secrets'>,
  name: string,
  { path, key }: { path?: string | undefined; key?: string | undefined },
) {
  const { doc } = await findRow(db, name);
  const started = performance.now();
  // With a path, the resolver notes whether the provider can be used: what concerns the path alone says nothing of it.
  let fault: string | null = null;
  const outcome = await platform.secrets
    .test(
      openedDocument(platform.vault, rowOf(name), doc),
      path === undefined ? undefined : { path, key: key ?? null },
    )
    .then(
      () => ({ ok: true, detail: path === undefined ? 'It accepts the sign-in' : 'The secret can be read' }),
      (error: unknown) => {
        if (!(error instanceof ServiceError)) throw error;
        fault = error.message;
        return { ok: false, detail: error.message };
      },
    );
  if (path === undefined) await noteProviderState(db, name, fault);
  return { ...outcome, latencyMs: elapsedMs(started) };
}

/**
 * Records in the audit row which provider was tested.
 *
 * @param name name of the provider
 */
export const noteProviderTest = (tx: Database, name: string): void =>
  noteChange(tx, { kind: 'secret_providers', id: clipped(name, 255), name: 'test' });

/**
 * Returns a provider with opened secrets, for the resolver.
 *
 * @param name null: the default one
 */
export async function openProvider(
  db: Database,
  vault: Pick<Vault, 'open'>,
  name: string | null,
): Promise<SecretProvider | undefined> {
  const { doc, id } = secretProviders;
  const wanted = name === null ? sql`${doc} ->> 'default' = 'true'` : eq(id, name);
  const [found] = await db.select({ doc }).from(secretProviders).where(wanted).limit(1);
  return found && openedDocument(vault, rowOf(found.doc.name), found.doc);
}

/**
 * Records one use of a secret in the audit trail: which reference, for which document, and for which account.
 *
 * @param outcome whether the secret could be read
 * @param lease id of the lease of a dynamic secret; null when there is none
 */
export async function recordUse(
  db: Database,
  {
    reference,
    provider,
    use,
    outcome,
    lease,
  }: {
    reference: string;
    provider: string;
    use: SecretUse;
    outcome: 'ok' | 'failed';
    lease: string | null;
  },
  now: Date,
): Promise<void> {
  await writeAuditRecord(
    db,
    {
      account: use.account?.username ?? null,
      accountId: use.account?.id ?? null,
      credential: use.account?.credential ?? null,
      address: null,
      operation: 'secrets.use',
      requestId: newId(now.getTime()),
      outcome,
      status: outcome === 'ok' ? 200 : 502,
      changes: [
        { kind: 'secret_providers', id: provider, name: reference },
        { kind: use.kind, id: clipped(use.name, 255), name: clipped(use.name, 255) },
        ...(lease === null ? [] : [{ kind: 'secret_leases', id: clipped(lease, 255), name: provider }]),
      ],
    },
    now,
  );
}

function taken(
  { platform }: WriteContext<'config' | 'secrets'>,
  sent: SecretProvider,
  stored: SecretProvider | undefined,
) {
  const { _id, created, lastUpdated, failingSince, lastError, ...given } = sent;
  const { document, unset } = keepSecrets(given, stored, sealingFor(platform.vault, rowOf(sent.name)));
  // The same fields as were sent.
  const provider = withFreshSeals(platform.vault, rowOf(sent.name), document) as SecretProvider;
  const issues = [...providerIssues(given, platform.config), ...movedIssues(provider, stored)];
  if (issues.length > 0)
    throw invalidRequest(issues.map((issue) => ({ ...issue, path: ['provider', ...issue.path] })));
  return { document: provider, unset };
}

const REQUIRED = 'is required for the kind vault';

function providerIssues(provider: SecretProvider, config: Platform['config']): Issue[] {
  const issues: Issue[] = [];
  const say = (path: string[], message: string) => void issues.push({ path, message, code: 'custom' });
  if (referencesIn(provider).size > 0) say([], 'must not itself refer to a secret');
  const fault = localFault(provider, config.secrets);
  if (fault) say(fault.path, fault.message);
  if (provider.kind !== 'vault') return issues;
  const { url, auth } = provider;
  if (!url) say(['url'], REQUIRED);
  else if (!/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/.test(url)) say(['url'], 'must be http://… or https://…');
  if (!auth) say(['auth'], REQUIRED);
  if (auth?.method === 'token' && !auth.token) say(['auth', 'token'], 'is required for the method token');
  if (auth?.method === 'approle') {
    if (!auth.roleId) say(['auth', 'roleId'], 'is required for the method approle');
    if (!auth.secretId) say(['auth', 'secretId'], 'is required for the method approle');
  }
  return issues;
}

/** Returns an issue for each stored secret that would be sent to another server. */
function movedIssues(provider: SecretProvider, stored: SecretProvider | undefined): Issue[] {
  if (!stored || stored.url === provider.url) return [];
  return (['token', 'secretId'] as const)
    .filter((name) => provider.auth?.[name] && provider.auth[name] === stored.auth?.[name])
    .map((name) => ({
      path: ['auth', name],
      message: 'must be sent again: url changed, and the secret belongs to the previous server',
      code: 'secret_required',
    }));
}

const messageOf = (message: string, unset: readonly Path[]) =>
  unset.length === 0
    ? message
    : `${message} Secrets still to be set: ${unset.map((path) => path.join('.')).join(', ')}`;

/** Clears the default mark of all other providers. */
async function onlyDefault(db: Database, { name, default: isDefault }: SecretProvider): Promise<void> {
  if (isDefault !== true) return;
  const { doc, id, rev } = secretProviders;
  const others = sql`${doc} ->> 'default' = 'true' and ${id} <> ${name}`;
  for (const other of await db.select({ doc, id, rev }).from(secretProviders).where(others).for('update'))
    await replace(db, secretProviders, other, { ...other.doc, default: false });
}

async function findRow(db: Database, name: string, lock = false) {
  const { doc, id, rev, failingSince, lastError } = secretProviders;
  const query = db
    .select({ doc, id, rev, failingSince, lastError })
    .from(secretProviders)
    .where(eq(id, name));
  const [found] = await (lock ? query.for('update') : query);
  if (!found) throw notFound('Secret provider', name);
  return found;
}
