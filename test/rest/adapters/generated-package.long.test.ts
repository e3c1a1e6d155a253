import { access, cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { addPackage } from '#server/domains/integrations/index.ts';
import { openWebService } from '../../helpers/devices/web-service.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { fetchLibrary, LIBRARY_FOLDER, PACKAGES_FOLDER } from '../../helpers/integrations/shared-library.ts';
import { openJobs } from '../../helpers/jobs/running-jobs.ts';
import { unique } from '../../helpers/procedures.ts';
import { onError, success, task, workflowOf } from '../../helpers/workflows.ts';

/** A package in the shape of generated public ones: its class calls the shared library, whose code is the public one. */
const FIXTURE = join(import.meta.dirname, '../../fixtures/adapters/servicenow');

const directory = await makeFolder();
const { send, store, start, comes, db } = await openJobs({ environment: { ADAPTERS_DIR: directory } });

type Change = Record<string, string>;
const changes = new Map<string, Change>();

/** A ticket service that keeps its changes: the table API, with basic authentication. */
const tickets = await openWebService(({ method, url, headers, body }, response) => {
  const [path = '', query = ''] = url.split('?');
  const id = path.split('/')[5];
  const end = (status: number, value?: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(value === undefined ? '' : JSON.stringify(value));
  };
  if (headers.authorization !== `Basic ${Buffer.from('svc:Hush-Hush-1').toString('base64')}`)
    return end(401, { error: { message: 'User Not Authenticated' }, status: 'failure' });
  if (path === '/api/now/table/sys_user_group') return end(200, { result: [] });
  if (!path.startsWith('/api/now/table/change_request')) return end(404, { error: { message: path } });
  if (method === 'POST') {
    const change = { sys_id: `id${changes.size + 1}`, number: `CHG003000${changes.size + 1}`, state: 'new' };
    changes.set(change.sys_id, { ...change, ...(JSON.parse(body) as Change) });
    return end(201, { result: changes.get(change.sys_id) });
  }
  const limit = Number(new URLSearchParams(query).get('sysparm_limit') ?? 100);
  if (!id) return end(200, { result: [...changes.values()].slice(0, limit) });
  const change = changes.get(id);
  if (!change) return end(404, { error: { message: 'No Record found' }, status: 'failure' });
  if (method === 'DELETE') {
    changes.delete(id);
    return end(204);
  }
  if (method === 'PUT') changes.set(id, { ...change, ...(JSON.parse(body) as Change) });
  return end(200, { result: changes.get(id) });
});

const document = (name: string, connection: Record<string, unknown> = {}) => ({
  properties: {
    name,
    model: '@example/adapter-servicenow',
    type: 'Adapter',
    properties: {
      id: name,
      type: 'Servicenow',
      properties: {
        host: '127.0.0.1',
        port: tickets.port,
        protocol: 'http',
        authentication: { auth_method: 'basic user_password', username: 'svc', password: 'Hush-Hush-1' },
        healthcheck: { type: 'startup' },
        ...connection,
      },
    },
  },
});
const admin = async (method: string, path: string, body?: unknown) => {
  const answer = await send('admin', method, path, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json as Record<string, unknown>;
};

/** A task of the type as exports hold it. */
const exported = (
  name: string,
  incoming: Record<string, unknown>,
  result: string | null = null,
  error = '',
) => {
  const known = task(name, { ...incoming, adapter_id: '$var.job.adapterId' }, { result });
  return {
    ...known,
    ...{ canvasName: name, summary: name, description: name, type: 'automatic' as const },
    ...{ app: 'Servicenow', locationType: 'Servicenow', location: 'Adapter', displayName: 'ServiceNow' },
    ...{ groups: [], actor: 'Pronghorn', scheduled: false, nodeLocation: { x: 0, y: 0 } },
    variables: { ...known.variables, error, decorators: [] },
  };
};
const merged = (values: Record<string, { task: string; variable: string }>) =>
  task(
    'merge',
    { data_to_merge: Object.entries(values).map(([key, value]) => ({ key, value })) },
    { merged_object: null },
  );
const queried = (pass: string, from: string) =>
  task('query', { pass_on_null: false, query: pass, obj: from }, { return_data: null });

let missing: string | null = null;
beforeAll(async () => {
  missing = await fetchLibrary();
  if (missing) return;
  // The modules that all packages share are there already, as after the first package of a host.
  await symlink(join(PACKAGES_FOLDER, '.runtime'), join(directory, '.runtime'));
  const source = join(await makeFolder(), 'adapter-servicenow');
  await cp(FIXTURE, source, { recursive: true });
  // Generated packages carry the errors of the library's release with them.
  await cp(join(LIBRARY_FOLDER, 'error.json'), join(source, 'error.json'));
  const added = await addPackage(db, directory, source, new Date());
  expect(added).toMatchObject({ type: 'Servicenow', missing: [] });
  await admin('POST', '/adapters', document('snow'));
});
beforeEach(({ skip }) => {
  if (missing) skip(missing);
  changes.clear();
  tickets.seen.length = 0;
});

test('a generated package is added without its scripts, and gets the defaults of its schema', async () => {
  await expect(access(join(directory, 'Servicenow/2.9.1/utils/ran.txt'))).rejects.toThrow('ENOENT');
  expect(await admin('GET', '/adapters/snow')).toMatchObject({
    data: {
      properties: {
        properties: {
          ...{ base_path: '/api', version: '', encode_pathvars: true, protocol: 'http' },
          authentication: { auth_field: 'header.headers.Authorization', password: '********' },
          healthcheck: { type: 'startup', frequency: 300_000 },
          request: { number_retries: 0 },
        },
      },
    },
  });
  const listed = await admin('GET', '/workflow_builder/tasks/list?app=Servicenow');
  const names = (listed as unknown as { name: string }[]).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['createChangeRequest', 'genericAdapterRequest']));
  expect(names).not.toContain('iapUpdateAdapterConfiguration');
});

test('its health check on the real library decides what the adapter reports', async () => {
  // The library takes seconds to load, and longer on a busy machine than a test of an adapter waits.
  await expect.poll(() => admin('POST', '/adapters/snow/test', {})).toMatchObject({ ok: true });
  expect(await admin('GET', '/health/adapters/snow')).toMatchObject({ connection: { state: 'ONLINE' } });
  const authentication = { auth_method: 'basic user_password', username: 'svc', password: 'wrong-Secret-2' };
  await admin('POST', '/adapters', document('denied', { authentication }));
  expect(await admin('POST', '/adapters/denied/test', {})).toMatchObject({ ok: false });
  await admin('DELETE', '/adapters/denied');
});

test('a workflow in the form of exports creates, reads, changes and closes a change through it', async () => {
  const tasks = {
    a1: merged({
      summary: { task: 'job', variable: 'title' },
      justification: { task: 'static', variable: 'asked by the site' },
    }),
    b2: exported('createChangeRequest', { body: '$var.a1.merged_object' }, '$var.job.createdCR'),
    c3: queried('response.id', '$var.b2.result'),
    d4: exported('getChangeRequestById', { id: '$var.c3.return_data', query: {} }, '$var.job.readCR'),
    e5: merged({
      current_state: { task: 'static', variable: 'closed' },
      resolution: { task: 'job', variable: 'title' },
    }),
    f6: exported(
      'updateChangeRequest',
      { changeId: '$var.c3.return_data', body: '$var.e5.merged_object' },
      '$var.job.updatedCR',
    ),
    a7: exported('getChangeRequests', { sysparmQuery: 'state=closed', sysparmLimit: 1 }, '$var.job.found'),
  };
  const name = unique('Change in a ticket service');
  const stored = (await store(workflowOf(name, tasks))) as { errors?: unknown[] };
  expect(stored.errors ?? []).toEqual([]);
  const { _id } = await start(name, { title: 'New time server', adapterId: 'snow' });
  const { variables } = await comes(_id, 'complete');
  expect(variables).toMatchObject({
    createdCR: { icode: 'AD.201', response: { id: 'id1', number: 'CHG0030001', summary: 'New time server' } },
    readCR: { icode: 'AD.200', response: { current_state: 'new' } },
    updatedCR: { response: { current_state: 'closed', resolution: 'New time server' } },
    found: { response: [{ number: 'CHG0030001' }] },
  });
  expect(
    tickets.seen.map(({ method, url }) => `${method} ${url}`).filter((one) => !one.includes('sys_user')),
  ).toEqual([
    'POST /api/now/table/change_request',
    'GET /api/now/table/change_request/id1',
    'PUT /api/now/table/change_request/id1',
    'GET /api/now/table/change_request?sysparm_query=state%3Dclosed&sysparm_limit=1',
  ]);
  expect(changes.get('id1')).toMatchObject({ short_description: 'New time server', state: 'closed' });
});

test('an error of the service, of the package and of the platform each follows the error transition', async () => {
  const tasks = {
    a1: exported('getChangeRequestById', { id: 'none', query: {} }, null, '$var.job.serviceNowError'),
    b2: exported('createChangeRequest', { body: { urgency: '1' } }, null, '$var.job.schemaError'),
    c3: exported(
      'updateChangeRequest',
      { changeId: '$var.job.changeId', body: {} },
      null,
      '$var.job.argumentError',
    ),
  };
  const transitions = {
    workflow_start: { a1: success },
    ...{ a1: { b2: onError }, b2: { c3: onError }, c3: { workflow_end: onError }, workflow_end: {} },
  };
  const name = unique('Refused');
  await store(workflowOf(name, tasks, { transitions }));
  const { _id } = await start(name, { adapterId: 'snow', changeId: '' });
  const job = await comes(_id, 'complete');
  expect(job.variables).toMatchObject({
    serviceNowError: { icode: 'AD.500', IAPerror: { code: 404, raw_response: expect.anything() } },
    schemaError: { icode: 'AD.312', IAPerror: { displayString: expect.stringContaining('summary') } },
    argumentError: { code: 'BAD_REQUEST', issues: [{ path: ['changeId'] }] },
  });
  expect(JSON.stringify(job)).not.toMatch(/Hush-Hush-1|c3ZjOkh1c2gtSHVzaC0x/);
  expect(tickets.seen.filter(({ method }) => method !== 'GET')).toEqual([]);
});
