import { and, eq, ne, notExists, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { insert, remove, replace } from '#db/collection.ts';
import { deviceOrigins } from '#db/device-origins.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { Adapter, type AdapterChange, type AdapterEntry } from '#db/schemas/network/adapter.ts';
import type { LogLevelInput } from '#db/schemas/operations/logger-props.ts';
import { adapterDevices, adapters } from '#db/tables/integrations/adapters.ts';
import { HEALTH_FIELDS, levelIn, merge, RUN_WORDS, withLevel } from '#server/domains/operations/index.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { core, pageWithMetadata } from '#server/kernel/documents/list-envelope.ts';
import { assertUnchanged, conflictDetails } from '#server/kernel/documents/optimistic-lock.ts';
import { conflict, forbidden, invalidRequest, notFound } from '#server/kernel/errors.ts';
import { json } from '#server/kernel/json-text.ts';
import { isSecretField, MASK, type Path, redact } from '#server/kernel/secrets/redact.ts';
import { nodesWithDevices } from '../inventory/tree-nodes-of-devices.service.ts';
import { type AdapterType, isIntegration } from './adapter-type.ts';
import { BUILT_IN, changedFields, connectionOf, isPackageOf, MODELS, type Model } from './connection.ts';
import { inConnection, inDocument, takeAdapter, takesConnection } from './document.service.ts';
import { type AdapterRow, getAdapterRow, readAdapters } from './rows.service.ts';

/** Finds a type by its name, which is the `properties.type` of its adapters. */
export type FindAdapterType = (db: Database, name: string) => Promise<AdapterType | undefined>;

/** Finds no types: only the built-in models are known. */
export const noOtherTypes: FindAdapterType = async () => undefined;

const resource = defineResource({
  name: 'adapters',
  schema: Adapter,
  source: 'given',
  defaultSort: [{ field: 'name', order: 1 }],
  unlimited: true,
});

type ListOptions = Readonly<Record<string, unknown>>;

/** Lists adapters with masked secrets; query fields are those of `data` (contract/lifecycle#9). */
export const listAdapters = async (call: WriteContext<'orchestrator'>, options: ListOptions) =>
  core<AdapterEntry>(await pageWhere(call, options, (document) => !isIntegration(document)));

type IntegrationList = { results: AdapterEntry[]; integrations: AdapterEntry[]; total: number };

/** Lists integrations like adapters. The page has two names, because some clients read one and some the other (decision 0103). */
export async function listIntegrations(call: WriteContext<'orchestrator'>, options: ListOptions) {
  const { body, total } = await pageWhere(call, options, isIntegration);
  return json<IntegrationList>('{"results":[', body, '],"integrations":[', body, `],"total":${total}}`);
}

async function pageWhere(
  { db }: WriteContext<'orchestrator'>,
  options: ListOptions,
  isListed: (document: Adapter) => boolean,
) {
  const { skipActiveSync, ...listOptions } = options;
  const query = readList(resource, listOptions, { hidden: isSecretField, fields: HEALTH_FIELDS });
  const listed = (await readAdapters(db)).filter(({ doc }) => isListed(doc));
  const entries = new Map(listed.map((row) => [row.id, entryOf(row)]));
  const given = [...entries.values()].map(({ data }) => data);
  return pageWithMetadata(await list(db, resource, query, { given }), 'data', ({ name }: Adapter) => {
    const { isActive, activeSync } = entries.get(name)?.metadata ?? { isActive: false };
    return skipActiveSync === true ? { isActive } : { isActive, activeSync };
  });
}

/** Returns one adapter with masked secrets, and its ETag in the headers. @throws ServiceError NOT_FOUND */
export async function getAdapter(
  { db, answer }: WriteContext<'orchestrator'>,
  name: string,
): Promise<AdapterEntry> {
  const row = await getAdapterRow(db, name);
  answer.headers.ETag = `"${row.stamp}"`;
  return entryOf(row);
}

/** Returns only the adapter's document, with masked secrets. @throws ServiceError NOT_FOUND */
export const exportAdapter = async (call: WriteContext<'orchestrator'>, name: string): Promise<Adapter> =>
  (await getAdapter(call, name)).data;

/**
 * Stores a new adapter, which starts at once (contract/lifecycle#9).
 *
 * @param findType finds types besides the built-in models
 * @param inRequest returns the path in the request of a path in the document, for issues
 * @throws ServiceError CONFLICT when the name is taken; BAD_REQUEST for an unknown model or an invalid connection
 */
export async function createAdapter(
  call: WriteContext<'orchestrator'>,
  given: Adapter,
  findType: FindAdapterType = noOtherTypes,
  inRequest: (path: Path) => Path = inDocument,
) {
  const { db, platform } = call;
  const sent = withType(given);
  if ((await db.$count(adapters, eq(adapters.id, sent.name))) > 0)
    throw conflict(`Adapter ${sent.name} already exists`);
  const type = await findType(db, sent.properties.type);
  const { document, unset } = takeAdapter(platform, completed(sent, type), undefined, inRequest, type);
  const virtual = type?.virtual ?? document.virtual ?? false;
  const adapter = { type: 'Adapter', ...document, virtual, isEncrypted: true };
  await insert(db, adapters, sent.name, adapter);
  const missing = unset.length > 0 ? ` Secrets still to be set: ${unset.map(dotted).join(', ')}.` : '';
  return {
    status: 'Created' as const,
    message: `Successfully created ${sent.name}.${missing}`,
    data: redact(adapter, MASK),
  };
}

/** Returns a new adapter with its type, which follows from its package where a client names only that. */
function withType(sent: Adapter): Adapter {
  const { model, properties } = sent;
  if (properties.type !== '') return sent;
  const type = (Object.keys(MODELS) as Model[]).find((one) => isPackageOf(one, model));
  return type === undefined ? sent : { ...sent, properties: { ...properties, type } };
}

/** Returns a new adapter with the fields of its connection that its type provides. */
function completed(sent: Adapter, type: AdapterType | undefined): Adapter {
  if (!type?.newConnection) return sent;
  const { properties } = sent;
  return {
    ...sent,
    properties: { ...properties, properties: type.newConnection(connectionOf(properties)) },
  };
}

/**
 * Replaces an adapter's document; a mask keeps the stored secret.
 *
 * @returns a confirmation with the adapter, its secrets masked
 * @throws ServiceError NOT_FOUND; BAD_REQUEST when name or model changes, or the host without its secret; CONFLICT when
 *   the adapter was changed in the meantime
 */
export async function replaceAdapter(
  call: WriteContext<'orchestrator'>,
  name: string,
  sent: Adapter,
  findType: FindAdapterType = noOtherTypes,
) {
  const row = await getUnchanged(call, name, () => sent);
  return store(call, row, { ...sent, isEncrypted: true }, { inRequest: inDocument, findType });
}

/**
 * Merges `sent` into the stored connection, recursively for objects; null removes a field.
 *
 * @returns a confirmation with the adapter, its secrets masked
 * @throws ServiceError as replaceAdapter
 */
export async function updateConnection(
  call: WriteContext<'orchestrator'>,
  name: string,
  sent: Readonly<Record<string, unknown>>,
  findType: FindAdapterType = noOtherTypes,
) {
  const row = await getUnchanged(call, name, (doc) => withConnection(doc, sent));
  return store(call, row, withConnection(row.doc, sent), { inRequest: inConnection, findType });
}

/** Returns a stored adapter with masked secrets and with `sent` merged into its connection. */
export function withConnection(doc: Adapter, sent: Readonly<Record<string, unknown>>): Adapter {
  const shown = redact(doc, MASK);
  return {
    ...shown,
    properties: { ...shown.properties, properties: merge(connectionOf(shown.properties), sent) },
  };
}

/**
 * Sets the log level of an adapter for one transport, or for file and console if none is named.
 *
 * @throws ServiceError NOT_FOUND; BAD_REQUEST when the level is given twice or not at all
 */
export async function setAdapterLogLevel(
  call: WriteContext<'orchestrator'>,
  name: string,
  input: LogLevelInput,
) {
  const level = levelIn(input);
  const row = await getUnchanged(call, name);
  const loggerProps = withLevel(row.doc.loggerProps, level);
  await write(call, row, { ...row.doc, loggerProps });
  return { status: 'OK' as const, message: `Successfully updated ${name}.` };
}

/**
 * Starts, stops or restarts an adapter for all processes, which follow the stored state. Calls in progress are not
 * interrupted; starting a running or stopping a stopped adapter changes nothing (contract/lifecycle#9).
 *
 * @throws ServiceError NOT_FOUND; CONFLICT for stopping local_aaa, or when the adapter was changed in the meantime
 */
export async function setAdapterRunning(
  call: WriteContext<'orchestrator'>,
  name: string,
  action: keyof typeof RUN_WORDS,
) {
  const { db } = call;
  const row = await getUnchanged(call, name);
  if (name === 'local_aaa' && action === 'stop') {
    throw conflict('local_aaa cannot be stopped: nobody could sign in to start it again');
  }
  const ranFor = row.active ? row.sinceStart : row.ranFor;
  if (action === 'stop' && row.active) {
    await replace(db, adapters, row, row.doc, { active: false, ranFor });
  } else if (action === 'restart' || (action === 'start' && !row.active)) {
    const fresh = { active: true, ranFor, startedAt: sql`now()`, ...UNKNOWN_STATE };
    await replace(db, adapters, row, row.doc, fresh);
  }
  return { status: 'success' as const, message: `Successfully ${RUN_WORDS[action]} ${name}.` };
}

/**
 * Deletes an adapter and the devices that only it reports (contract/lifecycle#9).
 *
 * @param force delete even if such devices are on nodes of trees
 * @throws ServiceError NOT_FOUND; FORBIDDEN for a built-in adapter; CONFLICT naming the nodes, or when the adapter was
 *   changed in the meantime
 */
export async function deleteAdapter(call: WriteContext<'orchestrator'>, name: string, force: boolean) {
  await getUnchanged(call, name);
  if (Object.hasOwn(BUILT_IN, name))
    throw forbidden(`${name} is built in: it can be stopped but not deleted`);
  if (!force) await assertNoNode(call, name);
  await remove(call.db, adapters, [name]);
  return { status: 'OK' as const, message: `Successfully deleted ${name}.` };
}

/** Maximum number of names per statement, and of nodes in an error message. */
const CHUNK = 500;
const NAMED = 10;

async function assertNoNode(call: WriteContext<'orchestrator'>, adapter: string) {
  const { name } = adapterDevices;
  const isOther = and(eq(deviceOrigins.name, name), ne(deviceOrigins.origin, adapter));
  const others = call.db.select({ id: deviceOrigins.id }).from(deviceOrigins).where(isOther);
  const own = await call.db
    .select({ name })
    .from(adapterDevices)
    .where(and(eq(adapterDevices.adapter, adapter), notExists(others)))
    .orderBy(name);
  for (let at = 0; at < own.length; at += CHUNK) {
    const names = own.slice(at, at + CHUNK).map((device) => device.name);
    const nodes = await nodesWithDevices(call, names);
    if (nodes.length === 0) continue;
    const shown = nodes.slice(0, NAMED).join(', ');
    throw conflict(`Devices of ${adapter} are assigned to ${shown}: remove them there, or send force=true`);
  }
}

/** Returns the changes to an adapter, newest first. @throws ServiceError NOT_FOUND */
export async function listAdapterChanges(
  { db }: WriteContext<'orchestrator'>,
  name: string,
): Promise<AdapterChange[]> {
  const { changelog } = adapters;
  const [row] = await db.select({ changelog }).from(adapters).where(eq(adapters.id, name));
  if (!row) throw notFound('Adapter', name);
  return row.changelog;
}

/** Returns an adapter if it matches `If-Match`. @param change the document to be written, which the conflict describes */
async function getUnchanged(
  { db, request }: WriteContext<'orchestrator'>,
  name: string,
  change: (doc: Adapter) => object = () => ({}),
): Promise<AdapterRow> {
  const row = await getAdapterRow(db, name, true);
  const details = () => conflictDetails(redact(row.doc, MASK), change(row.doc))();
  assertUnchanged(request.ifMatch, row.stamp, `Adapter ${name}`, details);
  return row;
}

/** State of the remote system after the connection has changed: unknown. */
const UNKNOWN_STATE = { online: null, detail: null, failed: 0, probedAt: null };

/** @param options.inRequest maps a path in the document to its path in the request, for issues */
async function store(
  call: WriteContext<'orchestrator'>,
  row: AdapterRow,
  sent: Adapter,
  { inRequest, findType }: { inRequest: (path: Path) => Path; findType: FindAdapterType },
) {
  if (sent.name !== row.id) {
    throw invalidRequest([
      {
        path: [...inRequest(['name'])],
        message: `is ${row.id} and cannot be changed`,
        code: 'read_only',
      },
    ]);
  }
  const type = await findType(call.db, row.doc.properties.type);
  const { document: taken } = takeAdapter(call.platform, sent, row.doc, inRequest, type);
  const document = type ? { ...taken, virtual: type.virtual } : taken;
  await write(call, row, document, type || takesConnection(document) ? UNKNOWN_STATE : {});
  return {
    status: 'OK' as const,
    message: `Successfully updated ${row.id}.`,
    data: redact(document, MASK),
  };
}

/** Maximum number of changes kept per adapter. */
const MOST_CHANGES = 100;

async function write(
  call: WriteContext<'orchestrator'>,
  row: AdapterRow,
  document: Adapter,
  extra: Record<string, unknown> = {},
) {
  const { db, principal, platform } = call;
  const change: AdapterChange = {
    timestamp: platform.now().toISOString(),
    user: principal.username,
    fields: changedFields(row.doc, document),
  };
  const changelog = [change, ...(await listAdapterChanges(call, row.id))].slice(0, MOST_CHANGES);
  await replace(db, adapters, row, document, { ...extra, changelog });
}

const dotted = (path: Path) => path.join('.');

const entryOf = ({ doc, active }: AdapterRow): AdapterEntry => ({
  metadata: { isActive: active, activeSync: true },
  data: redact(doc, MASK),
});
