import { eq, sql } from 'drizzle-orm';
import { remove, replace } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { GatewayCredential } from '#db/schemas/network/gateway-host.ts';
import { gatewayCredentials, gatewayHosts } from '#db/tables/network/gateway.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { insertUnlessTaken, readDocument } from '#server/kernel/documents/documents.service.ts';
import { core } from '#server/kernel/documents/list-envelope.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import { changedMeanwhile, conflict, invalid, notFound } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { isSecretField } from '#server/kernel/secrets/redact.ts';
import { assertNone, issue } from '#server/kernel/validation/document-issues.ts';
import { suggestion } from '#server/kernel/validation/nearest-name.ts';
import { nameFault } from './host-rules.ts';
import { credentialRow, freshSecrets, splitSecrets } from './host-secrets.ts';
import { writeMessage } from './hosts.service.ts';

const KIND = 'Credential';

const resource = defineResource({
  name: 'credentials',
  schema: GatewayCredential,
  source: gatewayCredentials,
  columns: { name: gatewayCredentials.name },
  defaultSort: [{ field: 'name', order: 1 }],
});

/**
 * Returns one page of the credentials; secrets are masked and can never be read (contract/lifecycle#12).
 *
 * @param query paging, filters and order, as lists accept them
 * @throws ServiceError BAD_REQUEST for a query that is not valid
 */
export async function listCredentials(
  { db }: Pick<ReadContext, 'db'>,
  query: Readonly<Record<string, unknown>>,
) {
  const page = await list(db, resource, readList(resource, query, { hidden: isSecretField }));
  return core<GatewayCredential>(page);
}

/** Returns one credential. @throws ServiceError NOT_FOUND */
export const getCredential = async (ctx: ReadContext, name: string): Promise<JsonText<GatewayCredential>> =>
  json(await readDocument(ctx, 'credential', { where: sql`name = ${name}`, called: name }));

/** Stores a new credential. @throws ServiceError BAD_REQUEST, CONFLICT when the name is taken */
export async function createCredential(ctx: WriteContext<'config'>, given: GatewayCredential) {
  const { document, secrets, unset } = prepared(ctx, given, undefined);
  const stamp = ctx.platform.now().toISOString();
  const id = newId();
  const doc: GatewayCredential = { ...document, _id: id, created: stamp, lastUpdated: stamp };
  const taken = {
    index: 'gateway_credentials_name',
    message: `A credential with the name ${given.name} already exists`,
  };
  await insertUnlessTaken(ctx.db, gatewayCredentials, { id, doc, secrets }, taken);
  return { status: 'Created' as const, message: writeMessage(`Created ${given.name}.`, unset), data: doc };
}

/**
 * Replaces the credential of this name: missing fields and secrets are removed, except masked secrets
 * (contract/lifecycle#12).
 *
 * @throws ServiceError BAD_REQUEST, NOT_FOUND, CONFLICT when hosts use it that the new scope excludes
 */
export async function replaceCredential(ctx: WriteContext<'config'>, name: string, given: GatewayCredential) {
  const stored = await lockCredential(ctx, name);
  if (given.name !== name) throw invalid(['credential', 'name'], `is ${name} and cannot be changed`);
  const { document, secrets, unset } = prepared(ctx, given, stored);
  const users = await usersOf(ctx, name);
  const left = users.filter(({ kind }) => !document.scope?.includes(kind));
  if (left.length > 0) throw conflict(`Credential ${name} is used by ${shown(left)}`);
  const { created, lastUpdated } = stored.doc;
  const doc: GatewayCredential = {
    ...document,
    _id: stored.id,
    ...(created !== undefined && { created }),
    lastUpdated: grownStamp(ctx.platform.now(), lastUpdated),
  };
  if (!(await replace(ctx.db, gatewayCredentials, stored, doc, { secrets }))) {
    throw changedMeanwhile(`Credential ${name}`);
  }
  return { status: 'OK' as const, message: writeMessage(`Updated ${name}.`, unset), data: doc };
}

/** Deletes a credential that no host uses. @throws ServiceError NOT_FOUND, CONFLICT naming the hosts */
export async function deleteCredential(ctx: WriteContext<'config'>, name: string) {
  const stored = await lockCredential(ctx, name);
  const users = await usersOf(ctx, name);
  if (users.length > 0) throw conflict(`Credential ${name} is used by ${shown(users)}`);
  await remove(ctx.db, gatewayCredentials, [stored.id]);
  return { status: 'OK' as const, message: `Deleted ${name}.` };
}

type CredentialRow = typeof gatewayCredentials.$inferSelect;

/** Returns a credential locked until the transaction ends; hosts that want to use it wait. */
async function lockCredential(ctx: WriteContext<'config'>, name: string): Promise<CredentialRow> {
  const [found] = await ctx.db
    .select()
    .from(gatewayCredentials)
    .where(eq(gatewayCredentials.name, name))
    .for('update');
  if (!found) throw notFound(KIND, name);
  assertUnchanged(ctx.request.ifMatch, found.doc.lastUpdated, `Credential ${name}`);
  return found;
}

function prepared(
  { platform }: WriteContext<'config'>,
  given: GatewayCredential,
  stored: CredentialRow | undefined,
) {
  const { _id, created, lastUpdated, scope, ...rest } = given;
  const credential: GatewayCredential = {
    username: null,
    password: null,
    privateKey: null,
    enablePassword: null,
    ...rest,
    scope: [...new Set(scope ?? (['cli', 'grpc'] as const))],
  };
  const fault = nameFault(given.name);
  const before = stored && { document: stored.doc, secrets: stored.secrets };
  const { vault } = platform;
  const row = credentialRow(given.name);
  const split = splitSecrets(credential, before, vault, row);
  assertNone([
    ...(fault ? [issue(['credential', 'name'], fault)] : []),
    ...misspelled(given),
    ...split.ambiguous.map((path) =>
      issue(
        ['credential', ...path],
        'The value is masked and no secret is stored under it: send the secret itself',
        'ambiguous',
      ),
    ),
  ]);
  return { ...split, secrets: freshSecrets(vault, row, split.secrets) };
}

const KNOWN = [...Object.keys(GatewayCredential.shape), 'passphrase'];

/** Rejects fields that look like a misspelling of a known one: a misspelled secret would be stored unencrypted. */
const misspelled = (given: GatewayCredential) =>
  Object.keys(given)
    .filter((name) => !KNOWN.includes(name))
    .flatMap((name) => {
      const hint = suggestion(name, KNOWN);
      return hint === ''
        ? []
        : [issue(['credential', name], `is not a field of a credential${hint}`, 'unrecognized_keys')];
    });

async function usersOf({ db }: WriteContext<'config'>, credential: string) {
  const { name, kind } = gatewayHosts;
  const isUser = eq(gatewayHosts.credential, credential);
  return db.select({ name, kind }).from(gatewayHosts).where(isUser).orderBy(name, kind);
}

/** Maximum number of hosts in an error message. */
const NAMED = 10;

function shown(users: Awaited<ReturnType<typeof usersOf>>): string {
  const named = users.slice(0, NAMED).map(({ name, kind }) => `${kind} host ${name}`);
  const rest = users.length - NAMED;
  return rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ');
}
