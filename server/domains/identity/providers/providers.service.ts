import { eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { find, findAll, insert, remove, replace, type Stored } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type {
  NewSignInProvider,
  ShownProvider,
  SignInMethods,
  SignInProvider,
  SignInProviderUpdate,
} from '#db/schemas/identity/sign-in-provider.ts';
import { sessions } from '#db/tables/identity/accounts.ts';
import { directoryIdentities, providerContacts, signInProviders } from '#db/tables/identity/sign-in.ts';
import type { SystemContext, WriteContext } from '#server/kernel/contexts.ts';
import { unlessTaken } from '#server/kernel/documents/documents.service.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { assertQuota } from '#server/kernel/documents/quota.service.ts';
import { conflict, type Issue, invalidRequest, notFound } from '#server/kernel/errors.ts';
import type { Context } from '#server/kernel/platform.ts';
import { keepSecrets, MASK, redact } from '#server/kernel/secrets/redact.ts';
import { openedDocument, sealingFor } from '#server/kernel/secrets/seals.ts';
import { issue } from '#server/kernel/validation/document-issues.ts';
import { lockExistingGroups } from '../rights/known-groups.service.ts';
import { roleIdsOf, withdrawMapped } from './directory-accounts.service.ts';
import { environmentProviders, isOfEnvironment } from './environment-providers.ts';
import { readContacts, statusOf } from './provider-contacts.service.ts';
import { movedSecretIssues, settingsIssues } from './provider-settings.ts';

/** Maximum number of providers. */
const MOST_PROVIDERS = 50;

const rowOf = (id: string) => ['sign_in_providers', id] as const;

/** Returns every provider, those of the environment first, with sealed secrets. */
async function readAll({ db, platform }: SystemContext<'config' | 'vault'>): Promise<SignInProvider[]> {
  const stored = await findAll(db, signInProviders);
  const named = stored.map(({ doc }) => doc).sort((a, b) => (a.name < b.name ? -1 : 1));
  const given = environmentProviders(platform.config.signIn);
  return [...given, ...named.filter(({ name }) => !given.some((one) => one.name === name))];
}

/**
 * Returns the providers that are enabled, with their secrets opened; they must not outlive the call.
 *
 * @param type only providers of this type
 */
export async function openProviders(
  ctx: SystemContext<'config' | 'vault'>,
  type?: SignInProvider['type'],
): Promise<SignInProvider[]> {
  const all = await readAll(ctx);
  return all
    .filter((one) => one.enabled !== false && (type === undefined || one.type === type))
    .map((one) => (isOfEnvironment(one._id) ? one : openedDocument(ctx.platform.vault, rowOf(one._id), one)));
}

/**
 * Returns one provider with its secrets opened, which must not outlive the call.
 *
 * @param disabled whether a disabled provider counts
 * @throws ServiceError NOT_FOUND
 */
export async function openProvider(
  ctx: SystemContext<'config' | 'vault'>,
  id: string,
  { type, disabled = false }: { type?: SignInProvider['type']; disabled?: boolean } = {},
): Promise<SignInProvider> {
  const found = (await readAll(ctx)).find((one) => one._id === id);
  const isUsable = found && (disabled || found.enabled !== false) && (!type || found.type === type);
  if (!isUsable) throw notFound('Sign-in provider', id);
  return isOfEnvironment(id) ? found : openedDocument(ctx.platform.vault, rowOf(id), found);
}

/**
 * Returns how users may sign in: names and start links only.
 *
 * @returns only providers that are enabled, and nothing of the directories themselves
 */
export async function listSignInMethods(ctx: SystemContext<'config' | 'vault'>): Promise<SignInMethods> {
  const enabled = (await readAll(ctx)).filter((one) => one.enabled !== false);
  return {
    password: true,
    providers: enabled.map(({ _id, name, title, type }) => ({
      name,
      title: title ?? name,
      type,
      start: type === 'oidc' ? `/sign_in/oidc/${_id}/start` : null,
    })),
  };
}

/**
 * Lists all providers with masked secrets and the outcome of the last contact.
 *
 * @returns all of them, at most 50 and those of the environment
 */
export async function listProviders(ctx: SystemContext<'config' | 'vault'>) {
  const [all, contacts] = [await readAll(ctx), await readContacts(ctx.db)];
  return { results: all.map((one) => shownOf(one, contacts)), total: all.length };
}

/** Returns one provider, and its ETag in the headers. @throws ServiceError NOT_FOUND */
export async function getProvider(
  ctx: SystemContext<'config' | 'vault'> & Pick<Context, 'answer'>,
  id: string,
): Promise<ShownProvider> {
  const found = (await readAll(ctx)).find((one) => one._id === id);
  if (!found) throw notFound('Sign-in provider', id);
  if (found.lastUpdated) ctx.answer.headers.ETag = `"${found.lastUpdated}"`;
  return shownOf(found, await readContacts(ctx.db));
}

const shownOf = (
  provider: SignInProvider,
  contacts: Awaited<ReturnType<typeof readContacts>>,
): ShownProvider => ({
  ...redact(provider, MASK),
  source: isOfEnvironment(provider._id) ? 'environment' : 'stored',
  status: statusOf(contacts, provider._id),
});

/**
 * Stores a provider; users can sign in through it at once.
 *
 * @returns a confirmation with the provider, its secrets masked
 * @throws ServiceError BAD_REQUEST with all issues; CONFLICT when the name is taken or there are too many
 */
export async function createProvider(ctx: WriteContext<'config'>, given: NewSignInProvider) {
  const { db, platform, principal } = ctx;
  await assertQuota(db, signInProviders, { most: MOST_PROVIDERS, what: 'sign-in providers' });
  const all = await readAll(ctx);
  if (all.some(({ name }) => name === given.name)) throw taken(given.name);
  await assertValid(ctx, given, ['provider']);
  const id = newId();
  const at = platform.now().toISOString();
  const stamps = { created: at, createdBy: principal.id, lastUpdated: at, lastUpdatedBy: principal.id };
  const doc = sealed(ctx, id, { ...given, _id: id, ...stamps }, undefined);
  await unlessTaken('sign_in_providers_name', taken(given.name).message, () =>
    insert(db, signInProviders, id, doc),
  );
  return stored('Created', `Created the sign-in provider ${doc.name}.`, doc, await readContacts(db));
}

const taken = (name: string) => conflict(`A sign-in provider named ${name} already exists`);

/**
 * Changes a provider. A mask of a secret keeps the stored one, as long as it is sent to the same place.
 *
 * @returns a confirmation with the provider, its secrets masked
 * @throws ServiceError NOT_FOUND; BAD_REQUEST with all issues; CONFLICT when it was changed, or belongs to the environment
 */
export async function updateProvider(ctx: WriteContext<'config'>, id: string, updates: SignInProviderUpdate) {
  const { db, platform, principal, request } = ctx;
  const found = await holdProvider(ctx, id);
  assertUnchanged(request.ifMatch, found.doc.lastUpdated, `The sign-in provider ${found.doc.name}`);
  const given = Object.fromEntries(Object.entries(updates).filter(([, value]) => value !== undefined));
  const next: SignInProvider = { ...redact(found.doc, MASK), ...given };
  const moved = movedSecretIssues(found.doc, next);
  if (moved.length > 0)
    throw invalidRequest(moved.map((one) => ({ ...one, path: ['updates', ...one.path] })));
  await assertValid(ctx, next, ['updates']);
  const before = Date.parse(found.doc.lastUpdated ?? '') || 0;
  const at = new Date(Math.max(platform.now().getTime(), before + 1)).toISOString();
  const doc = sealed(ctx, id, { ...next, lastUpdated: at, lastUpdatedBy: principal.id }, found.doc);
  await replace(db, signInProviders, found, doc);
  if (doc.enabled === false) await endSessionsOf(db, id);
  return stored('OK', `Updated the sign-in provider ${doc.name}.`, doc, await readContacts(db));
}

/**
 * Deletes a provider. Its users lose their sessions and what its mapping gave them; their accounts stay.
 *
 * @throws ServiceError NOT_FOUND; CONFLICT when it belongs to the environment
 */
export async function deleteProvider(ctx: WriteContext<'config'>, id: string) {
  const { doc } = await holdProvider(ctx, id);
  await endSessionsOf(ctx.db, id);
  await withdrawMapped(ctx, id);
  await ctx.db.delete(directoryIdentities).where(eq(directoryIdentities.providerId, id));
  await ctx.db.delete(providerContacts).where(eq(providerContacts.providerId, id));
  await remove(ctx.db, signInProviders, [id]);
  return { status: 'OK' as const, message: `Deleted the sign-in provider ${doc.name}.` };
}

async function holdProvider({ db }: WriteContext<'config'>, id: string): Promise<Stored<SignInProvider>> {
  if (isOfEnvironment(id)) {
    throw conflict('This provider is described by variables of the environment: change them there');
  }
  const found = await find(db, signInProviders, id, true);
  if (!found) throw notFound('Sign-in provider', id);
  return found;
}

async function endSessionsOf(db: Database, id: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.providerId, id));
}

const stored = <Status extends 'Created' | 'OK'>(
  status: Status,
  message: string,
  doc: SignInProvider,
  contacts: Awaited<ReturnType<typeof readContacts>>,
) => ({ status, message, data: shownOf(doc, contacts) });

/** Returns a document with sealed secrets. @throws ServiceError BAD_REQUEST for a mask without a stored secret */
function sealed(
  { platform }: WriteContext<'config'>,
  id: string,
  doc: SignInProvider,
  before: SignInProvider | undefined,
): SignInProvider {
  const { document, unset, ambiguous } = keepSecrets(doc, before, sealingFor(platform.vault, rowOf(id)));
  const lost = [...unset, ...ambiguous];
  if (lost.length > 0) {
    const masked = 'The value is masked and no secret is stored under it: send the secret itself';
    throw invalidRequest(lost.map((path) => issue([...path], masked)));
  }
  // Only secrets were replaced, by other texts.
  return document as SignInProvider;
}

async function assertValid(
  { db, platform }: WriteContext<'config'>,
  provider: Pick<SignInProvider, 'name' | 'type' | 'oidc' | 'ldap' | 'mapping' | 'defaultRoles'>,
  path: (string | number)[],
): Promise<void> {
  const issues: Issue[] = settingsIssues(provider, platform.config.allowPrivateTargets).map((one) => ({
    ...one,
    path: [...path, ...one.path],
  }));
  const { mapping = [], defaultRoles = [] } = provider;
  const roleNames = [...defaultRoles, ...mapping.flatMap(({ roles = [] }) => roles)];
  const known = await roleIdsOf(db, roleNames);
  const unknownRole = (names: readonly string[], at: (string | number)[]) => {
    for (const [index, name] of names.entries())
      if (!known.has(name)) issues.push(issue([...path, ...at, index], `Role ${name} does not exist`));
  };
  unknownRole(defaultRoles, ['defaultRoles']);
  const groups = await lockExistingGroups(
    db,
    mapping.flatMap((one) => one.groups ?? []),
  );
  for (const [index, one] of mapping.entries()) {
    unknownRole(one.roles ?? [], ['mapping', index, 'roles']);
    for (const [at, id] of (one.groups ?? []).entries())
      if (!groups.has(id))
        issues.push(issue([...path, 'mapping', index, 'groups', at], `Group ${id} does not exist`));
  }
  if (issues.length > 0) throw invalidRequest(issues);
}
