import { randomUUID } from 'node:crypto';
import os from 'node:os';
import type { Database } from '#db/client.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { PartHealth } from '#db/schemas/operations/part-health.ts';
import { accounts } from '#db/tables/identity/accounts.ts';
import { adapters } from '#db/tables/integrations/adapters.ts';
import { applications } from '#db/tables/operations/platform.ts';
import { packageTypes, startPackages } from '#server/domains/integrations/index.ts';
import { isIntegration, isModel, MODELS, probeStale, readAdapters } from '#server/domains/network/index.ts';
import { applicationNamed, areasOf, PARTS, readApplications } from '#server/domains/operations/index.ts';
import { readDeactivated } from '#server/domains/workflow/index.ts';
import { RELEASE } from '#server/kernel/config.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { core } from '#server/kernel/documents/list-envelope.ts';
import { notFound } from '#server/kernel/errors.ts';
import { json } from '#server/kernel/json-text.ts';
import { isCertificateEnding } from '#server/kernel/observability/certificate-end.ts';
import { degradedParts } from '#server/kernel/observability/part-status.ts';
import type { Platform } from '#server/kernel/platform.ts';
import { degradedConnections } from './connections.service.ts';
import {
  type HealthPart,
  type ProcessFacts,
  partHealth,
  serverHealth,
  systemHealth,
  togetherOf,
} from './health.ts';
import { inTime } from './in-time.ts';

const SERVER_ID = randomUUID().replaceAll('-', '').slice(0, 24);

/** Time limit for the database in milliseconds: liveness must be reported in time. */
const TIMEOUT_MS = 2000;

type Clock = { now: () => Date };
type Options = Readonly<Record<string, unknown>>;

/**
 * Returns the state of this process and of its dependencies (contract/lifecycle#health-status). It never throws: without
 * the database no request can be served, and the response says so.
 *
 * @param excludeServices true: leaves out the states of the parts of this process, of the workers and of connections
 */
export async function readStatus(db: Database, { now }: Clock, excludeServices: boolean) {
  const counted = await inTime(countActive(db, applications), TIMEOUT_MS);
  const database = counted ? ('running' as const) : ('stopped' as const);
  const parts = degradedParts().map((service) => ({ service, status: 'degraded' as const }));
  const switched = counted && (await inTime(readDeactivated(db), TIMEOUT_MS));
  const workers = [...(switched ?? [])].map((name) => ({
    service: `${name}Worker`,
    status: 'stopped' as const,
  }));
  const connections = counted && (await inTime(degradedConnections(db), TIMEOUT_MS));
  const apps = counted ? togetherOf(counted.running, counted.stopped) : ('stopped' as const);
  const isDegraded = apps === 'running' && parts.length > 0;
  return {
    host: os.hostname(),
    serverId: SERVER_ID,
    serverName: 'switchyard',
    ...(!excludeServices && {
      services: [
        { service: 'database', status: database },
        ...parts,
        ...workers,
        ...(isCertificateEnding(now()) ? [{ service: 'certificate', status: 'degraded' as const }] : []),
        ...(connections ?? []),
      ],
    }),
    timestamp: now().getTime(),
    apps: isDegraded ? ('degraded' as const) : apps,
    adapters: await adaptersTogether(db, database),
  };
}

/** Returns the overall state of the adapters: stopped when the database is unavailable. */
async function adaptersTogether(db: Database, database: 'running' | 'stopped') {
  if (database === 'stopped') return database;
  const counted = await inTime(countActive(db, adapters), TIMEOUT_MS);
  return counted ? togetherOf(counted.running, counted.stopped) : ('stopped' as const);
}

async function countActive(db: Database, table: typeof applications | typeof adapters) {
  const all = await db.select({ active: table.active }).from(table);
  const running = all.filter(({ active }) => active).length;
  return { running, stopped: all.length - running };
}

const processFacts = (): ProcessFacts => ({
  uptime: process.uptime(),
  memory: process.memoryUsage(),
  cpu: process.cpuUsage(),
  pid: process.pid,
});

/** Returns the state of this process (contract/endpoints#4.5). */
export const readServer = () =>
  serverHealth(processFacts(), {
    release: RELEASE,
    arch: process.arch,
    platform: process.platform,
    versions: process.versions,
    dependencies: PARTS,
  });

/** Returns the state of the machine (contract/lifecycle#health-system). */
export const readSystem = () =>
  systemHealth({
    arch: os.arch(),
    release: os.release(),
    uptime: os.uptime(),
    freemem: os.freemem(),
    totalmem: os.totalmem(),
    loadavg: os.loadavg(),
    cpus: os.cpus(),
  });

const resource = defineResource({
  name: 'parts',
  schema: PartHealth,
  source: 'given',
  defaultSort: [{ field: 'id', order: 1 }],
  unlimited: true,
});

/** Lists the state of each application in this process (contract/lifecycle#2). */
export const listApplicationHealth = async (call: SystemContext<keyof Platform>, options: Options) =>
  listParts(call, await applicationParts(call), options);

/** Lists the state of each adapter in this process (contract/lifecycle#2). */
export const listAdapterHealth = async (call: SystemContext<keyof Platform>, options: Options) =>
  listParts(call, await adapterParts(call), options);

/** Returns the health of one application. @throws ServiceError NOT_FOUND */
export async function getApplicationHealth(
  call: SystemContext<keyof Platform>,
  name: string,
): Promise<PartHealth> {
  const part = applicationNamed(await applicationParts(call), name);
  return onePart(call, part ? [part] : [], 'Application', part?.id ?? name);
}

/** Returns the health of one adapter. @throws ServiceError NOT_FOUND */
export const getAdapterHealth = async (call: SystemContext<keyof Platform>, name: string) =>
  onePart(call, await adapterParts(call), 'Adapter', name);

async function listParts(
  { db, platform }: SystemContext<keyof Platform>,
  parts: HealthPart[],
  options: Options,
) {
  const query = readList(resource, options);
  const facts = processFacts();
  const given = parts.map((part) => partHealth(part, facts, RELEASE, platform.now().getTime()));
  return core<PartHealth>(await list(db, resource, query, { given }));
}

function onePart(
  { platform }: SystemContext<keyof Platform>,
  parts: HealthPart[],
  kind: string,
  name: string,
): PartHealth {
  const part = parts.find(({ id }) => id === name);
  if (!part) throw notFound(kind, name);
  return partHealth(part, processFacts(), RELEASE, platform.now().getTime());
}

async function applicationParts({ db, platform }: SystemContext<keyof Platform>): Promise<HealthPart[]> {
  const areas = new Map(areasOf(platform.catalogue).map((area) => [area.name, area]));
  return (await readApplications(db)).map(({ id, doc, active, sinceStart, ranFor }) => ({
    id,
    model: doc.model ?? '',
    type: 'Application',
    description: areas.get(id)?.description ?? '',
    prefix: areas.get(id)?.prefix ?? '',
    running: active,
    online: true,
    sinceStart,
    ranFor,
    loggerProps: doc.loggerProps,
  }));
}

/** Returns the adapters; those without a recent state are checked in the background, for the next request. */
async function adapterParts(call: SystemContext<keyof Platform>): Promise<HealthPart[]> {
  const [account, found] = await Promise.all([
    inTime(call.db.select({ id: accounts.id }).from(accounts).limit(1), TIMEOUT_MS),
    readAdapters(call.db),
  ]);
  const packages = await packageTypes(call.db);
  probeStale(call, found);
  startPackages(call, packages, found);
  return found.map(({ id, doc, active, online, sinceStart, ranFor }) => {
    const { type } = doc.properties;
    return {
      id,
      model: doc.model,
      type: 'Adapter',
      description: isModel(type) ? MODELS[type] : `Tasks of ${type}`,
      prefix: id,
      running: active,
      // Built-in adapters access local resources: the accounts in the database, or this process itself.
      online: type === 'local_aaa' ? account !== undefined : type === 'Gateway' ? true : online,
      sinceStart,
      ranFor,
      loggerProps: doc.loggerProps,
      hasProcess: !isIntegration(doc),
      own: packages.has(type) ? call.platform.packages.state(id) : undefined,
    };
  });
}

/** Returns the OpenAPI document of every endpoint; with `url`, as served there (contract/lifecycle#help-openapi). */
export const describeService = async ({ openApi }: Pick<Platform, 'openApi'>, url: string | undefined) =>
  json<Record<string, unknown>>(await openApi(url));
