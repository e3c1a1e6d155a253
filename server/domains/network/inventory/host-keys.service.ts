import { sql } from 'drizzle-orm';
import { type Database, perDatabase } from '#db/client.ts';
import type { CliHost } from '#db/schemas/network/gateway-host.ts';
import { gatewayHosts } from '#db/tables/network/gateway.ts';
import { keepLatest } from '#server/kernel/calculations/latest.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import type { CliTarget } from '#server/southbound/cli/ports.ts';

/** A device with all settings to connect to it. */
export type Reached = {
  target: CliTarget;
  commandMs: number;
  /** The stored host; null for an address outside the inventory. */
  stored: { id: string; doc: CliHost } | null;
  /** The call uses another port than the host's: a key seen there belongs to that port. */
  isOtherPort: boolean;
};

/** The context for recording keys. */
type KeyCall = SystemContext<'now' | 'log'>;

/** Keys of hosts outside the inventory, as first seen by this process. */
const seenOf = perDatabase(() => new Map<string, { algorithm: string; fingerprint: string }>());
const REMEMBERED = 10_000;

/** Returns the known key of an address outside the inventory: the one that this process saw first; any where it saw none. */
export const seenBefore = (db: Database, host: string, port: number | undefined): CliTarget['hostKey'] => ({
  policy: 'accept-new',
  algorithm: '',
  fingerprint: null,
  ...seenOf(db).get(`${host}|${port}`),
});

/** Returns the known key of a host for another port than its own. */
export function keyOfPort({ hostKey }: CliHost, port: number | undefined): CliTarget['hostKey'] {
  const { policy = 'accept-new', ports = {} } = hostKey ?? {};
  const { algorithm = '', fingerprint = null } = ports[String(port)] ?? {};
  return { policy, algorithm, fingerprint };
}

/**
 * Records the key that a device showed: in its host, or in memory if it is outside the inventory. A failure to store it is
 * logged and does not fail the call: the device has done what it was told, and the next call records the key.
 */
export const noteSeen = (...seen: Parameters<typeof storeSeen>): Promise<void> =>
  storeSeen(...seen).catch((err: unknown) => {
    const [{ platform }, { target }] = seen;
    platform.log.error({ err, host: target.name }, 'the key of a host could not be recorded');
  });

async function storeSeen(
  { db, platform }: KeyCall,
  { target, stored, isOtherPort }: Reached,
  key: { algorithm: string; fingerprint: string },
): Promise<void> {
  if (stored && isOtherPort) return notePortKey(db, stored.id, target, key);
  if (!stored) {
    if (target.hostKey.policy === 'accept-new')
      keepLatest(seenOf(db), REMEMBERED, `${target.name}|${target.port}`, key);
    return;
  }
  const { doc, id } = stored;
  const now = platform.now();
  const known = doc.hostKey?.fingerprint ?? null;
  const isNew = target.hostKey.policy === 'accept-new' && known === null;
  const isNamed = known === key.fingerprint && !doc.hostKey?.algorithm;
  const recent = doc.lastSeen && now.getTime() - Date.parse(doc.lastSeen) < SEEN_MS;
  if (recent && !isNew && !isNamed) return;
  const keyText = JSON.stringify(key);
  // If several calls see a key at once, the first one recorded is kept.
  await db.execute(sql`
    update ${gatewayHosts} set doc = jsonb_set(
      case when ${isNew || isNamed} and coalesce(doc #>> '{hostKey,fingerprint}', ${key.fingerprint}) = ${key.fingerprint}
        then jsonb_set(doc, '{hostKey}', coalesce(doc -> 'hostKey', '{}'::jsonb) || ${keyText}::text::jsonb)
        else doc end,
      '{lastSeen}', to_jsonb(${now.toISOString()}::text))
    where id = ${id}`);
}

/** Records the first key seen for a host at another port than its own. */
async function notePortKey(
  db: Database,
  id: string,
  { port, hostKey }: CliTarget,
  { algorithm, fingerprint }: { algorithm: string; fingerprint: string },
): Promise<void> {
  if (hostKey.policy !== 'accept-new' || hostKey.fingerprint !== null) return;
  const keyText = JSON.stringify({ [port]: { algorithm, fingerprint } });
  // The right side of || wins, so the key recorded first is kept.
  await db.execute(sql`
    update ${gatewayHosts} set doc = jsonb_set(doc, '{hostKey}', coalesce(doc -> 'hostKey', '{}'::jsonb)
      || jsonb_build_object('ports', ${keyText}::text::jsonb || coalesce(doc #> '{hostKey,ports}', '{}'::jsonb)))
    where id = ${id}`);
}

/** Minimum interval between updates of `lastSeen`, in milliseconds. */
const SEEN_MS = 60_000;

/** Records the rejected key of a host, for the user who has to decide about it. */
export async function recordRejectedKey(
  { db, platform }: KeyCall,
  { stored, isOtherPort }: Reached,
  key: { algorithm: string; fingerprint: string },
): Promise<void> {
  if (!stored || isOtherPort) return;
  const seenText = JSON.stringify({ seen: { ...key, time: platform.now().toISOString() } });
  await db.execute(sql`
    update ${gatewayHosts} set doc = jsonb_set(doc, '{hostKey}', coalesce(doc -> 'hostKey', '{}'::jsonb) || ${seenText}::text::jsonb)
    where id = ${stored.id}`);
}
