import { isDeepStrictEqual } from 'node:util';
import { newId } from '#db/ids.ts';
import type { DeviceGroup } from '#db/schemas/network/device.ts';
import type { GatewayHost, NewHost } from '#db/schemas/network/gateway-host.ts';
import { insertDocument, writeDocument } from '#server/domains/identity/index.ts';
import { calculateInTime } from '#server/kernel/calculations/calculation-pool.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { findDocument } from '#server/kernel/documents/documents.service.ts';
import { wholeGbac } from '#server/kernel/documents/new-document.ts';
import { invalid, ServiceError } from '#server/kernel/errors.ts';
import { mapYielding } from '#server/kernel/timing/map-yielding.ts';
import { canonicalDeviceType } from '../inventory/device-types.ts';
import { lockHosts } from '../inventory/host-documents.service.ts';
import { importHosts } from '../inventory/host-import.service.ts';
import { patched } from '../inventory/host-rules.ts';
import { groupsNamed } from '../selection/group-names.service.ts';
import type { CsvIssue, CsvRow } from './csv-hosts.ts';
import { readCsv } from './read-csv.ts';

/** Maximum number of characters that this thread parses, which takes some milliseconds. */
const MOST_HERE = 20_000;
/** Maximum number of groups that one file fills. */
const MOST_GROUPS = 500;

/** How to import a file. */
export type CsvOptions = { mode?: 'strict' | 'lenient' | undefined; dryRun?: boolean | undefined };

/**
 * The result of an import: the numbers of rows that were imported and were not, the issues, and for the former the new hosts,
 * the changed ones with the fields that differ, and how many are as they were; for a dry run what they would be.
 */
export type CsvResult = {
  imported: number;
  skipped: number;
  issues: CsvIssue[];
  new: string[];
  changed: { name: string; fields: string[] }[];
  unchanged: number;
};

/**
 * Imports hosts of the cli inventory from CSV text. A host that exists is changed: columns that the file does not have, and
 * empty cells, keep what is stored.
 *
 * @param text the first row names the columns
 * @param mode strict: a file with an issue changes nothing; lenient: only its rows with issues are left out
 * @param dryRun stores nothing and reports what would be done
 * @throws ServiceError BAD_REQUEST when the text cannot be read in time
 */
export async function importCsv(
  ctx: WriteContext<'config'>,
  text: string,
  { mode = 'strict', dryRun = false }: CsvOptions,
): Promise<CsvResult> {
  const read = await calculateInTime('hosts of a csv', { text }, readCsv, MOST_HERE, (reason) =>
    invalid(['csv'], `could not be read: reading it ${reason}`, 'too_big'),
  );
  const { known, issues: groupIssues } = await checkedGroups(ctx, read.hosts);
  const unusable = new Set(groupIssues.map(({ row }) => row));
  const hosts = read.hosts.filter(({ row }) => !unusable.has(row));
  const stored = await lockHosts(ctx.db, 'cli', namesOf(hosts));
  const given = await mapYielding(hosts, ({ host }) => {
    const before = stored.get(String(host.name));
    return before ? patched(before.doc, host as Partial<NewHost>) : host;
  });
  const tried = await importHosts(ctx, 'cli', given, { overwrite: true, dryRun: true });
  const issues = [
    ...read.issues,
    ...groupIssues,
    ...tried.flatMap(({ success, issues: found = [] }, at) =>
      success
        ? []
        : found.map(({ field, message }) => ({ row: hosts[at]?.row ?? 0, column: columnOf(field), message })),
    ),
  ].sort((a, b) => a.row - b.row);
  const kept = hosts.filter((_, at) => tried[at]?.success);
  const isStopped = mode === 'strict' && issues.length > 0;
  const difference = await differenceOf(stored, isStopped && !dryRun ? [] : kept);
  if (isStopped) return { imported: 0, skipped: read.rows, issues, ...difference };
  if (!dryRun) {
    const rest = given.filter((_, at) => tried[at]?.success);
    const done = await importHosts(ctx, 'cli', rest, { overwrite: true });
    if (done.some(({ success }) => !success))
      throw new ServiceError('CONFLICT', 'The inventory was changed by another request: send the file again');
    await joinGroups(ctx, kept, known);
  }
  return { imported: kept.length, skipped: read.rows - kept.length, issues, ...difference };
}

/** Maximum number of names in each list of a result. */
const MOST_NAMES = 10_000;

/** Returns in what the hosts of a file differ from those that are stored; device groups do not count. */
async function differenceOf(stored: Awaited<ReturnType<typeof lockHosts>>, rows: readonly CsvRow[]) {
  const difference = { new: [] as string[], changed: [] as CsvResult['changed'], unchanged: 0 };
  await mapYielding(rows, ({ host }) => {
    const name = String(host.name);
    const before = stored.get(name)?.doc;
    const fields = before === undefined ? [] : changedFields(before, host);
    if (before === undefined) difference.new.push(name);
    else if (fields.length > 0) difference.changed.push({ name, fields });
    else difference.unchanged += 1;
  });
  difference.new.length = Math.min(difference.new.length, MOST_NAMES);
  difference.changed.length = Math.min(difference.changed.length, MOST_NAMES);
  return difference;
}

/** Returns the fields of a row that differ from the stored host; a secret, which is not read to compare it, always does. */
function changedFields(before: GatewayHost, host: Readonly<Record<string, unknown>>): string[] {
  const type = typeof host.device_type === 'string' ? canonicalDeviceType(host.device_type) : undefined;
  const next = patched(before, { ...host, ...(type && { device_type: type }) } as Partial<NewHost>);
  return Object.entries(next).flatMap(([field, value]) => {
    if (isDeepStrictEqual(value, before[field])) return [];
    if (field !== 'custom') return [field];
    const [then, now] = [before.custom ?? {}, next.custom ?? {}] as Record<string, unknown>[];
    return Object.keys(now ?? {})
      .filter((name) => !isDeepStrictEqual(now?.[name], then?.[name]))
      .map((name) => `custom.${name}`);
  });
}

const namesOf = (hosts: readonly CsvRow[]) => hosts.map(({ host }) => String(host.name));

/** Returns the column of a field: custom fields are columns of their own. */
const columnOf = (field: string): string => field.replace(/^custom\./, '').replace(/^(tags)\..*$/, '$1');

/** Returns the device groups of the rows that exist, and the issues of rows whose groups cannot have them. */
async function checkedGroups(ctx: WriteContext, hosts: readonly CsvRow[]) {
  const names = [...new Set(hosts.flatMap(({ groups }) => groups))];
  const known = await groupsNamed(ctx.db, names);
  const issues = hosts.flatMap(({ row, groups }) =>
    groups.flatMap((group): CsvIssue[] => {
      const why = known.get(group)?.isDynamic
        ? `Device group ${group} has a selection, and lists no devices`
        : names.indexOf(group) >= MOST_GROUPS
          ? `A file can name at most ${MOST_GROUPS} groups`
          : null;
      return why === null ? [] : [{ row, column: 'groups', message: why }];
    }),
  );
  return { known, issues };
}

/** Adds the hosts to their device groups; a group that does not exist is created. */
async function joinGroups(
  ctx: WriteContext,
  hosts: readonly CsvRow[],
  known: ReadonlyMap<string, { id: string }>,
): Promise<void> {
  const members = new Map<string, string[]>();
  for (const { host, groups } of hosts) {
    for (const group of groups) {
      const names = members.get(group);
      if (names) names.push(String(host.name));
      else members.set(group, [String(host.name)]);
    }
  }
  for (const [name, devices] of members) {
    const group = known.get(name);
    if (group) {
      const stored = await findDocument(ctx, 'deviceGroup', group.id, true);
      const all = [...new Set([...stored.doc.devices, ...devices])];
      if (all.length > stored.doc.devices.length)
        await writeDocument(ctx, 'deviceGroup', stored, { devices: all });
    } else await insertDocument(ctx, 'deviceGroup', newGroup(ctx, name, devices));
  }
}

function newGroup({ platform, principal }: WriteContext, name: string, devices: string[]): DeviceGroup {
  const id = newId();
  const stamp = platform.now().toISOString();
  return {
    id,
    _id: id,
    name,
    description: '',
    devices: [...new Set(devices)],
    gbac: wholeGbac(undefined),
    created: stamp,
    createdBy: principal.id,
    updated: stamp,
    lastUpdatedBy: principal.id,
  };
}
