import { isDeepStrictEqual } from 'node:util';
import { and, eq, ne, sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { remove, replace } from '#db/collection.ts';
import { jsonText } from '#db/expressions.ts';
import { newId } from '#db/ids.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource, type Resource } from '#db/list/resource.ts';
import {
  CliHost,
  type DeviceType,
  DeviceType as DeviceTypeSchema,
  type GatewayHost,
  GrpcHost,
  type HostKind,
  type HostPatch,
  HttpHost,
  type NewHost,
} from '#db/schemas/network/gateway-host.ts';
import { gatewayHosts } from '#db/tables/network/gateway.ts';
import { assertKnownGbac } from '#server/domains/identity/index.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { accessOf, insertUnlessTaken, readDocument } from '#server/kernel/documents/documents.service.ts';
import { core } from '#server/kernel/documents/list-envelope.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import { changedMeanwhile, conflict, invalid, notFound } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { isSecretField } from '#server/kernel/secrets/redact.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { deviceTypes } from './device-types.ts';
import { type HostRow, holdCredentials, lockHosts, prepareHost } from './host-documents.service.ts';
import { patched, readPatch } from './host-rules.ts';
import { nodesWithDevices } from './tree-nodes-of-devices.service.ts';

type HostQuery = Readonly<Record<string, unknown>>;

const SCHEMAS = { cli: CliHost, grpc: GrpcHost, http: HttpHost };

const resourceOf = (kind: HostKind): Resource =>
  defineResource({
    name: `${kind} hosts`,
    schema: SCHEMAS[kind],
    source: gatewayHosts,
    columns: {
      name: gatewayHosts.name,
      host: gatewayHosts.host,
      credential: gatewayHosts.credential,
      ...(kind === 'cli' && { device_type: gatewayHosts.deviceType, ostype: gatewayHosts.ostype }),
    },
    defaultSort: [{ field: 'name', order: 1 }],
    always: sql`${gatewayHosts.kind} = ${sql.raw(`'${kind}'`)}`,
    alwaysOn: gatewayHosts.kind,
  });
const resources: Record<HostKind, Resource> = {
  cli: resourceOf('cli'),
  grpc: resourceOf('grpc'),
  http: resourceOf('http'),
};

const deviceTypeList = defineResource({ name: 'device types', schema: DeviceTypeSchema, source: 'given' });

/** Returns one page of an inventory, in the pair dialect, with masked secrets (contract/lifecycle#12). */
export async function listHosts({ db, principal }: ReadContext, kind: HostKind, query: HostQuery) {
  const listQuery = readList(resources[kind], query, { hidden: isSecretField });
  return core<GatewayHost>(
    await list(db, resources[kind], listQuery, accessOf(mayRead(gatewayHosts, principal))),
  );
}

/** Returns the available kinds of device (contract/lifecycle#12). */
export async function listDeviceTypes({ db }: Pick<ReadContext, 'db'>, query: HostQuery) {
  const page = await list(db, deviceTypeList, readList(deviceTypeList, query), { given: deviceTypes() });
  return core<DeviceType>(page);
}

/** Returns one host. @throws ServiceError NOT_FOUND */
export const getHost = async (
  ctx: ReadContext,
  kind: HostKind,
  name: string,
): Promise<JsonText<GatewayHost>> =>
  json(await readDocument(ctx, 'host', { where: sql`kind = ${kind} and name = ${name}`, called: name }));

/** Returns whether an inventory has any host, whoever may read it. */
export async function hasHosts({ db }: Pick<ReadContext, 'db'>, kind: HostKind): Promise<boolean> {
  const { id } = gatewayHosts;
  const found = await db.select({ id }).from(gatewayHosts).where(eq(gatewayHosts.kind, kind)).limit(1);
  return found.length > 0;
}

/** Returns all hosts of an inventory with masked secrets, in the format for imports (contract/lifecycle#12). */
export async function exportHosts({ db }: Pick<ReadContext, 'db'>, kind: HostKind) {
  const found = await db
    .select({ doc: jsonText(gatewayHosts.doc) })
    .from(gatewayHosts)
    .where(eq(gatewayHosts.kind, kind))
    .orderBy(gatewayHosts.name);
  return json<{ hosts: GatewayHost[] }>(`{"hosts":[${found.map(({ doc }) => doc).join(',')}]}`);
}

/**
 * Stores a new host (contract/lifecycle#12).
 *
 * @throws ServiceError BAD_REQUEST with all issues, CONFLICT when the name is taken
 */
export async function createHost(ctx: WriteContext<'config'>, kind: HostKind, given: NewHost) {
  const { document, secrets, unset } = await prepared(ctx, kind, given, undefined);
  const stamp = ctx.platform.now().toISOString();
  const doc = stamped(kind, document, newId(), { created: stamp, lastUpdated: stamp, lastSeen: null });
  const taken = {
    index: 'gateway_hosts_name',
    message: `A ${kind} host with the name ${given.name} already exists`,
  };
  await insertUnlessTaken(ctx.db, gatewayHosts, { id: doc._id ?? '', doc, kind, secrets }, taken);
  return { status: 'Created' as const, message: writeMessage(`Created ${given.name}.`, unset), data: doc };
}

/**
 * Replaces the host of this name: missing fields and secrets are removed, except masked secrets
 * (contract/lifecycle#12).
 *
 * @returns a confirmation with the host, its secrets masked; it names the secrets that are not set
 * @throws ServiceError BAD_REQUEST, NOT_FOUND, CONFLICT
 */
export async function replaceHost(ctx: WriteContext<'config'>, kind: HostKind, name: string, given: NewHost) {
  const stored = await lockHost(ctx, kind, name);
  return { ...(await write(ctx, kind, stored, given, 'host')), status: 'OK' as const };
}

/**
 * Changes fields of a host; missing fields stay unchanged (contract/lifecycle#12).
 *
 * @returns a confirmation with the host, its secrets masked; `metadata.ignored`: names of fields that cannot be
 *   changed
 * @throws ServiceError BAD_REQUEST, NOT_FOUND, CONFLICT
 */
export async function patchHost(
  ctx: WriteContext<'config'>,
  kind: HostKind,
  name: string,
  updates: HostPatch,
) {
  const stored = await lockHost(ctx, kind, name);
  const { change, ignored } = readPatch(updates);
  const written = await write(ctx, kind, stored, patched(stored.doc, change), 'updates');
  return { ...written, status: 'OK' as const, ...(ignored.length > 0 && { metadata: { ignored } }) };
}

/**
 * Sets the key that a host must show (contract/lifecycle#12, contract/decisions#host-keys).
 *
 * @param fingerprint SHA256 fingerprint as OpenSSH prints it
 * @throws ServiceError NOT_FOUND, CONFLICT
 */
export async function setHostKey(ctx: WriteContext<'config'>, name: string, fingerprint: string) {
  const stored = await lockHost(ctx, 'cli', name);
  // A test before said something about the other key.
  const { lastTest: _, ...host } = stored.doc;
  const { hostKey } = host;
  // The kind of key is known only after a connection.
  const algorithm = hostKey?.fingerprint === fingerprint ? hostKey.algorithm : '';
  const next = { ...host, hostKey: { ...hostKey, algorithm, fingerprint } };
  await store(ctx, 'cli', stored, next, { ...stored.secrets });
  return { status: 'OK' as const, message: `The host key of ${name} is ${fingerprint}.` };
}

/**
 * Deletes a host (contract/lifecycle#12).
 *
 * @param force delete even if its device is on a node of a tree
 * @throws ServiceError NOT_FOUND, CONFLICT naming the nodes
 */
export async function deleteHost(ctx: WriteContext<'config'>, kind: HostKind, name: string, force: boolean) {
  const stored = await lockHost(ctx, kind, name);
  if (!force) await assertNoNode(ctx, kind, name);
  await remove(ctx.db, gatewayHosts, [stored.id]);
  return { status: 'OK' as const, message: `Deleted ${name}.` };
}

async function assertNoNode(ctx: WriteContext<'config'>, kind: HostKind, name: string) {
  // A host of the http inventory is no device.
  if (kind === 'http') return;
  const others = and(eq(gatewayHosts.name, name), ne(gatewayHosts.kind, kind), ne(gatewayHosts.kind, 'http'));
  if ((await ctx.db.$count(gatewayHosts, others)) > 0) return;
  const nodes = await nodesWithDevices(ctx, [name]);
  if (nodes.length === 0) return;
  const shown = nodes.slice(0, 10).join(', ');
  throw conflict(`Device ${name} is assigned to ${shown}: remove it there, or send force=true`);
}

async function lockHost(ctx: WriteContext<'config'>, kind: HostKind, name: string): Promise<HostRow> {
  const stored = (await lockHosts(ctx.db, kind, [name])).get(name);
  if (!stored) throw notFound('Host', name);
  assertUnchanged(ctx.request.ifMatch, stored.doc.lastUpdated, `Host ${name}`);
  return stored;
}

/** @param member field of the request that has the host */
async function write(
  ctx: WriteContext<'config'>,
  kind: HostKind,
  stored: HostRow,
  given: NewHost,
  member: string,
) {
  const { name } = stored.doc;
  if (given.name !== name) throw invalid([member, 'name'], `is ${name} and cannot be changed`);
  const { document, secrets, unset } = await prepared(ctx, kind, given, stored, member);
  const data = await store(ctx, kind, stored, document, secrets);
  return { message: writeMessage(`Updated ${name}.`, unset), data };
}

async function store(
  ctx: WriteContext<'config'>,
  kind: HostKind,
  stored: HostRow,
  document: NewHost,
  secrets: Record<string, string>,
): Promise<GatewayHost> {
  const { created, lastUpdated: last, lastSeen = null } = stored.doc;
  const lastUpdated = grownStamp(ctx.platform.now(), last);
  const doc = {
    ...stamped(kind, document, stored.id, { created, lastUpdated, lastSeen }),
    ...managedFields(stored.doc),
  };
  if (!(await replace(ctx.db, gatewayHosts, stored, doc, { secrets }))) {
    throw changedMeanwhile(`Host ${doc.name}`);
  }
  return doc;
}

type Stamps = { created: string | undefined; lastUpdated: string; lastSeen: string | null };

/** Returns the fields by which an inventory source manages a host; a change by others keeps them. */
export const managedFields = ({
  source,
  sourceFields,
  sourceTags,
  missingSince,
}: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  ...(source !== undefined && { source }),
  ...(sourceFields !== undefined && { sourceFields }),
  ...(sourceTags !== undefined && { sourceTags }),
  ...(missingSince !== undefined && { missingSince }),
});

/** Returns the document with the fields that only the server sets. */
export function stamped(kind: HostKind, document: NewHost, _id: string, stamps: Stamps): GatewayHost {
  const { created, lastUpdated, lastSeen } = stamps;
  const doc = { ...document, _id, created, lastUpdated, ...(kind === 'cli' && { lastSeen }) };
  // The host was completed before.
  return doc as GatewayHost;
}

async function prepared(
  ctx: WriteContext<'config'>,
  kind: HostKind,
  given: NewHost,
  stored: HostRow | undefined,
  member = 'host',
) {
  const one = prepareHost(ctx, kind, given, stored, await holdCredentials(ctx.db, [given]));
  assertNone(one.issues.map(({ path, ...rest }) => ({ path: [member, ...path], ...rest })));
  // An unchanged access list is not checked, so that an import with unknown groups does not prevent other changes.
  if (!isDeepStrictEqual(given.gbac, stored?.doc.gbac))
    await assertKnownGbac(ctx.db, given.gbac, [member, 'gbac']);
  return one;
}

/** Returns the message of a write, with the secrets that are not set yet. */
export const writeMessage = (done: string, unset: readonly string[]): string =>
  unset.length === 0 ? done : `${done} Secrets still to be set: ${unset.join(', ')}.`;
