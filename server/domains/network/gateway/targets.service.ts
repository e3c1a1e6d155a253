import { and, eq } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import type { CliHost, GatewayCredential } from '#db/schemas/network/gateway-host.ts';
import { gatewayCredentials, gatewayHosts } from '#db/tables/network/gateway.ts';
import { assertMayWrite } from '#server/domains/identity/index.ts';
import type { DeviceContext } from '#server/kernel/contexts.ts';
import { conflict, forbidden, invalid, notFound } from '#server/kernel/errors.ts';
import { hostFault } from '#server/kernel/targets/targets.ts';
import type { CliTarget, Profile } from '#server/southbound/cli/ports.ts';
import { getAdapterRow } from '../adapters/rows.service.ts';
import { keyOfPort, type Reached, seenBefore } from '../inventory/host-keys.service.ts';
import { credentialRow, hostRow, openedSecret, type Sealed } from '../inventory/host-secrets.ts';

/** Settings of a host that a call may override; they are not stored (contract/lifecycle#12). */
export type Overrides = {
  device_type?: string | undefined;
  username?: string | undefined;
  password?: string | undefined;
  port?: number | undefined;
  secret?: string | undefined;
  read_timeout?: number | undefined;
  ssh_profile?: Profile | undefined;
  jump_host?: string | undefined;
};

const DEFAULTS = { connectMs: 30_000, commandMs: 60_000, port: 22 };

/** Maximum number of jump hosts; a longer chain is likely to be a cycle. */
const HOPS = 4;

type TargetRow = {
  id: string;
  doc: CliHost;
  secrets: Sealed;
  credential: { doc: GatewayCredential; secrets: Sealed } | null;
};

/**
 * Returns a host of the cli inventory, or another address, with the overrides of a call (contract/lifecycle#12).
 *
 * @throws ServiceError NOT_FOUND when it is neither; CONFLICT for another device_type, or when the gateway is stopped;
 *   BAD_REQUEST for an address that may not be reached; FORBIDDEN
 */
export async function reachedHost(call: DeviceContext, name: string, given: Overrides): Promise<Reached> {
  const [gateway, row] = await Promise.all([getAdapterRow(call.db, 'gateway'), findRow(call, name)]);
  if (!gateway.active) throw conflict('Adapter gateway is stopped');
  const via = given.jump_host === undefined ? undefined : await jumpTarget(call, given.jump_host, HOPS);
  if (!row) {
    const { allowAdHoc } = gateway.doc.properties.properties as { allowAdHoc?: unknown };
    return adHoc(call, name, given, via, allowAdHoc !== false);
  }
  const { doc } = row;
  assertMayUse(call, doc);
  if (given.device_type !== undefined && given.device_type !== doc.device_type) {
    throw conflict(`Host ${name} is of the device_type ${doc.device_type}, not ${given.device_type}`);
  }
  const target = await targetOf(call, row);
  const jump = via ?? (await jumpOf(call, doc, HOPS));
  assertMaySend(doc, target, given);
  const isOtherPort = given.port !== undefined && given.port !== target.port;
  return {
    target: {
      ...target,
      ...(given.port !== undefined && { port: given.port }),
      ...(given.username !== undefined && { username: given.username }),
      ...(given.password !== undefined && {
        password: given.password,
        privateKey: undefined,
        passphrase: undefined,
      }),
      ...(given.secret !== undefined && { enablePassword: given.secret }),
      ...(given.ssh_profile !== undefined && { profile: given.ssh_profile }),
      ...(isOtherPort && { hostKey: keyOfPort(doc, given.port) }),
      ...(jump && { via: jump }),
    },
    commandMs:
      given.read_timeout === undefined
        ? (doc.options?.commandTimeoutMs ?? DEFAULTS.commandMs)
        : given.read_timeout * 1000,
    stored: { id: row.id, doc },
    isOtherPort,
  };
}

/**
 * Rejects a call that would send stored secrets to another port, or through another jump host to a host whose key is
 * not known yet: an unknown system could receive them (decision 0092). The host's `options.allowOverrides` permits it.
 */
function assertMaySend({ name, options }: CliHost, target: CliTarget, given: Overrides): void {
  if (options?.allowOverrides === true) return;
  const { policy, fingerprint } = target.hostKey;
  const isOtherPort = given.port !== undefined && given.port !== target.port;
  const isOtherWay =
    given.jump_host !== undefined &&
    given.jump_host !== options?.jumpHost &&
    (fingerprint === null || policy === 'insecure');
  if (!isOtherPort && !isOtherWay) return;
  const sendsLogin = given.password === undefined;
  const sendsSecret = given.secret === undefined && target.enablePassword !== undefined;
  if (!sendsLogin && !sendsSecret) return;
  const field = isOtherPort ? 'port' : 'jump_host';
  const needed = [...(sendsLogin ? ['password'] : []), ...(sendsSecret ? ['secret'] : [])].join(' and ');
  throw invalid(
    ['connection_options', field],
    `differs from that of host ${name}, and the stored credential is not sent there: send ${needed} in connection_options, or have an admin set options.allowOverrides of the host`,
    'stored_credential',
  );
}

function assertMayUse({ principal, reads }: DeviceContext, { name, gbac }: CliHost): void {
  // The query of the host has already checked read access.
  if (!reads) assertMayWrite(gbac, principal, `Host ${name}`);
}

async function findRow({ db, principal }: DeviceContext, name: string): Promise<TargetRow | null> {
  const { id, doc, secrets, kind, credential } = gatewayHosts;
  const [found] = await db
    .select({
      id,
      doc,
      secrets,
      credential: { doc: gatewayCredentials.doc, secrets: gatewayCredentials.secrets },
    })
    .from(gatewayHosts)
    .leftJoin(gatewayCredentials, eq(gatewayCredentials.name, credential))
    .where(and(eq(kind, 'cli'), eq(gatewayHosts.name, name), mayRead(gatewayHosts, principal)));
  return found ? { ...found, doc: found.doc as CliHost } : null;
}

/** Returns the target of a stored host, with decrypted secrets. */
async function targetOf(
  { platform, principal }: DeviceContext,
  { doc, secrets, credential }: TargetRow,
): Promise<CliTarget> {
  const login = credential
    ? { ...credential, row: credentialRow(credential.doc.name) }
    : { doc, secrets, row: hostRow('cli', doc.name) };
  // The secrets of hosts are always texts.
  const open = (field: string): string | undefined =>
    openedSecret(platform.vault, login.row, login.secrets, [field]) as string | undefined;
  const given = {
    username: login.doc.username ?? '',
    password: open('password'),
    privateKey: open('privateKey'),
    passphrase: open('passphrase'),
    enablePassword: open('enablePassword'),
  };
  const use = { kind: 'gateway_hosts', name: doc.name, account: principal, address: doc.host };
  const { policy = 'accept-new', algorithm = '', fingerprint = null } = doc.hostKey ?? {};
  return {
    name: doc.name,
    host: doc.host,
    port: doc.port ?? DEFAULTS.port,
    ...(await platform.secrets.resolve(given, use)),
    deviceType: doc.device_type ?? 'generic',
    hostKey: { policy, algorithm: algorithm ?? '', fingerprint },
    profile: doc.options?.legacyAlgorithms ? 'legacy' : undefined,
    connectMs: doc.options?.timeoutMs ?? DEFAULTS.connectMs,
  };
}

/** Returns the jump host in a host's own `options.jumpHost`. */
async function jumpOf(
  call: DeviceContext,
  { options }: CliHost,
  left: number,
): Promise<CliTarget | undefined> {
  const name = options?.jumpHost;
  return typeof name === 'string' && name !== '' ? jumpTarget(call, name, left) : undefined;
}

async function jumpTarget(call: DeviceContext, name: string, left: number): Promise<CliTarget> {
  if (left === 0) throw conflict(`At most ${HOPS} jump hosts are allowed: ${name} exceeds the limit`);
  const row = await findRow(call, name);
  if (!row) throw notFound('Jump host', name);
  assertMayUse(call, row.doc);
  const via = await jumpOf(call, row.doc, left - 1);
  return { ...(await targetOf(call, row)), ...(via && { via }) };
}

/** Returns an address outside the inventory: only for administrators who send a credential (contract/lifecycle#12). */
function adHoc(
  { db, principal, platform }: DeviceContext,
  host: string,
  given: Overrides,
  via: CliTarget | undefined,
  allowed: boolean,
): Reached {
  const { username, password, port = DEFAULTS.port, device_type = 'generic' } = given;
  const isAdmin = principal.roles.includes('admin');
  if (username === undefined || password === undefined || !isAdmin) throw notFound('Host', host);
  if (!allowed)
    throw forbidden(`Host ${host} is not in the inventory, and the adapter gateway allows no other hosts`);
  const fault = hostFault(host, platform.config.allowPrivateTargets);
  if (fault?.startsWith('is neither')) throw notFound('Host', host);
  if (fault) throw invalid(['cliSendCommandParameters', 'host'], fault, 'address_denied');
  return {
    target: {
      name: host,
      host,
      port,
      username,
      password,
      enablePassword: given.secret,
      deviceType: device_type,
      hostKey: seenBefore(db, host, port),
      profile: given.ssh_profile,
      connectMs: DEFAULTS.connectMs,
      via,
    },
    commandMs: given.read_timeout === undefined ? DEFAULTS.commandMs : given.read_timeout * 1000,
    stored: null,
    isOtherPort: false,
  };
}
