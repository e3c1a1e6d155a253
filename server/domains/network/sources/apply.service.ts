import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { GatewayHost } from '#db/schemas/network/gateway-host.ts';
import {
  type InventorySource,
  NewInventorySource,
  type SourceIssue,
} from '#db/schemas/network/inventory-source.ts';
import { gatewayHosts } from '#db/tables/network/gateway.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import { hostFault } from '#server/kernel/targets/targets.ts';
import {
  type HostRow,
  holdCredentials,
  hostsNamed,
  lockHosts,
  prepareHost,
} from '../inventory/host-documents.service.ts';
import { insertHosts, updateHosts } from '../inventory/host-import.service.ts';
import { stamped } from '../inventory/hosts.service.ts';
import { type MergedHost, merged } from './merge.ts';
import type { SourceHost } from './source-record.ts';

/** Changes that a batch made, or would make. */
export type Applied = {
  new: string[];
  changed: { name: string; fields: string[] }[];
  unchanged: number;
  issues: SourceIssue[];
  /** The hosts that were written, for the audit trail; none in a dry run. */
  written: { id: string; name: string }[];
};

/**
 * Stores the hosts of one batch of a source: each is then as the source has it, or as it was before. A host that does not
 * differ is neither locked nor written.
 *
 * @param dryRun stores nothing and returns what would change
 */
export async function applyHosts(
  ctx: SystemContext<'now' | 'vault' | 'config'>,
  source: Pick<InventorySource, 'name'>,
  hosts: readonly SourceHost[],
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<Applied> {
  const { db, platform } = ctx;
  const names = hosts.map(({ name }) => name);
  const known = await hostsNamed(db, 'cli', names);
  const differing = hosts.filter((host) => differs(source.name, host, known.get(host.name)?.doc));
  const result: Applied = {
    new: [],
    changed: [],
    unchanged: hosts.length - differing.length,
    issues: [],
    written: [],
  };
  if (differing.length === 0) return result;
  const wanted = differing.map(({ name }) => name);
  const stored = dryRun ? await hostsNamed(db, 'cli', wanted) : await lockHosts(db, 'cli', wanted);
  const merges = differing.map((host) => ({
    host,
    merge: merged(source.name, host, stored.get(host.name)?.doc),
  }));
  const scopes = await holdCredentials(
    db,
    merges.map(({ merge }) => merge.host),
  );
  const fresh: { doc: GatewayHost; secrets: Record<string, string> }[] = [];
  const over: typeof fresh = [];
  for (const { host, merge } of merges) {
    const before = stored.get(host.name);
    const other = before?.doc.source;
    if (other !== undefined && other !== source.name) {
      const message = `is managed by the inventory source ${other}`;
      result.issues.push({ name: host.name, field: 'name', message });
      continue;
    }
    const one = prepareHost(ctx, 'cli', merge.host, before, scopes, { isImport: true, isSource: true });
    if (one.issues.length > 0) {
      for (const { path, message } of one.issues)
        result.issues.push({ name: host.name, field: path.map(String).join('.'), message });
      continue;
    }
    if (before) result.changed.push({ name: host.name, fields: merge.fields });
    else result.new.push(host.name);
    const doc = withStamps(one.document, merge, before, platform.now());
    (before ? over : fresh).push({ doc, secrets: one.secrets });
  }
  if (dryRun) return result;
  const written = new Set([...(await insertHosts(db, 'cli', fresh)), ...(await updateHosts(db, over))]);
  const changed = [...fresh, ...over].map(({ doc }) => ({ id: doc._id ?? '', name: doc.name }));
  result.written = changed.filter(({ id }) => written.has(id));
  return result;
}

/** Returns whether a host must be written: it is new, or differs from its source. */
function differs(source: string, host: SourceHost, stored: GatewayHost | undefined): boolean {
  return !stored || merged(source, host, stored).fields.length > 0;
}

function withStamps(
  document: Parameters<typeof stamped>[1],
  { managed }: MergedHost,
  before: HostRow | undefined,
  now: Date,
): GatewayHost {
  const stamp = now.toISOString();
  const stamps = before
    ? {
        created: before.doc.created,
        lastUpdated: grownStamp(now, before.doc.lastUpdated),
        lastSeen: before.doc.lastSeen ?? null,
      }
    : { created: stamp, lastUpdated: stamp, lastSeen: null };
  return { ...stamped('cli', document, before?.id ?? newId(), stamps), ...managed };
}

/**
 * Returns the hosts that a source manages and no longer has, by name.
 *
 * @param source name of the source
 * @param present names of the devices that the source has now
 */
export async function hostsMissingFromSource(
  db: Database,
  source: string,
  present: readonly string[],
): Promise<string[]> {
  const found = await rows<{ name: string }>(
    db,
    sql`select name from ${gatewayHosts} where source = ${source}
        and not exists (select from unnest(${textArray(present)}) as here(name) where here.name = ${gatewayHosts.name})
        order by name`,
  );
  return found.map(({ name }) => name);
}

/** Share of the devices of a source, in percent, that a run may remove, where the source does not say it. */
const GONE_PERCENT = 20;
/** Number of devices from which the share counts: in a small source, each device is a large share. */
const FEWEST_GONE = 10;

/**
 * Returns how many hosts a run would remove, when they are so many that the run needs a confirmation: the source may show
 * only a part of its devices, because of a filter or a permission that changed there.
 *
 * @param gone names of the hosts that the source no longer has
 * @returns null without a need: a source that keeps or marks its hosts loses nothing
 */
export async function goneToConfirm(
  db: Database,
  { name, deletes, maxGonePercent }: Pick<InventorySource, 'name' | 'deletes' | 'maxGonePercent'>,
  gone: readonly string[],
): Promise<{ gone: number; owned: number } | null> {
  if (deletes !== 'remove' || gone.length < FEWEST_GONE) return null;
  const [found] = await rows<{ gone: number; owned: number }>(
    db,
    sql`select count(*)::int as owned, (count(*) filter (where name = any(${textArray(gone)})))::int as gone
        from ${gatewayHosts} where source = ${name} and kind = 'cli'`,
  );
  if (!found || found.gone < FEWEST_GONE) return null;
  return found.gone * 100 > found.owned * (maxGonePercent ?? GONE_PERCENT) ? found : null;
}

/** Keeps, marks or deletes hosts that a source no longer has. @returns those that were written or deleted */
export async function applyMissingHosts(
  { db, platform }: SystemContext<'now' | 'vault' | 'config'>,
  { name: source, deletes }: Pick<InventorySource, 'name' | 'deletes'>,
  gone: readonly string[],
): Promise<{ id: string; name: string }[]> {
  if (deletes === 'keep' || gone.length === 0) return [];
  const which = sql`source = ${source} and kind = 'cli' and name = any(${textArray(gone)})`;
  const stamp = platform.now().toISOString();
  return rows<{ id: string; name: string }>(
    db,
    deletes === 'remove'
      ? sql`delete from ${gatewayHosts} where ${which} returning id, name`
      : sql`update ${gatewayHosts} set rev = rev + 1, updated_at = now(),
              doc = doc || jsonb_build_object('missingSince', ${stamp}::text, 'lastUpdated', ${stamp}::text)
            where ${which} and (doc ->> 'missingSince') is null returning id, name`,
  );
}

/**
 * Ends the management of hosts by a source: they stay as they are, and can be changed by hand.
 *
 * @param source name of the source
 */
export async function releaseHosts(db: Database, source: string): Promise<void> {
  await rows(
    db,
    sql`update ${gatewayHosts} set rev = rev + 1, updated_at = now(),
          doc = doc - 'source' - 'sourceFields' - 'sourceTags' - 'missingSince'
        where source = ${source}`,
  );
}

/**
 * Returns the issue of a source's address; null when it may be reached.
 *
 * @param url address of a source
 * @param allowPrivateTargets whether loopback and link-local addresses may be reached
 */
export const urlFault = (url: string, allowPrivateTargets: boolean): string | null => {
  if (!NewInventorySource.shape.url.safeParse(url).success) return 'must be an http or https address';
  return hostFault(new URL(url).hostname.replace(/^\[|\]$/g, ''), allowPrivateTargets);
};
