import { type SQL, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { isOneOf } from '#db/expressions.ts';
import { newId } from '#db/ids.ts';
import { type GatewayHost, type HostKind, NewHost } from '#db/schemas/network/gateway-host.ts';
import { imported as withoutNulls } from '#db/schemas/requests/null-fields.ts';
import { gatewayHosts } from '#db/tables/network/gateway.ts';
import { messageWithWarnings, withoutUnknownGroups } from '#server/domains/identity/index.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { batches } from '#server/kernel/documents/batches.ts';
import { recordChanges } from '#server/kernel/documents/documents.service.ts';
import { grownStamp, importedStamp } from '#server/kernel/documents/stamps.ts';
import { mapYielding } from '#server/kernel/timing/map-yielding.ts';
import { type HostRow, holdCredentials, lockHosts, prepareHost } from './host-documents.service.ts';
import { managedFields, stamped, writeMessage } from './hosts.service.ts';

/** The result of one imported host. */
export type Imported = {
  success: boolean;
  name: string;
  message: string;
  /** Index of a rejected host in the request, from 0. */
  row?: number;
  /** Issues by field. */
  issues?: { field: string; message: string }[];
};

const Row = withoutNulls(NewHost);

/** A host to write, with its sealed secrets. */
type NewRow = { doc: GatewayHost; secrets: Record<string, string> };
/** A host to write, with its index in the request. */
type Item = NewRow & { at: number; message: string };

/**
 * Imports hosts independently: a rejected host does not affect the others (contract/lifecycle#12). An existing name is
 * rejected or, with `overwrite`, replaced completely; unused ids are kept.
 *
 * @param given hosts; one with an invalid shape is rejected like any other
 * @param dryRun reports what would be done and stores nothing
 * @returns the result of each host, in order
 */
export async function importHosts(
  ctx: WriteContext<'config'>,
  kind: HostKind,
  given: readonly unknown[],
  { overwrite = false, dryRun = false }: { overwrite?: boolean | undefined; dryRun?: boolean | undefined },
): Promise<Imported[]> {
  const { db, platform } = ctx;
  const read = await mapYielding(given, (one) => Row.safeParse(one));
  const { documents: hosts, of } = await withoutUnknownGroups(
    db,
    read.flatMap(({ data }) => data ?? []),
  );
  const stored = await lockHosts(
    db,
    kind,
    hosts.map(({ name }) => name),
  );
  const scopes = await holdCredentials(db, hosts);
  const takenIds = await idsTaken(db, hosts);
  const fresh: Item[] = [];
  const over: Item[] = [];
  const seen = new Set<string>();
  const resultOf = ({ data, error }: (typeof read)[number], at: number): Imported => {
    const { document: host, warnings = [] } = (data && of.get(data)) ?? {};
    if (!host) return rejected(at, nameIn(given[at]), error?.issues.map(fieldOf) ?? []);
    const { name } = host;
    const before = stored.get(name);
    const message = skipReason(name, seen, before, overwrite);
    seen.add(name);
    if (message !== null) return { ...rejected(at, name, [{ field: 'name', message }]), message };
    const one = prepareHost(ctx, kind, host, before, scopes, { isImport: true });
    if (one.issues.length > 0) return rejected(at, name, one.issues.map(fieldOf));
    const done = messageWithWarnings(writeMessage(doneText(before, dryRun), one.unset), warnings);
    if (!dryRun) {
      const doc = placed(kind, one.document, host, before, takenIds, platform.now());
      (before ? over : fresh).push({ at, doc, secrets: one.secrets, message: done });
    }
    return { success: true, name, message: done };
  };
  const results = await mapYielding(read, resultOf);
  const written = new Set([...(await insertHosts(db, kind, fresh)), ...(await updateHosts(db, over))]);
  for (const { at, doc, message } of [...fresh, ...over]) {
    const stays = written.has(doc._id ?? '');
    results[at] = {
      success: stays,
      name: doc.name,
      message: stays ? message : 'was stored by another request in the meantime',
    };
  }
  const changed = [...fresh, ...over].map(({ doc }) => ({ id: doc._id ?? '', name: doc.name }));
  recordChanges(
    db,
    'gateway_hosts',
    changed.filter(({ id }) => written.has(id)),
  );
  return results;
}

function doneText(before: HostRow | undefined, dryRun: boolean): string {
  if (dryRun) return before ? 'Would be updated.' : 'Would be created.';
  return before ? 'Updated.' : 'Created.';
}

const fieldOf = ({ path, message }: { path: PropertyKey[]; message: string }) => ({
  field: path.map(String).join('.'),
  message,
});

const rejected = (row: number, name: string, issues: { field: string; message: string }[]): Imported => ({
  success: false,
  name,
  message: issues.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join('; '),
  row,
  issues,
});

/** Returns the name in a row of invalid shape; empty if it has none. */
function nameIn(row: unknown): string {
  const { name } = (row ?? {}) as { name?: unknown };
  return typeof name === 'string' ? name.slice(0, 255) : '';
}

function skipReason(
  name: string,
  seen: ReadonlySet<string>,
  before: HostRow | undefined,
  overwrite: boolean,
) {
  if (seen.has(name)) return 'occurs twice in this import';
  return before && !overwrite ? 'already exists' : null;
}

/** Returns the document with its id and timestamps: those of the host that it replaces, else its own if they are usable. */
function placed(
  kind: HostKind,
  document: NewHost,
  given: NewHost,
  before: HostRow | undefined,
  takenIds: Set<string>,
  now: Date,
): GatewayHost {
  if (before) {
    const { created, lastUpdated, lastSeen = null } = before.doc;
    return {
      ...stamped(kind, document, before.id, {
        created,
        lastUpdated: grownStamp(now, lastUpdated),
        lastSeen,
      }),
      ...managedFields(before.doc),
    };
  }
  const id = given._id !== undefined && !takenIds.has(given._id) ? given._id : newId();
  takenIds.add(id);
  const created = importedStamp(given.created, now);
  return stamped(kind, document, id, {
    created,
    lastUpdated: importedStamp(given.lastUpdated, now),
    lastSeen: null,
  });
}

async function idsTaken(db: Database, hosts: readonly NewHost[]): Promise<Set<string>> {
  const ids = hosts.flatMap(({ _id }) => _id ?? []);
  const { id } = gatewayHosts;
  const found = await db.select({ id }).from(gatewayHosts).where(isOneOf(id, ids));
  return new Set(found.map(({ id }) => id));
}

/** Stores new hosts. @returns ids that were stored; a concurrent request may have used the same name */
export const insertHosts = (db: Database, kind: HostKind, items: readonly NewRow[]): Promise<string[]> =>
  writeHosts(
    db,
    items,
    (listed) => sql`insert into ${gatewayHosts} (id, kind, doc, secrets)
      select item -> 'doc' ->> '_id', ${kind}, item -> 'doc', item -> 'secrets' from ${listed}
      on conflict do nothing returning id`,
  );

/** Replaces hosts. @returns ids that were written: all, because their rows are locked */
export const updateHosts = (db: Database, items: readonly NewRow[]): Promise<string[]> =>
  writeHosts(
    db,
    items,
    (listed) => sql`update ${gatewayHosts} as host set doc = item -> 'doc', secrets = item -> 'secrets',
        rev = host.rev + 1, updated_at = now()
      from ${listed} where host.id = item -> 'doc' ->> '_id' returning host.id`,
  );

/** Writes hosts in batches. @param statement writes the hosts of a list, each an `item`, and returns their ids */
async function writeHosts(
  db: Database,
  items: readonly NewRow[],
  statement: (listed: SQL) => SQL,
): Promise<string[]> {
  const texts = items.map(({ doc, secrets }) => JSON.stringify({ doc, secrets }));
  const ids: string[] = [];
  for (const batch of batches(texts, (text) => text)) {
    const listed = sql`jsonb_array_elements(${`[${batch.join(',')}]`}::text::jsonb) as item`;
    const stored = await rows<{ id: string }>(db, statement(listed));
    ids.push(...stored.map(({ id }) => id));
  }
  return ids;
}
