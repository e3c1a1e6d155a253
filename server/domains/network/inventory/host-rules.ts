import { isDeepStrictEqual } from 'node:util';
import {
  type GatewayHost,
  GrpcHost,
  type HostKind,
  type HostPatch,
  HttpHost,
  NewHost,
} from '#db/schemas/network/gateway-host.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { suggestion } from '#server/kernel/validation/nearest-name.ts';
import { canonicalDeviceType, deviceTypeOf, deviceTypeSuggestion } from './device-types.ts';

/** Returns the default port of a host (contract/lifecycle#12). */
const portOf = (kind: HostKind, { protocol }: NewHost): number =>
  ({ cli: 22, grpc: 9339, http: protocol === 'http' ? 80 : 443 })[kind];

/** Login fields of hosts without a credential. */
const OWN_LOGIN = ['username', 'password', 'privateKey', 'enablePassword'] as const;

/** Fields that only the server sets. */
const READ_ONLY = [
  '_id',
  'created',
  'lastUpdated',
  'lastSeen',
  'lastTest',
  'source',
  'sourceFields',
  'sourceTags',
  'missingSince',
] as const;

const DEFAULTS: Record<HostKind, Record<string, unknown>> = {
  cli: { username: null, password: null, privateKey: null, enablePassword: null },
  grpc: { username: null, password: null },
  http: { username: null, password: null, protocol: 'https', base_path: '' },
};

/** Fixed path segments in the position of host names. */
const RESERVED = new Set(['import', 'export', '.', '..']);

/**
 * Returns why a text cannot name a host or credential, for names occur in paths and comma-separated lists; else null.
 *
 * @param name name as the caller wrote it
 */
export function nameFault(name: string): string | null {
  if (RESERVED.has(name)) return `must not be ${JSON.stringify(name)}: it could not be addressed in a URL`;
  return /[/,]/.test(name) ? 'must not contain slashes or commas' : null;
}

/**
 * Returns a host with all fields that clients read, with defaults for port, config parser and host key policy
 * (contract/lifecycle#12).
 *
 * @param given may include masks; fields set by the server are ignored
 */
export function wholeHost(kind: HostKind, given: NewHost): NewHost {
  const { hostKey, options, tls, tags, gbac, credential, port, ...rest } = omit(given);
  const driver = rest.device_type === undefined ? undefined : deviceTypeOf(rest.device_type);
  return {
    ...DEFAULTS[kind],
    ...rest,
    ...(driver && { device_type: driver.device_type }),
    port: port ?? portOf(kind, given),
    ...(kind === 'cli' && {
      ostype: rest.ostype ?? driver?.ostype ?? '',
      hostKey: { algorithm: '', fingerprint: null, ...hostKey, policy: hostKey?.policy ?? 'accept-new' },
    }),
    ...(kind === 'grpc' && {
      tls: { enabled: true, serverName: '', ca: '', cert: '', key: null, skipVerify: false, ...tls },
    }),
    ...(kind === 'http' && { tls: { ca: '', cert: '', key: null, skipVerify: false, ...tls } }),
    // Fields of the other inventory have no meaning here, but are kept.
    ...(kind === 'cli' && tls !== undefined && { tls }),
    ...(kind !== 'cli' && hostKey !== undefined && { hostKey }),
    credential: credential ?? null,
    options: {
      // The deadline of a trace depends on its hops, unless the host sets one (contract/endpoints#4.10).
      ...(kind === 'cli' && { timeoutMs: 30_000, commandTimeoutMs: 60_000, legacyAlgorithms: false }),
      ...options,
    },
    tags: tags ?? [],
    gbac: { ...gbac, read: gbac?.read ?? [], write: gbac?.write ?? [] },
  };
}

function omit(given: NewHost): NewHost {
  const rest: Record<string, unknown> = { ...given };
  for (const member of READ_ONLY) delete rest[member];
  // The required fields name and host are not among these.
  return rest as NewHost;
}

/**
 * Returns issues of a host beyond its shape: its name, its driver, and that it has login fields or a credential but not
 * both (contract/lifecycle#12).
 *
 * @param host host as the caller sent it
 * @returns all issues, each with the path of its field
 */
export function hostIssues(kind: HostKind, host: NewHost): Issue[] {
  const issues: Issue[] = [];
  const report = (member: string, message: string, code = 'invalid_value') =>
    issues.push({ path: [member], message, code });
  const fault = nameFault(host.name);
  if (fault) report('name', fault);
  if (kind === 'cli') {
    const type = host.device_type;
    if (!type) report('device_type', 'is required: GET /automationgateway/cli/device_types lists the values');
    else if (!deviceTypeOf(type)) {
      report(
        'device_type',
        `is unknown: ${JSON.stringify(type.slice(0, 100))}${deviceTypeSuggestion(type)}`,
        'unknown_device_type',
      );
    }
  }
  if (kind === 'http') {
    const path = host.base_path ?? '';
    if (!BASE_PATH.test(path) || /(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path))
      report(
        'base_path',
        'must be empty or a path that begins with /, without query, . or ..',
        'invalid_value',
      );
    if (host.tls?.serverName)
      issues.push({ path: ['tls', 'serverName'], message: 'is not supported', code: 'invalid_value' });
  }
  const own = OWN_LOGIN.filter((member) => isSet(host[member]));
  if (isSet(host.credential) && own.length > 0) {
    report(
      'credential',
      `cannot be combined with ${own.join(', ')}: a host uses its own fields or one credential`,
    );
  }
  return issues;
}

/** A path as it is sent, without query and fragment. */
const BASE_PATH = /^(\/[!$%&'()*+,./:;=@\w~-]*)?$/;

const SHAPE = NewHost.shape;
const HTTP_ONLY = ['protocol', 'base_path'];
/** Fields of inventories in other products, which are kept. */
const SHARED = [
  'lastSeen',
  'lastTest',
  'site',
  'groups',
  'custom',
  'source',
  'sourceFields',
  'sourceTags',
  'missingSince',
];
const KNOWN: Readonly<Record<HostKind, readonly string[]>> = {
  cli: [
    ...Object.keys(SHAPE).filter((name) => name !== 'tls' && !HTTP_ONLY.includes(name)),
    'passphrase',
    ...SHARED,
  ],
  grpc: [...Object.keys(GrpcHost.shape), ...SHARED],
  http: [...Object.keys(HttpHost.shape), ...SHARED],
};
const KNOWN_WITHIN = {
  hostKey: [...Object.keys(SHAPE.hostKey.unwrap().shape), 'seen'],
  options: Object.keys(SHAPE.options.unwrap().shape),
  tls: Object.keys(SHAPE.tls.unwrap().shape),
  gbac: ['read', 'write'],
} as const;

/**
 * Returns an issue for each unknown field of a host, with the field that it resembles: a misspelled secret would be
 * stored unencrypted, and the host without its secret (contract/decisions#secrets-in-jobs).
 *
 * @param isClosed false: only fields that resemble a known one are rejected; others are custom fields
 * @param stored a host whose custom fields are known too
 */
export function unknownFieldIssues(
  kind: HostKind,
  host: Readonly<Record<string, unknown>>,
  isClosed: boolean,
  stored: Readonly<Record<string, unknown>> = {},
): Issue[] {
  const unknownField = (path: string[], name: string, known: readonly string[]) => {
    const hint = suggestion(name, known);
    const message = `is not a field of a ${kind} host${hint}`;
    return isClosed || hint !== '' ? [{ path: [...path, name], message, code: 'unrecognized_keys' }] : [];
  };
  const issues = Object.keys(host)
    .filter((name) => !KNOWN[kind].includes(name) && !(name in SHAPE) && !(name in stored))
    .flatMap((name) => unknownField([], name, KNOWN[kind]));
  for (const [member, known] of Object.entries(KNOWN_WITHIN)) {
    const within = host[member];
    const before = stored[member];
    if (!isObject(within)) continue;
    const unknown = Object.keys(within).filter(
      (name) => !known.some((one) => one === name) && !(isObject(before) && name in before),
    );
    issues.push(...unknown.flatMap((name) => unknownField([member], name, known)));
  }
  return issues;
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/**
 * Splits a patch into the changes and the ignored fields that only the server sets (contract/lifecycle#0.2.7).
 *
 * @returns the changes, and the names of the ignored fields
 */
export function readPatch(updates: HostPatch): { change: Partial<NewHost>; ignored: string[] } {
  const change: Record<string, unknown> = { ...updates };
  const ignored = READ_ONLY.filter((member) => change[member] !== undefined);
  for (const member of READ_ONLY) delete change[member];
  // The patch has only fields of hosts.
  return { change: change as Partial<NewHost>, ignored };
}

/**
 * Returns the stored host with a patch applied; fields of `hostKey`, `options`, `tls` and `custom` missing in the patch are
 * kept, and custom fields that are null in it are removed.
 */
export function patched(stored: GatewayHost, change: Partial<NewHost>): NewHost {
  const merged: Record<string, unknown> = { ...stored };
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined) continue;
    merged[name] =
      name !== 'gbac' && isObject(value) && isObject(merged[name]) ? { ...merged[name], ...value } : value;
  }
  const { custom } = change;
  if (custom && isObject(merged.custom))
    merged.custom = Object.fromEntries(
      Object.entries(merged.custom).filter(([field]) => custom[field] !== null),
    );
  const isOther =
    change.device_type !== undefined &&
    (canonicalDeviceType(change.device_type) ?? change.device_type) !== stored.device_type;
  const wasDefault = deviceTypeOf(stored.device_type ?? '')?.ostype === stored.ostype;
  if (isOther && wasDefault && change.ostype === undefined) delete merged.ostype;
  // A stored host has all required fields.
  return merged as NewHost;
}

/**
 * Returns an issue for each field of a host that its inventory source manages and that a change would alter.
 *
 * @param stored host as stored
 * @param next host as it would be stored
 */
export function managedIssues(
  stored: Readonly<Record<string, unknown>>,
  next: Readonly<Record<string, unknown>>,
): Issue[] {
  const { source, sourceFields } = stored;
  if (typeof source !== 'string' || !Array.isArray(sourceFields)) return [];
  const at = (document: Readonly<Record<string, unknown>>, path: readonly string[]) =>
    path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), document);
  return sourceFields
    .map((field) => fieldPath(String(field)))
    .filter((path) => !isDeepStrictEqual(at(stored, path), at(next, path)))
    .map((path) => ({
      path,
      message: `is managed by the inventory source ${source}: change it there`,
      code: 'managed_by_source',
    }));
}

/** Returns the path of a managed field: `host`, or a custom field as `custom.rack`. */
const fieldPath = (field: string): string[] =>
  field.startsWith('custom.') ? ['custom', field.slice('custom.'.length)] : [field];

/**
 * Returns an issue for each stored secret if host, port or protocol change: secrets must be sent again for a new address
 * (contract/lifecycle#12).
 *
 * @param kept paths of secrets that would keep their stored value
 */
export function moveIssues(
  stored: Pick<GatewayHost, 'host' | 'port' | 'protocol'>,
  next: Pick<NewHost, 'host' | 'port' | 'protocol'>,
  kept: readonly string[],
): Issue[] {
  const isSame = stored.host === next.host && stored.port === next.port && stored.protocol === next.protocol;
  if (isSame) return [];
  return kept.map((place) => ({
    path: place.split('.'),
    message: 'must be sent again, or cleared with null, when host or port changes',
    code: 'secret_needed',
  }));
}
