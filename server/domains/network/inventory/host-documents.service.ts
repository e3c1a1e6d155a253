import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { isOneOf } from '#db/expressions.ts';
import type { GatewayHost, HostKind, NewHost } from '#db/schemas/network/gateway-host.ts';
import { gatewayCredentials, gatewayHosts } from '#db/tables/network/gateway.ts';
import { assertConsistent } from '#server/domains/identity/index.ts';
import type { Uses } from '#server/kernel/contexts.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { ambiguousIssues } from '#server/kernel/secrets/redact.ts';
import { hostFault } from '#server/kernel/targets/targets.ts';
import { issuesIn } from '#server/kernel/validation/document-issues.ts';
import { hostIssues, managedIssues, moveIssues, unknownFieldIssues, wholeHost } from './host-rules.ts';
import { freshSecrets, hostRow, type Sealed, splitSecrets, unchangedSecrets } from './host-secrets.ts';

/** A host as stored in its table. */
export type HostRow = { id: string; doc: GatewayHost; rev: number; secrets: Sealed };

/**
 * Returns hosts of one inventory by name.
 *
 * @param names names of hosts; those that do not exist are missing in the result
 */
export const hostsNamed = async (db: Database, kind: HostKind, names: readonly string[]) =>
  byName(await selectHosts(db, kind, names));

/** Returns hosts as `hostsNamed`, locked until the transaction ends. */
export const lockHosts = async (db: Database, kind: HostKind, names: readonly string[]) =>
  byName(await selectHosts(db, kind, names).for('update'));

function selectHosts(db: Database, kind: HostKind, names: readonly string[]) {
  const { id, doc, rev, secrets, name } = gatewayHosts;
  return db
    .select({ id, doc, rev, secrets })
    .from(gatewayHosts)
    .where(and(eq(gatewayHosts.kind, kind), isOneOf(name, names)))
    .orderBy(id);
}

const byName = (found: readonly HostRow[]): Map<string, HostRow> =>
  new Map(found.map((row) => [row.doc.name, row]));

/** The inventories of each credential. */
export type Scopes = ReadonlyMap<string, readonly HostKind[]>;

/**
 * Returns the scopes of the hosts' credentials, and locks these against changes until the transaction ends.
 *
 * @returns the scopes by the name of the credential
 */
export async function holdCredentials(db: Database, hosts: readonly NewHost[]): Promise<Scopes> {
  const names = [...new Set(hosts.flatMap(({ credential }) => credential ?? []))];
  if (names.length === 0) return new Map();
  const { id, doc, name } = gatewayCredentials;
  const found = await db
    .select({ doc })
    .from(gatewayCredentials)
    .where(isOneOf(name, names))
    .orderBy(id)
    .for('key share');
  return new Map(found.map((row) => [row.doc.name, row.doc.scope ?? []]));
}

/** A host ready for storage. */
export type Prepared = {
  document: NewHost;
  secrets: Record<string, string>;
  /** Masked secrets for which none is stored. */
  unset: string[];
  /** Issues by path within the host; if there are any, the other fields must not be used. */
  issues: Issue[];
};

/**
 * Prepares a host for storage, new or as a replacement: all fields that clients read, secrets sealed and stored
 * separately, all issues at once (contract/lifecycle#12).
 */
export function prepareHost(
  { platform: { vault, config } }: Uses<'vault' | 'config'>,
  kind: HostKind,
  given: NewHost,
  stored: HostRow | undefined,
  scopes: Scopes,
  { isImport = false, isSource = false }: { isImport?: boolean; isSource?: boolean } = {},
): Prepared {
  const host = wholeHost(kind, given);
  const before = stored && { document: stored.doc, secrets: stored.secrets };
  const row = hostRow(kind, host.name);
  const { document, secrets, unset, ambiguous } = splitSecrets(host, before, vault, row);
  const target = hostFault(host.host, config.allowPrivateTargets);
  const kept = stored ? unchangedSecrets(secrets, stored.secrets) : [];
  const issues = [
    ...unknownFieldIssues(kind, given, isImport, stored?.doc),
    ...hostIssues(kind, host),
    ...(target === null ? [] : [{ path: ['host'], message: target, code: 'address_denied' }]),
    ...issuesIn(() => assertConsistent(host.gbac, ['gbac'])),
    ...credentialIssues(kind, host.credential, scopes),
    ...(stored ? moveIssues(stored.doc, host, kept) : []),
    ...(stored && !isSource ? managedIssues(stored.doc, document) : []),
    ...ambiguousIssues(ambiguous),
  ];
  return { document, secrets: freshSecrets(vault, row, secrets), unset, issues };
}

function credentialIssues(kind: HostKind, name: string | null | undefined, scopes: Scopes): Issue[] {
  if (name === null || name === undefined || name === '') return [];
  const scope = scopes.get(name);
  if (scope?.includes(kind)) return [];
  const message = scope ? `is not for hosts of the ${kind} inventory` : 'is not the name of a credential';
  return [{ path: ['credential'], message: `${message}: ${name.slice(0, 100)}`, code: 'unknown_credential' }];
}
