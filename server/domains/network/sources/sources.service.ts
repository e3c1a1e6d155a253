import { and, eq, or, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { insert, remove, replace } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import {
  InventorySource,
  type InventorySourcePatch,
  type NewInventorySource,
} from '#db/schemas/network/inventory-source.ts';
import { inventoryRuns, inventorySources } from '#db/tables/network/inventory.ts';
import type { Uses, WriteContext } from '#server/kernel/contexts.ts';
import { unlessTaken } from '#server/kernel/documents/documents.service.ts';
import { core } from '#server/kernel/documents/list-envelope.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { assertQuota } from '#server/kernel/documents/quota.service.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import { changedMeanwhile, conflict, type Issue, notFound } from '#server/kernel/errors.ts';
import { assertWholeAccount } from '#server/kernel/principal.ts';
import { nextMoment } from '#server/kernel/schedules/next-moments.ts';
import { scheduleIssues } from '#server/kernel/schedules/schedule-issues.ts';
import { isSecretField } from '#server/kernel/secrets/redact.ts';
import {
  maskedIssues,
  openedFields,
  type SecretFields,
  sealedFields,
} from '#server/kernel/secrets/secret-fields.ts';
import { assertNone, issue } from '#server/kernel/validation/document-issues.ts';
import { deviceTypeOf, deviceTypeSuggestion } from '../inventory/device-types.ts';
import { nameFault } from '../inventory/host-rules.ts';
import { releaseHosts, urlFault } from './apply.service.ts';
import type { OpenSource } from './fetch-source.service.ts';

const KIND = 'Inventory source';
/** Maximum number of sources. */
const MOST = 100;

/** The fields of a source that are sealed and shown as masks: a text may contain passwords. */
const SECRETS: SecretFields<'token' | 'content'> = {
  table: 'inventory_sources',
  fields: ['token', 'content'],
  path: ['source'],
};

export type SourceRow = typeof inventorySources.$inferSelect;

const resource = defineResource({
  name: 'inventory sources',
  schema: InventorySource,
  source: inventorySources,
  columns: { name: inventorySources.name },
  defaultSort: [{ field: 'name', order: 1 }],
});

/**
 * Returns one page of the sources, with masked secrets.
 *
 * @param query paging, filters and order, as lists accept them
 * @throws ServiceError BAD_REQUEST for a query that is not valid
 */
export async function listSources({ db }: { db: Database }, query: Readonly<Record<string, unknown>>) {
  return core<InventorySource>(
    await list(db, resource, readList(resource, query, { hidden: isSecretField })),
  );
}

/**
 * Returns the sources whose newest run failed, by name.
 *
 * @returns the sources with the message of the failure, and its time as ISO 8601
 */
export const failingSources = (
  db: Database,
): Promise<{ id: string; name: string; lastError: string; since: string }[]> =>
  rows(
    db,
    sql`select id, name, doc -> 'lastError' ->> 'message' as "lastError", doc -> 'lastError' ->> 'time' as since
        from ${inventorySources} where jsonb_typeof(doc -> 'lastError') = 'object' order by name`,
  );

/**
 * Returns one source, by its id or name.
 *
 * @param key id or name
 * @throws ServiceError NOT_FOUND
 */
export const getSource = async (ctx: { db: Database }, key: string): Promise<InventorySource> =>
  (await sourceRow(ctx.db, key)).doc;

/** What a personal token needs all roles of its account for (`assertWholeAccount`). */
export const RUNS = 'inventory sources are read';

/**
 * Stores a source.
 *
 * @throws ServiceError BAD_REQUEST with every issue; FORBIDDEN for a personal token with fewer roles than its account;
 *   CONFLICT when the name is taken or there are too many sources
 */
export async function createSource(ctx: WriteContext<'config'>, given: NewInventorySource) {
  assertWholeAccount(ctx.principal, RUNS);
  const { db, platform, principal } = ctx;
  await assertQuota(db, inventorySources, { most: MOST, what: 'inventory sources' });
  assertNone([...maskedIssues(SECRETS, given), ...issuesOf(ctx, given, 'source')]);
  const { document, secrets } = sealed(ctx, given.name, given);
  const stamp = platform.now().toISOString();
  const id = newId();
  const due = dueAt(platform.now(), given);
  const doc: InventorySource = {
    ...document,
    _id: id,
    nextRunAt: due?.getTime() ?? null,
    deletes: given.deletes ?? 'keep',
    created: stamp,
    lastUpdated: stamp,
    lastRun: null,
    lastSync: null,
    lastError: null,
  };
  await unlessTaken(
    'inventory_sources_name',
    `An inventory source with the name ${given.name} already exists`,
    () =>
      insert(db, inventorySources, id, doc, {
        secrets,
        account: principal.id,
        dueAt: due,
      }),
  );
  return { status: 'Created' as const, message: `Created ${given.name}.`, data: doc };
}

/**
 * Changes fields of a source; fields that are not given are kept.
 *
 * @param key id or name
 * @throws ServiceError BAD_REQUEST with every issue, NOT_FOUND, CONFLICT; FORBIDDEN as createSource
 */
export async function updateSource(ctx: WriteContext<'config'>, key: string, updates: InventorySourcePatch) {
  assertWholeAccount(ctx.principal, RUNS);
  const { db, platform, principal } = ctx;
  const stored = await sourceRow(db, key, true);
  assertUnchanged(ctx.request.ifMatch, stored.doc.lastUpdated, `${KIND} ${stored.doc.name}`);
  const { name } = stored.doc;
  const given = Object.fromEntries(Object.entries(updates).filter(([, value]) => value !== undefined));
  const next = { ...stored.doc, ...given };
  const { document, secrets } = sealed(ctx, name, next, stored.secrets);
  const keepsToken = secrets.token !== undefined && secrets.token === stored.secrets.token;
  assertNone([
    ...issuesOf(ctx, next, 'updates'),
    ...(keepsToken && originOf(next.url) !== originOf(stored.doc.url)
      ? [
          issue(
            ['updates', 'token'],
            'must be sent again, or cleared with null, when the address changes',
            'secret_needed',
          ),
        ]
      : []),
  ]);
  const due = dueAt(platform.now(), next);
  const doc: InventorySource = {
    ...stored.doc,
    ...document,
    nextRunAt: due?.getTime() ?? null,
    lastUpdated: grownStamp(platform.now(), stored.doc.lastUpdated),
  };
  const more = { secrets, account: principal.id, dueAt: due };
  if (!(await replace(db, inventorySources, stored, doc, more))) throw changedMeanwhile(`${KIND} ${name}`);
  return { status: 'OK' as const, message: `Updated ${name}.`, data: doc };
}

/**
 * Deletes a source; its hosts stay, and can be changed by hand.
 *
 * @param key id or name
 * @throws ServiceError NOT_FOUND, CONFLICT during a run
 */
export async function deleteSource({ db }: WriteContext<'config'>, key: string) {
  const { id, doc } = await sourceRow(db, key, true);
  const isRunning = and(eq(inventoryRuns.source, doc.name), eq(inventoryRuns.status, 'running'));
  if ((await db.$count(inventoryRuns, isRunning)) > 0)
    throw conflict(`${KIND} ${doc.name} is being read: wait for its run to end`);
  await releaseHosts(db, doc.name);
  await remove(db, inventorySources, [id]);
  return { status: 'OK' as const, message: `Deleted ${doc.name}; its hosts stay.` };
}

/** Returns the row of a source, by its id or name. @throws ServiceError NOT_FOUND */
export async function sourceRow(db: Database, key: string, lock = false): Promise<SourceRow> {
  const which = or(eq(inventorySources.id, key), eq(inventorySources.name, key));
  const found = db
    .select()
    .from(inventorySources)
    .where(which)
    .orderBy(sql`${inventorySources.id} = ${key} desc`)
    .limit(1);
  const [row] = await (lock ? found.for('update') : found);
  if (!row) throw notFound(KIND, key);
  return row;
}

/**
 * Returns a source with its secrets, for reading it. They must not outlive the reading.
 *
 * @returns the source with its token and text as they were sent
 */
export function openSource({ platform: { vault } }: Uses<'vault'>, { doc, secrets }: SourceRow): OpenSource {
  const opened = openedFields(SECRETS, vault, doc.name, secrets);
  return { ...doc, token: doc.token ?? '', content: doc.content ?? '', ...opened };
}

/** Returns a source with masks, and its secrets sealed. */
function sealed<Given extends NewInventorySource>(
  { platform: { vault } }: WriteContext<'config'>,
  name: string,
  given: Given,
  stored?: Readonly<Record<string, string>>,
): { document: Given; secrets: Record<string, string> } {
  const { shown, secrets } = sealedFields(SECRETS, vault, name, given, stored);
  return { document: { ...given, token: null, content: null, ...shown }, secrets };
}

/** Returns the time of the next scheduled run; null without a schedule. */
function dueAt(now: Date, { schedule }: Pick<InventorySourcePatch, 'schedule'>): Date | null {
  const next = schedule ? nextMoment(schedule, now.getTime() + 1) : null;
  return next === null ? null : new Date(next);
}

const originOf = (url: string | null | undefined): string =>
  url && URL.canParse(url) ? new URL(url).origin : '';

function issuesOf({ platform }: WriteContext<'config'>, given: NewInventorySource, member: string): Issue[] {
  const { name, schedule, mapping } = given;
  const issues: Issue[] = [];
  const report: Report = (path, message, code) => void issues.push(issue([member, ...path], message, code));
  const fault = nameFault(name);
  if (fault) report(['name'], fault);
  if (schedule) issues.push(...scheduleIssues(schedule, [member, 'schedule'], platform.now().getTime()));
  originIssues(given, platform.config.allowPrivateTargets, report);
  for (const [name, type] of Object.entries(mapping?.platforms ?? {}))
    deviceTypeIssues(['platforms', name], type, report);
  const defaultType = mapping?.defaults?.device_type;
  if (defaultType) deviceTypeIssues(['defaults', 'device_type'], defaultType, report);
  return issues;
}

type Report = (path: (string | number)[], message: string, code?: string) => void;

/** Reports what is wrong with the URL or the text that devices are read from. */
function originIssues(
  { type, url, content }: NewInventorySource,
  allowPrivateTargets: boolean,
  report: Report,
): void {
  const takesText = type !== 'netbox' && type !== 'nautobot';
  if (!url && !(takesText && content))
    report(['url'], takesText ? 'is required, unless content is sent' : 'is required', 'missing');
  if (content && !takesText) report(['content'], `is not supported by a source of the type ${type}`);
  if (content && url) report(['content'], 'cannot be combined with url');
  if (!url) return;
  const denied = urlFault(url, allowPrivateTargets);
  const { username, password } = URL.canParse(url) ? new URL(url) : { username: '', password: '' };
  if (denied) report(['url'], denied, 'address_denied');
  else if (username || password) report(['url'], 'must not contain a username or password: send a token');
}

function deviceTypeIssues(path: string[], type: string, report: Report): void {
  if (deviceTypeOf(type)) return;
  const message = `is unknown: ${JSON.stringify(type)}${deviceTypeSuggestion(type)}`;
  report(['mapping', ...path], message, 'unknown_device_type');
}
