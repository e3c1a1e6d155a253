import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { TaskWarning } from '#db/schemas/workflow/job.ts';
import {
  INVENTORY,
  inventoryDocument,
  inventoryIntegration,
  inventoryTask,
  openInventory,
} from '../../helpers/integrations/inventory-system.ts';
import { openJobs } from '../../helpers/jobs/running-jobs.ts';
import { isLong } from '../../helpers/long.ts';
import { roleId } from '../../helpers/people.ts';
import { onError, revert, runs, success, task, workflowOf } from '../../helpers/workflows.ts';

const service = await openJobs();
const { send, store, start, comes, call } = service;

/** Statuses with which the next requests are answered, null: as usual. */
const statuses: (number | null)[] = [];
const inventory = await openInventory((_, response) => {
  const status = statuses.shift() ?? null;
  if (status === null) return false;
  response.writeHead(status, { 'Content-Type': 'application/json' }).end('{"name":["must be unique"]}');
  return true;
});
const requested = () => inventory.seen.map(({ method, url }) => `${method} ${url}`);

const post = async (path: string, body: unknown, status = 200, method = 'POST') => {
  const answer = await send('admin', method, path, body);
  expect(answer.status, answer.text).toBe(status);
  return answer.json as Record<string, unknown>;
};

beforeAll(async () => {
  await post('/integration-models', { model: inventoryDocument() });
  await post('/integrations', inventoryIntegration(inventory.port));
});
beforeEach(() => {
  inventory.seen.length = 0;
  statuses.length = 0;
});

const errorsOf = (workflow: unknown) =>
  ((workflow as { errors?: TaskWarning[] }).errors ?? []).map(({ task: id, message }) => `${id} ${message}`);

test('a workflow that waits and rolls back after a rejection completes against the other system', async () => {
  const create = {
    ...inventoryTask('dcim_devices_create', {
      requestBodyPayload: '$var.job.device',
      adapter_id: '$var.job.adapterId',
    }),
    variables: {
      incoming: { requestBodyPayload: '$var.job.device', adapter_id: '$var.job.adapterId' },
      outgoing: { response: '$var.job.created' },
      error: '$var.job.refusal',
    },
  };
  const stored = await store({
    ...workflowOf('Onboard a device', {
      a1: inventoryTask(
        'dcim_devices_list',
        { name: 'edge-1', per_page: '', adapter_id: '$var.job.adapterId' },
        { response: '$var.job.found' },
      ),
      b2: create,
      c3: task('delay', { time: 0.2 }, { time_in_milliseconds: null }),
      d4: task(
        'query',
        { pass_on_null: false, query: 'body.body.name', obj: '$var.job.created' },
        { return_data: '$var.job.name' },
      ),
    }),
    transitions: {
      workflow_start: { a1: success },
      a1: { b2: success },
      b2: { d4: success, c3: onError },
      c3: { b2: revert('success') },
      d4: { workflow_end: success },
    },
  });
  expect(errorsOf(stored)).toEqual([]);
  const device = { name: 'edge-1', site: 7 };
  statuses.push(null, 400);
  const { _id } = await start('Onboard a device', { adapterId: 'racks', device });
  const job = await comes(_id, 'complete');
  expect(requested()).toEqual([
    'GET /api/dcim/devices/?name=edge-1',
    'POST /api/dcim/devices/',
    'POST /api/dcim/devices/',
  ]);
  expect(inventory.seen.every(({ headers }) => headers['x-token'] === 'Secret-Token-1')).toBe(true);
  expect(job.variables).toMatchObject({
    name: 'edge-1',
    created: { ok: true, status: 200, body: { body: device } },
    refusal: {
      status: 400,
      response: { name: ['must be unique'] },
      IAPerror: { code: 400, raw_response: { status: 400 } },
    },
  });
  expect(JSON.stringify(job)).not.toContain('Secret-Token-1');
});

test.skipIf(!isLong)('a model that is replaced while a job runs does not change the job', async () => {
  await store(
    workflowOf('Update twice', {
      a1: inventoryTask('dcim_devices_retrieve', { id: 1 }),
      b2: task('delay', { time: 1 }, { time_in_milliseconds: null }),
      c3: inventoryTask('dcim_devices_update', { id: 1, requestBodyPayload: { name: 'a' } }),
      d4: runs('Update once'),
    }),
  );
  await store(workflowOf('Update once', { a1: inventoryTask('dcim_devices_retrieve', { id: 2 }) }));
  const { _id } = await start('Update twice');
  await service.taskComes(_id, 'b2', 'running');
  const changed = inventoryDocument();
  const paths = changed.paths as Record<string, { put?: object; get?: object }>;
  const { put: _, ...one } = paths['/dcim/devices/{id}/'] ?? {};
  paths['/dcim/devices/{id}/'] = one;
  const { metadata } = await post('/integration-models', { model: changed }, 200, 'PUT');
  expect(metadata).toMatchObject({ removed: ['dcim_devices_update'] });
  await comes(_id, 'complete');
  expect(requested()).toEqual([
    'GET /api/dcim/devices/1/',
    'PUT /api/dcim/devices/1/',
    'GET /api/dcim/devices/2/',
  ]);
  const rejected = await call('POST', '/jobs/start', { workflow: 'Update twice', options: {} });
  expect(rejected.status).toBe(409);
  expect(rejected.text).toContain(`task dcim_devices_update of ${INVENTORY} does not exist`);
  await post('/integration-models', { model: inventoryDocument() }, 200, 'PUT');
});

test('tasks and adapters that cannot be called are named when the workflow is saved', async () => {
  await post('/integrations', inventoryIntegration(inventory.port, {}, 'racks-stopped'));
  await post('/adapters/racks-stopped/stop', undefined, 200, 'PUT');
  const workflow = await store(
    workflowOf('Not callable', {
      a1: inventoryTask('dcim_racks_list'),
      b2: inventoryTask('dcim_devices_list', { adapter_id: 'nowhere' }),
      c3: inventoryTask('dcim_devices_list', { adapter_id: 'racks-stopped' }),
      d4: inventoryTask('dcim_devices_list', { adapter_id: 'gateway' }),
      e5: inventoryTask('dcim_devices_list', { adapter_id: '$var.job.which' }),
      f6: inventoryTask('dcim_devices_retrieve', { id: '' }),
      '10': inventoryTask('getIssue', {}, { result: null }, 'Tickets'),
    }),
  );
  expect(errorsOf(workflow)).toEqual([
    '10 name: adapter Tickets does not exist here, so that its task getIssue cannot run',
    `a1 name: task dcim_racks_list of ${INVENTORY} does not exist`,
    'b2 variables.incoming.adapter_id: adapter nowhere does not exist',
    'c3 variables.incoming.adapter_id: adapter racks-stopped is stopped',
    `d4 variables.incoming.adapter_id: adapter gateway is of the type Gateway, not ${INVENTORY}`,
    'f6 variables.incoming.id: must be set',
  ]);
});

test.skipIf(!isLong)(
  'without a name the only running adapter of the type is called, and several are an error that lists them',
  async () => {
    await store(workflowOf('No name', { a1: inventoryTask('dcim_devices_list', { adapter_id: '' }) }));
    const alone = await start('No name');
    await comes(alone._id, 'complete');
    await store(
      workflowOf('Named late', { a1: inventoryTask('dcim_devices_list', { adapter_id: '$var.job.which' }) }),
    );
    await post('/integrations', inventoryIntegration(inventory.port, {}, 'racks-two'));
    const several = await start('Named late', { which: '' });
    const { error } = await comes(several._id, 'error');
    expect(error?.[0]).toMatchObject({
      message: `several adapters of the type ${INVENTORY} are running: set adapter_id to one of racks, racks-two`,
    });
    await send('admin', 'DELETE', '/integrations/racks-two');
    const stopped = await start('Named late', { which: 'racks-stopped' });
    expect((await comes(stopped._id, 'error')).error?.[0]).toMatchObject({
      message: 'adapter racks-stopped is stopped',
    });
    expect(requested()).toEqual(['GET /api/dcim/devices/']);
  },
);

test('lists and details of tasks show the type in one spelling, and its schemas reach the input of workflows', async () => {
  const apps = (await send('engineering', 'GET', '/automation-studio/apps/list')).json;
  expect(apps).toContainEqual({ name: INVENTORY, type: 'Adapter' });
  const query = `?app=${encodeURIComponent(INVENTORY)}`;
  const listed = (await send('engineering', 'GET', `/workflow_builder/tasks/list${query}`)).json as {
    name: string;
  }[];
  expect(listed.map(({ name }) => name)).toContain('dcim_devices_create');
  expect(listed).toHaveLength(5);
  const all = (await send('engineering', 'GET', '/workflow_builder/tasks/list')).json as { app: string }[];
  expect(all.filter(({ app }) => app === INVENTORY)).toHaveLength(5);
  const place = `locations/Adapter/packages/${encodeURIComponent(INVENTORY)}/tasks/dcim_devices_retrieve`;
  expect((await send('engineering', 'GET', `/automation-studio/${place}`)).json).toMatchObject({
    name: 'dcim_devices_retrieve',
    app: INVENTORY,
    location: 'Adapter',
    locationType: INVENTORY,
    variables: {
      incoming: { id: { type: 'integer', required: true } },
      outgoing: { response: { type: 'object' } },
    },
  });
  const workflow = await store(
    workflowOf('Typed input', { a1: inventoryTask('dcim_devices_retrieve', { id: '$var.job.deviceId' }) }),
  );
  expect(workflow.inputSchema).toMatchObject({ properties: { deviceId: { type: 'integer' } } });
});

test('an account without admin runs a task only with the permission of its operation', async () => {
  const permission = { name: 'dcim_devices_list', provenance: INVENTORY };
  const role = await post('/authorization/roles', {
    role: { name: 'rack readers', description: '', allowedMethods: [permission], allowedViews: [] },
  });
  const { caller } = await service.callerWith('engineering');
  const id = (role.data as { _id: string })._id;
  await store(workflowOf('Read racks', { a1: inventoryTask('dcim_devices_list') }));
  await store(workflowOf('Remove a device', { a1: inventoryTask('dcim_devices_destroy', { id: 3 }) }));
  const run = async (workflow: string) => {
    const { body, text } = await call('POST', '/jobs/start', { workflow, options: {} }, 'engineering');
    expect(body.data, text).toBeDefined();
    const job = body.data as { _id: string };
    return service.until(job._id, ({ status }) => status === 'complete' || status === 'error');
  };
  expect((await run('Read racks')).error?.[0]).toMatchObject({ message: 'Needs one of the roles: admin' });
  const given = await send('admin', 'PATCH', `/authorization/accounts/${caller.id}`, {
    updates: { assignedRoles: [{ roleId: id }, { roleId: await roleId(service, 'engineering') }] },
  });
  expect(given.status, given.text).toBe(200);
  expect((await run('Read racks')).status).toBe('complete');
  expect((await run('Remove a device')).error?.[0]).toMatchObject({
    message: 'Needs one of the roles: admin',
  });
  expect(requested()).toEqual(['GET /api/dcim/devices/']);
});

const FACE = 'RacksV21';

test.skipIf(!isLong)('an integration runs the tasks of the adapter that it replaces', async () => {
  const face = {
    type: FACE,
    map: {
      findDevice: { operation: 'dcim_devices_list', values: { name: { value: 'device', before: '.' } } },
    },
  };
  await post('/integrations/racks/properties', { properties: { face } }, 200, 'PUT');
  const faced = (name: string, incoming: Record<string, unknown>) =>
    inventoryTask(name, incoming, { result: `$var.job.${name}` }, FACE);
  const stored = await store({
    ...workflowOf('By the adapter', {
      a1: faced('getDcimDevices', { name: 'edge-1', perPage: 5 }),
      b2: faced('putDcimDevicesId', { id: 4, data: { name: 'edge-2' } }),
      c3: faced('findDevice', { device: 'edge-3.example.net' }),
      d4: faced('deleteDcimDevicesId', { id: 5 }),
    }),
  });
  expect(errorsOf(stored)).toEqual([]);
  const { _id } = await start('By the adapter');
  const { variables } = await comes(_id, 'complete');
  expect(requested()).toEqual([
    'GET /api/dcim/devices/?name=edge-1&per_page=5',
    'PUT /api/dcim/devices/4/',
    'GET /api/dcim/devices/?name=edge-3',
    'DELETE /api/dcim/devices/5/',
  ]);
  expect(variables).toMatchObject({
    putDcimDevicesId: { icode: 'AD.200', code: 200, response: { body: { name: 'edge-2' } } },
  });
  statuses.push(404);
  await store(workflowOf('A refusal', { a1: faced('getDcimDevicesId', { id: 9 }) }));
  const rejected = await start('A refusal');
  expect((await comes(rejected._id, 'error')).tasks.a1?.variables?.outgoing?.error).toMatchObject({
    icode: 'AD.500',
    IAPerror: { origin: 'racks-getDcimDevicesId', code: 404, raw_response: { status: 404 } },
  });
  const unknown = await store(workflowOf('Unknown', { a1: faced('getRacks', {}) }));
  expect(errorsOf(unknown)).toEqual([`a1 name: task getRacks of ${FACE} does not exist`]);
  await store(workflowOf('Too much', { a1: faced('deleteDcimDevicesId', { id: 5, force: true }) }));
  const tooMuch = await start('Too much');
  expect((await comes(tooMuch._id, 'error')).error?.[0]?.message).toContain(
    `force is no value of dcim_devices_destroy of ${INVENTORY}`,
  );
});
