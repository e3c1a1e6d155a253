import {
  type Answer,
  announce,
  type Call,
  inPath,
  openJsonService,
  operation,
  pageOf,
} from './json-service.ts';
import { DEVICE_TYPES, nameOf } from './world.ts';

/*
 * A small CMDB, as a process of its own: `node --import tsx test/lab/cmdb.ts`. It holds sites and the devices of the lab, with the
 * paths, pages and errors of common network inventories. Prints a line of JSON; `password` is the token.
 */

const TOKEN = 'lab-cmdb-4f1c09d27ab35e68';

type Site = { id: number; name: string; slug: string };

type Device = {
  id: number;
  name: string;
  device_type: string;
  site: Site;
  status: string;
  comments: string;
  custom_fields: { ntp_server: string | null; change: string | null };
  last_updated: string;
};

const STATUSES = ['active', 'planned', 'staged', 'failed', 'decommissioning'];

const sites: readonly Site[] = ['Quay', 'Mill', 'Tower'].map((name, index) => ({
  id: index + 1,
  name,
  slug: name.toLowerCase(),
}));
const devices: Device[] = DEVICE_TYPES.map((device_type, index) => ({
  id: index + 1,
  name: nameOf(device_type),
  device_type,
  site: sites[index % sites.length] as Site,
  status: 'active',
  comments: '',
  custom_fields: { ntp_server: null, change: null },
  last_updated: new Date().toISOString(),
}));

const CUSTOM_FIELDS = {
  type: 'object',
  properties: { ntp_server: { type: 'string', nullable: true }, change: { type: 'string', nullable: true } },
  additionalProperties: false,
};
const PATCHED_DEVICE = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: STATUSES },
    comments: { type: 'string' },
    custom_fields: CUSTOM_FIELDS,
  },
  additionalProperties: false,
};
const paged = { 'x-paging': { style: 'offset', start: 'offset', size: 'limit', list: 'results' } };

const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Lab CMDB', version: '1.0', description: 'Sites and devices of the lab' },
  servers: [{ url: 'http://127.0.0.1/api' }],
  components: { securitySchemes: { tokenAuth: { type: 'apiKey', in: 'header', name: 'Authorization' } } },
  security: [{ tokenAuth: [] }],
  paths: {
    '/dcim/sites/': {
      get: operation('dcim_sites_list', 'Sites', { query: ['limit', 'offset'], ...paged }),
    },
    '/dcim/devices/': {
      get: operation('dcim_devices_list', 'Devices, of a name or a site', {
        query: ['name', 'site', 'limit', 'offset'],
        ...paged,
      }),
    },
    '/dcim/devices/{id}/': {
      ...inPath('id', 'integer'),
      get: operation('dcim_devices_retrieve', 'A device'),
      patch: operation('dcim_devices_partial_update', 'Changes members of a device', {
        body: PATCHED_DEVICE,
      }),
    },
  },
};

const NOT_FOUND: Answer = { status: 404, body: { detail: 'Not found.' } };

const list = (items: readonly object[], { query }: Call): Answer => {
  const { page, offset, limit } = pageOf(items, query);
  const address = (start: number) => `?limit=${limit}&offset=${start}`;
  const next = offset + limit < items.length ? address(offset + limit) : null;
  const previous = offset > 0 ? address(Math.max(0, offset - limit)) : null;
  return { status: 200, body: { count: items.length, next, previous, results: page } };
};

const deviceOf = ({ parts: [id] }: Call) => devices.find((device) => device.id === Number(id));

const isTextOrNull = (value: unknown) => value === null || typeof value === 'string';

/** Returns what is wrong with the members of a change, by their names. */
function problemsOf(change: Record<string, unknown>): Record<string, string[]> {
  const { status, comments, custom_fields, ...unknown } = change;
  const problems = Object.fromEntries(Object.keys(unknown).map((name) => [name, ['Unknown field.']]));
  if (status !== undefined && !STATUSES.includes(String(status)))
    problems.status = [`${JSON.stringify(status)} is not a valid choice.`];
  if (comments !== undefined && typeof comments !== 'string') problems.comments = ['Not a valid string.'];
  const fields = Object.entries((custom_fields as Record<string, unknown> | undefined | null) ?? {});
  const wrong = fields.filter(
    ([name, value]) => !Object.hasOwn(CUSTOM_FIELDS.properties, name) || !isTextOrNull(value),
  );
  if (wrong.length > 0) problems.custom_fields = wrong.map(([name]) => `Unknown or invalid: ${name}`);
  return problems;
}

function update(call: Call): Answer {
  const device = deviceOf(call);
  if (!device) return NOT_FOUND;
  const problems = problemsOf(call.body);
  if (Object.keys(problems).length > 0) return { status: 400, body: problems };
  const { custom_fields, ...rest } = call.body;
  Object.assign(device, rest, { last_updated: new Date().toISOString() });
  Object.assign(device.custom_fields, custom_fields);
  return { status: 200, body: device };
}

const port = await openJsonService({
  document: DOCUMENT,
  documentPath: '/api/schema/',
  authorization: `Token ${TOKEN}`,
  reject: (status, detail) => ({ status, body: { detail } }),
  routes: [
    { method: 'GET', path: /^\/api\/dcim\/sites\/$/, run: (call) => list(sites, call) },
    {
      method: 'GET',
      path: /^\/api\/dcim\/devices\/$/,
      run: (call) => {
        const name = call.query.get('name');
        const site = call.query.get('site');
        const found = devices.filter(
          (device) => (!name || device.name === name) && (!site || device.site.slug === site),
        );
        return list(found, call);
      },
    },
    {
      method: 'GET',
      path: /^\/api\/dcim\/devices\/(\d+)\/$/,
      run: (call) => {
        const device = deviceOf(call);
        return device ? { status: 200, body: device } : NOT_FOUND;
      },
    },
    { method: 'PATCH', path: /^\/api\/dcim\/devices\/(\d+)\/$/, run: update },
  ],
});
announce({ port, username: 'switchyard', password: TOKEN });
