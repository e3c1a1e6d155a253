import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

/** A device in the answers of NetBox: the fields of its REST API that a run reads, and some that it ignores. */
export const netboxDevice = (name: string, change: object = {}) => ({
  id: 1,
  url: 'http://netbox/api/dcim/devices/1/',
  display: name,
  name,
  device_type: {
    id: 1,
    model: 'C9300',
    slug: 'c9300',
    manufacturer: { id: 1, name: 'Cisco', slug: 'cisco' },
  },
  role: { id: 1, name: 'Access', slug: 'access' },
  platform: { id: 1, name: 'Cisco IOS', slug: 'cisco-ios' },
  site: { id: 1, name: 'Berlin 1', slug: 'berlin-1' },
  status: { value: 'active', label: 'Active' },
  primary_ip: { id: 1, address: '192.0.2.11/24', family: { value: 4, label: 'IPv4' } },
  primary_ip4: { id: 1, address: '192.0.2.11/24', family: { value: 4, label: 'IPv4' } },
  primary_ip6: null,
  tags: [{ id: 1, name: 'Core', slug: 'core', color: '9e9e9e' }],
  custom_fields: { rack_unit: 12, owner: null },
  ...change,
});

/** What a request gets: its default, or the answer of a test. */
type Answer = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A server that answers as NetBox and Nautobot do; it is stopped after the file. */
export async function openNetbox(token = 'netbox-token') {
  const state = { devices: [] as unknown[], requests: [] as string[], answer: (() => false) as Answer };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://netbox');
    state.requests.push(`${url.pathname}${url.search}`);
    if (state.answer(request, response)) return;
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    if (request.headers.authorization !== `Token ${token}`)
      return void send(403, { detail: 'Invalid token' });
    if (url.pathname !== '/api/dcim/devices/') return void send(404, { detail: 'Not found.' });
    const [limit, offset] = ['limit', 'offset'].map((name) => Number(url.searchParams.get(name) ?? 0)) as [
      number,
      number,
    ];
    const results = state.devices.slice(offset, offset + limit);
    const next =
      offset + limit < state.devices.length ? `${url.origin}${url.pathname}?offset=${offset + limit}` : null;
    send(200, { count: state.devices.length, next, previous: null, results });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => void server.close());
  return { state, token, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
