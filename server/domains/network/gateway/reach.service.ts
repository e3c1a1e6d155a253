import { and, eq } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import type { Database } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import type { GatewayHost } from '#db/schemas/network/gateway-host.ts';
import { adapters } from '#db/tables/integrations/adapters.ts';
import { gatewayCredentials, gatewayHosts } from '#db/tables/network/gateway.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { conflict, notFound } from '#server/kernel/errors.ts';
import { textOrEmpty } from '#server/kernel/json/objects.ts';
import type { RowOfSecrets } from '#server/kernel/secrets/seals.ts';
import type { Vault } from '#server/kernel/secrets/vault.ts';
import { clipped } from '#server/kernel/text/clipped.ts';
import { credentialRow, hostRow, openedSecret, type Sealed } from '../inventory/host-secrets.ts';

/** A host with its login. It holds decrypted secrets, which must not outlive the call. */
export type ReachedHost = {
  id: string;
  host: GatewayHost;
  /** The host's own, or that of its credential; "" when not set. */
  username: string;
  password: string;
  /** The private key of `tls`; "" when not set. */
  tlsKey: string;
};

/**
 * Returns a host of an inventory with decrypted secrets, for a call to it (contract/lifecycle#12).
 *
 * @throws ServiceError NOT_FOUND, also if the caller may not read it; CONFLICT while the gateway is stopped
 */
export async function hostToReach(
  call: ReadContext<'vault' | 'secrets'>,
  kind: 'grpc' | 'http',
  name: string,
): Promise<ReachedHost> {
  const { db, principal, platform } = call;
  const [row] = await db
    .select({
      id: gatewayHosts.id,
      host: gatewayHosts.doc,
      secrets: gatewayHosts.secrets,
      runs: adapters.active,
    })
    .from(gatewayHosts)
    .leftJoin(adapters, eq(adapters.id, 'gateway'))
    .where(and(eq(gatewayHosts.kind, kind), eq(gatewayHosts.name, name), mayRead(gatewayHosts, principal)));
  if (!row) throw notFound(kind === 'grpc' ? 'gRPC host' : 'HTTP host', name);
  const { id, host, secrets, runs } = row;
  if (runs === false) throw conflict('Adapter gateway is stopped');
  const own = { doc: host, secrets, row: hostRow(kind, name) };
  const from = host.credential ? await credentialNamed(db, host.credential) : own;
  const login = {
    username: from.doc.username ?? '',
    password: open(platform.vault, from, ['password']),
    tlsKey: open(platform.vault, own, ['tls', 'key']),
  };
  const use = { kind: 'gateway_hosts', name, account: principal, address: host.host };
  return { id, host, ...(await platform.secrets.resolve(login, use)) };
}

async function credentialNamed(db: Database, name: string) {
  const { doc, secrets } = gatewayCredentials;
  const isNamed = eq(gatewayCredentials.name, name);
  const [found] = await db.select({ doc, secrets }).from(gatewayCredentials).where(isNamed);
  if (!found) throw notFound('Credential', name);
  return { ...found, row: credentialRow(name) };
}

type Secrets = { row: RowOfSecrets; secrets: Sealed };

/** Returns the decrypted text at a path, "" if there is none. */
function open(vault: Vault, { row, secrets }: Secrets, place: readonly string[]): string {
  return textOrEmpty(openedSecret(vault, row, secrets, place));
}

/** Records in the audit row which host was called, and with what; `request` must not contain secrets. */
export const noteGrpcCall = (tx: Database, name: string, request: string): void =>
  noteChange(tx, { kind: 'grpc host calls', id: clipped(name, 255), name: clipped(request, 200) });
