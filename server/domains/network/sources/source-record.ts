import { isDeepStrictEqual } from 'node:util';
import type { InventorySource, SourceIssue } from '#db/schemas/network/inventory-source.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { fieldIn, isObject } from '#server/kernel/json/objects.ts';
import { MASK, redact } from '#server/kernel/secrets/redact.ts';
import { clipped } from '#server/kernel/text/clipped.ts';
import { assertStorable, isStorable } from '#server/kernel/validation/input-sanity.ts';
import { canonicalDeviceType } from '../inventory/device-types.ts';

/** A host as a source describes it; absent fields are not managed by the source. */
export type SourceHost = {
  name: string;
  host: string;
  port?: number;
  device_type?: string;
  site?: string;
  tags: string[];
  custom: Record<string, unknown>;
  /** Used only when the host is created. */
  credential?: string;
};

/** The records of a source: usable hosts, the names of all of them, and what is wrong with the others. */
export type SourceRecords = { hosts: SourceHost[]; names: string[]; issues: SourceIssue[] };

/** Returns why no device can have a name; null when one can. */
function nameFault(name: string | undefined): string | null {
  if (name === undefined) return 'has no name';
  if (name.length > 255) return 'has a name of over 255 characters';
  if ([...name].some((sign) => sign < ' ' || sign === '\u007f')) return 'has control characters in its name';
  return isStorable(name) ? null : 'has half of a surrogate pair in its name, which is not valid text';
}

/** Returns why a host cannot be stored, such as a NUL in a text; null when it can. */
function storageFault(host: SourceHost): string | null {
  try {
    assertStorable(host);
    return null;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `cannot be stored: ${error.message.slice(0, 300)}`;
  }
}

type Mapping = NonNullable<InventorySource['mapping']>;
type Paths = {
  name: string;
  host: string[];
  port: string;
  device_type: string[];
  site: string[];
  tags: string;
};

/** The paths of each type, where a mapping has none; the first path with a value counts. */
const PATHS: Readonly<Record<InventorySource['type'], Paths & { custom?: string }>> = {
  netbox: {
    name: 'name',
    host: ['primary_ip.address', 'primary_ip4.address', 'primary_ip6.address'],
    port: 'custom_fields.ssh_port',
    device_type: ['platform.slug', 'platform.name'],
    site: ['site.slug', 'site.name'],
    tags: 'tags',
    custom: 'custom_fields',
  },
  nautobot: {
    name: 'name',
    host: ['primary_ip4.address', 'primary_ip6.address', 'primary_ip.address'],
    port: 'custom_fields.ssh_port',
    device_type: ['platform.network_driver', 'platform.slug', 'platform.name'],
    site: ['location.name', 'site.slug', 'site.name'],
    tags: 'tags',
    custom: 'custom_fields',
  },
  ansible: {
    name: 'name',
    host: ['ansible_host', 'name'],
    port: 'ansible_port',
    device_type: ['ansible_network_os', 'device_type'],
    site: ['site'],
    tags: 'groups',
  },
  csv: {
    name: 'name',
    host: ['host'],
    port: 'port',
    device_type: ['device_type'],
    site: ['site'],
    tags: 'tags',
    custom: 'custom',
  },
  json: {
    name: 'name',
    host: ['host', 'address', 'ip'],
    port: 'port',
    device_type: ['device_type', 'platform'],
    site: ['site'],
    tags: 'tags',
    custom: 'custom',
  },
};

/**
 * Returns the hosts that records of a source describe. A name that occurs twice counts once.
 *
 * @param records devices as the source describes them
 * @returns the hosts, their names, and an issue for each record that describes none
 */
export function hostsOf(
  { type, mapping }: Pick<InventorySource, 'type' | 'mapping'>,
  records: readonly unknown[],
): SourceRecords {
  const found: SourceRecords = { hosts: [], names: [], issues: [] };
  const seen = new Set<string>();
  const paths = pathsOf(PATHS[type], mapping ?? {});
  for (const [at, record] of records.entries()) {
    const name = textAt(record, paths.name);
    const report = (field: string, message: string) =>
      found.issues.push({ name: name ?? `record ${at + 1}`, field, message });
    const misnamed = nameFault(name);
    if (misnamed !== null || name === undefined) {
      report('name', misnamed ?? '');
      continue;
    }
    if (seen.has(name)) {
      report('name', 'occurs twice in the source');
      continue;
    }
    seen.add(name);
    found.names.push(name);
    const host = hostOf(record, name, paths, mapping ?? {}, report);
    const fault = host && storageFault(host);
    if (fault) report('', fault);
    else if (host) found.hosts.push(host);
  }
  return found;
}

function pathsOf(preset: Paths & { custom?: string }, mapping: Mapping) {
  const own = (path: string | undefined, paths: string[]) => (path === undefined ? paths : [path]);
  return {
    ...preset,
    name: mapping.name ?? preset.name,
    host: own(mapping.host, preset.host),
    port: mapping.port ?? preset.port,
    device_type: own(mapping.device_type, preset.device_type),
    site: own(mapping.site, preset.site),
    tags: mapping.tags ?? preset.tags,
  };
}

function hostOf(
  record: unknown,
  name: string,
  paths: ReturnType<typeof pathsOf>,
  { platforms = {}, defaults = {}, custom = {} }: Mapping,
  report: (field: string, message: string) => void,
): SourceHost | undefined {
  const address = firstText(record, paths.host)?.replace(/\/\d{1,3}$/, '');
  if (address === undefined) {
    report('host', 'has no management address');
    return undefined;
  }
  const platform = firstText(record, paths.device_type);
  const named = platform === undefined ? undefined : (platforms[platform] ?? platform.replaceAll('-', '_'));
  const device_type = canonicalDeviceType(named ?? defaults.device_type ?? '') ?? defaultType(defaults);
  if (platform !== undefined && device_type === undefined) {
    report(
      'device_type',
      `has the unknown platform ${clipped(platform, 100)}: name its device type in mapping.platforms`,
    );
    return undefined;
  }
  const portText = textAt(record, paths.port);
  const port = portText === undefined ? defaults.port : Number(portText);
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536)) {
    report('port', 'must be a number from 1 to 65535');
    return undefined;
  }
  const site = firstText(record, paths.site);
  return {
    name,
    host: address,
    ...(port !== undefined && { port }),
    ...(device_type !== undefined && { device_type }),
    ...(site !== undefined && { site: clipped(site, 255) }),
    tags: tagsIn(valueAt(record, paths.tags)),
    custom: customIn(record, paths.custom, custom),
    ...(defaults.credential !== undefined && { credential: defaults.credential }),
  };
}

const defaultType = ({ device_type }: NonNullable<Mapping['defaults']>): string | undefined =>
  device_type === undefined ? undefined : canonicalDeviceType(device_type);

/** Returns the names of tags, which sources have as one text, or list as texts or as objects with a slug or a name. */
function tagsIn(value: unknown): string[] {
  const listed = typeof value === 'string' ? value.split(/[,;|]/).map((tag) => tag.trim()) : value;
  if (!Array.isArray(listed)) return [];
  const tags = listed.flatMap((tag: unknown) => {
    const text = isObject(tag)
      ? (textAt(tag, 'slug') ?? textAt(tag, 'name'))
      : typeof tag === 'string'
        ? tag
        : undefined;
    return text === undefined || text === '' ? [] : [clipped(text, 255)];
  });
  return [...new Set(tags)].sort().slice(0, 100);
}

function customIn(
  record: unknown,
  path: string | undefined,
  mapping: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const own = path === undefined ? undefined : valueAt(record, path);
  const copied = isObject(own) ? Object.entries(own) : [];
  const mapped = Object.entries(mapping).map(([name, at]) => [name, valueAt(record, at)] as const);
  const fields = [...copied, ...mapped].filter(
    ([name, value]) =>
      value !== null && value !== undefined && name.length <= 100 && JSON.stringify(value).length <= 10_000,
  );
  // Secrets never come from a source.
  return Object.fromEntries(fields.filter(([name, value]) => !hasSecret({ [name]: value })));
}

const hasSecret = (custom: Record<string, unknown>): boolean =>
  !isDeepStrictEqual(redact(custom, MASK), custom);

/**
 * Returns the value at a path with dots; undefined when there is none.
 *
 * @param path names of fields and positions in lists from 0, joined by dots: `interfaces.0.address`
 */
export const valueAt = (record: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => {
    if (Array.isArray(value)) return /^\d{1,6}$/.test(name) ? value[Number(name)] : undefined;
    return fieldIn(value, name);
  }, record);

function textAt(record: unknown, path: string): string | undefined {
  const value = valueAt(record, path);
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined;
}

const firstText = (record: unknown, paths: readonly string[]): string | undefined =>
  paths.map((path) => textAt(record, path)).find((text) => text !== undefined);
