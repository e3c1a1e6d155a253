import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
import { NAUTOBOT } from './nautobot.ts';
import { readPublished } from './published-document.ts';

const DEVICES = '/api/dcim/devices/';
/** The list of devices as NetBox's published OpenAPI document describes it. */
const NETBOX = readPublished('netbox', DEVICES, {
  $ref: '#/components/schemas/PaginatedDeviceWithConfigContextList',
});

const ORIGIN = 'http://netbox.example.net';
/** Fields that NetBox adds to each object to which a device refers. */
const nested = (kind: string, { slug, name = slug }: { slug: string; name?: string }, id = 1) => ({
  id,
  url: `${ORIGIN}/api/${kind}/${id}/`,
  display_url: `${ORIGIN}/${kind}/${id}/`,
  display: name,
  name,
  slug,
  device_count: 1,
  virtualmachine_count: 0,
  _depth: 0,
});
const address = (text: string) => ({
  ...{ id: 1, url: `${ORIGIN}/api/ipam/ip-addresses/1/`, display: text, address: text },
  family: text.includes(':') ? { value: 6, label: 'IPv6' } : { value: 4, label: 'IPv4' },
});
const COUNTS = Object.fromEntries(
  [
    'console_port',
    'console_server_port',
    'power_port',
    'power_outlet',
    'interface',
    'front_port',
    'rear_port',
    'device_bay',
    'module_bay',
    'inventory_item',
  ].map((name) => [`${name}_count`, 0]),
);

type Slug = { slug: string; name?: string };
/** How a device differs from the usual one; objects that it refers to are completed. */
type NetboxChange = {
  platform?: Slug | null;
  site?: Slug;
  tags?: Slug[];
  primary_ip?: string | null;
  custom_fields?: object;
  status?: string;
};

let devices = 0;

/** A device as NetBox lists it, with an id of its own and every field that its document requires. */
export function netboxDevice(name: string, change: NetboxChange = {}) {
  const {
    platform = { slug: 'cisco-ios', name: 'Cisco IOS' },
    site = { slug: 'berlin-1', name: 'Berlin 1' },
    tags = [{ slug: 'core', name: 'Core' }],
    primary_ip: ip = '192.0.2.11/24',
    custom_fields = { rack_unit: 12, owner: null },
    status = 'active',
  } = change;
  const { id, url, display_url } = nested('dcim/devices', { slug: name }, ++devices);
  return {
    ...{ id, url, display_url, display: name, name },
    device_type: {
      ...nested('dcim/device-types', { slug: 'c9300' }),
      model: 'C9300',
      manufacturer: nested('dcim/manufacturers', { slug: 'cisco', name: 'Cisco' }),
    },
    role: nested('dcim/device-roles', { slug: 'access', name: 'Access' }),
    platform: platform && nested('dcim/platforms', platform),
    site: nested('dcim/sites', site),
    status: { value: status, label: `${status[0]?.toUpperCase()}${status.slice(1)}` },
    parent_device: null,
    primary_ip: ip === null ? null : address(ip),
    primary_ip4: ip === null || ip.includes(':') ? null : address(ip),
    primary_ip6: ip?.includes(':') ? address(ip) : null,
    tags: tags.map((tag) => nested('extras/tags', tag)),
    config_context: {},
    custom_fields,
    created: '2026-01-02T03:04:05Z',
    last_updated: '2026-01-02T03:04:05Z',
    ...COUNTS,
  };
}
type NetboxDevice = ReturnType<typeof netboxDevice>;

/** What a request gets: its default, or the answer of a test. */
type Answer = (request: IncomingMessage, response: ServerResponse) => boolean;

/** The most devices of a page, whatever the request asks for. */
const MOST = 1000;

/**
 * A server that answers as NetBox or Nautobot does, with paging, filters, tokens and a limit of requests; it is stopped after the file. A
 * parameter that the document does not have is rejected, and an answer that it does not allow fails the request.
 *
 * @param tls key and certificate in PEM, for HTTPS
 */
export async function openNetbox(token = 'netbox-token', tls?: { key: string; cert: string }) {
  const state = {
    devices: [] as unknown[],
    requests: [] as string[],
    answer: (() => false) as Answer,
    /** Requests that are still allowed; the next one is answered with 429 and `Retry-After: 1`. */
    left: Number.POSITIVE_INFINITY,
    /** Whether it answers as Nautobot does. */
    isNautobot: false,
  };
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', ORIGIN);
    state.requests.push(`${url.pathname}${url.search}`);
    if (state.answer(request, response)) return;
    const send = (status: number, body: unknown, headers = {}) =>
      response
        .writeHead(status, { 'Content-Type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    if (request.headers.authorization !== `Token ${token}`)
      return void send(403, { detail: 'Invalid token' });
    if (url.pathname !== DEVICES) return void send(404, { detail: 'Not found.' });
    if (state.left <= 0) {
      state.left = Number.POSITIVE_INFINITY;
      return void send(429, { detail: 'Request was throttled.' }, { 'Retry-After': '1' });
    }
    state.left -= 1;
    const { parameters, faultOf } = state.isNautobot ? NAUTOBOT : NETBOX;
    const unknown = [...url.searchParams.keys()].filter((name) => !parameters.has(name));
    if (unknown.length > 0) return void send(400, { [unknown[0] ?? '']: ['Unknown filter field'] });
    const body = pageOf(state.devices, url);
    const fault = faultOf(body);
    send(fault ? 500 : 200, fault ? { detail: fault } : body);
  };
  const server = tls ? createSecureServer(tls, handle) : createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { state, token, url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}` };
}

function pageOf(devices: readonly unknown[], url: URL) {
  const number = (name: string, usual: number) => Number(url.searchParams.get(name) ?? usual);
  const limit = Math.min(number('limit', 50) || MOST, MOST);
  const offset = number('offset', 0);
  const wanted = (devices as NetboxDevice[]).filter((device) => isWanted(device, url.searchParams));
  const at = (start: number) => `${ORIGIN}${DEVICES}?limit=${limit}&offset=${start}`;
  return {
    count: wanted.length,
    next: offset + limit < wanted.length ? at(offset + limit) : null,
    previous: offset > 0 ? at(Math.max(0, offset - limit)) : null,
    results: wanted.slice(offset, offset + limit),
  };
}

/** Whether a device matches the filters of a request: one of the values of each. */
function isWanted(device: NetboxDevice, query: URLSearchParams): boolean {
  const has = (name: string, values: readonly (string | undefined)[]) => {
    const given = query.getAll(name);
    return given.length === 0 || given.some((value) => values.includes(value));
  };
  return (
    has('name', [device.name]) &&
    has('status', [device.status.value]) &&
    has('site', [device.site?.slug]) &&
    has('platform', [device.platform?.slug]) &&
    has(
      'tag',
      device.tags.map(({ slug }) => slug),
    )
  );
}
