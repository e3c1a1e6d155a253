import { sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import type { GatewayCredential, GatewayHost } from '#db/schemas/network/gateway-host.ts';
import { gatewayCredentials, gatewayHosts } from '#db/tables/gateway.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import { conflict, notFound } from '#server/kernel/errors.ts';
import type { Platform } from '#server/kernel/platform.ts';
import type { Caller } from '#server/kernel/principal.ts';
import type { RowOfSecrets } from '#server/kernel/secrets/seals.ts';
import type { Vault } from '#server/kernel/secrets/vault.ts';
import { credentialRow, hostRow, openedSecret, type Sealed } from '../inventory/host-secrets.ts';

/** The part of a request's context that reaching a host touches. */
export type ReachCall = {
  db: Database;
  principal: Caller;
  platform: Pick<Platform, 'vault'>;
};

/** A host, and who to sign in as: secrets are open here, and stay in the call that asked for them. */
export type ReachedHost = {
  host: GatewayHost;
  /** The host's own, or those of its credential; "" where none is set. */
  username: string;
  password: string;
  /** The private key of `tls`; "" when there is none. */
  tlsKey: string;
};

/**
 * A host of the gRPC inventory with its secrets open, for a call to it (contract/lifecycle#12).
 *
 * @throws ServiceError NOT_FOUND, also where the caller may not read it; CONFLICT while the gateway is stopped
 */
export async function grpcHostToReach(call: ReachCall, name: string): Promise<ReachedHost> {
  const { db, principal, platform } = call;
  const one = sql`kind = 'grpc' and name = ${name}`;
  const [row] = await rows<{ doc: string; secrets: string; runs: boolean | null }>(
    db,
    sql`select doc::text as doc, secrets::text as secrets,
          (select active from adapters where id = 'gateway') as runs
        from ${gatewayHosts} where ${allOf(one, mayRead(gatewayHosts, principal))}`,
  );
  if (!row) throw notFound('gRPC host', name);
  if (row.runs === false) throw conflict('Adapter gateway is stopped');
  const host = JSON.parse(row.doc) as GatewayHost;
  const own = { doc: host, secrets: JSON.parse(row.secrets) as Sealed, row: hostRow('grpc', name) };
  const from = host.credential ? await credentialNamed(db, host.credential) : own;
  return {
    host,
    username: from.doc.username ?? '',
    password: open(platform.vault, from, ['password']),
    tlsKey: open(platform.vault, own, ['tls', 'key']),
  };
}

async function credentialNamed(db: Database, name: string) {
  const [row] = await rows<{ doc: string; secrets: string }>(
    db,
    sql`select doc::text as doc, secrets::text as secrets from ${gatewayCredentials} where name = ${name}`,
  );
  if (!row) throw notFound('Credential', name);
  return {
    doc: JSON.parse(row.doc) as GatewayCredential,
    secrets: JSON.parse(row.secrets) as Sealed,
    row: credentialRow(name),
  };
}

type Secrets = { row: RowOfSecrets; secrets: Sealed };

/** The text that is sealed at a place. */
function open(vault: Vault, { row, secrets }: Secrets, place: readonly string[]): string {
  const value = openedSecret(vault, row, secrets, place);
  return typeof value === 'string' ? value : '';
}

/** Tell the audit row which host was called, and what was asked of it; no secret may stand in that. */
export const tellGrpcHost = (tx: Database, name: string, asked: string): void =>
  noteChange(tx, { kind: 'grpc host calls', id: name.slice(0, 255), name: asked.slice(0, 200) });
