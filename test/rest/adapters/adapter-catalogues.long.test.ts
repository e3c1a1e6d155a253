import { beforeAll, expect, test } from 'vitest';
import type { TaskWarning } from '#db/schemas/workflow/job.ts';
import { openWebService } from '../../helpers/devices/web-service.ts';
import {
  inventoryDocument,
  inventoryIntegration,
  inventoryTask,
} from '../../helpers/integrations/inventory-system.ts';
import { openJobs } from '../../helpers/jobs/running-jobs.ts';
import { workflowOf } from '../../helpers/workflows.ts';

const service = await openJobs();
const { send, store, start, comes } = service;
const web = await openWebService(({ method, url, body }, response) =>
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ method, url, body })),
);

const PATH = '/adapter-models/catalogues';
const file = (type: string, more: object = {}) => ({
  catalogue: {
    id: `@vendor/adapter-${type.toLowerCase()}`,
    export: type,
    type: 'Adapter',
    methods: [
      {
        name: 'getTicket',
        summary: 'Read a ticket',
        input: [{ name: 'number', type: 'string', info: 'Number of the ticket', required: true }],
        output: { name: 'ticket', type: 'object' },
      },
      { name: 'closeTicket', input: [{ name: 'number', type: 'string' }], output: { name: 'result' } },
    ],
    ...more,
  },
});
const post = async (path: string, body: unknown, status = 200, method = 'POST') => {
  const answer = await send('admin', method, path, body);
  expect(answer.status, answer.text).toBe(status);
  return answer.json as { message: string; data: Record<string, unknown> };
};
const ticketTask = (name: string, incoming: Record<string, unknown>, app = 'Tickets') =>
  inventoryTask(name, incoming, { result: '$var.job.result', ticket: '$var.job.ticket' }, app);
const errorsOf = (workflow: unknown) =>
  ((workflow as { errors?: TaskWarning[] }).errors ?? []).map(({ task, message }) => `${task} ${message}`);

beforeAll(async () => {
  await post(PATH, file('Tickets'));
});

test('a catalogue is stored, listed and read with its tasks; a faulty file is rejected with its issues', async () => {
  const { results } = (await send('apiread', 'GET', PATH)).json as { results: object[] };
  expect(results).toContainEqual(expect.objectContaining({ type: 'Tickets', taskCount: 2, origin: 'file' }));
  const read = (await send('apiread', 'GET', `${PATH}/Tickets`)).json as { tasks: { name: string }[] };
  expect(read.tasks.map(({ name }) => name)).toEqual(['getTicket', 'closeTicket']);
  const broken = await send('admin', 'POST', PATH, file('', { methods: [{ name: 'a b' }, {}] }));
  expect(broken.status).toBe(400);
  expect((broken.json as { issues: { path: string[] }[] }).issues.map(({ path }) => path.join('.'))).toEqual([
    'catalogue.export',
    'catalogue.methods.0.name',
    'catalogue.methods.1.name',
  ]);
  expect((await send('designer', 'POST', PATH, file('Other'))).status).toBe(403);
});

test('a name belongs to one provider: an application, a model, a face or a catalogue', async () => {
  await post(PATH, file('Tickets'), 409);
  expect((await post(PATH, file('workflowengine'), 409)).message).toContain('application of this platform');
  const document = inventoryDocument();
  await post('/integration-models', { model: document });
  await post(PATH, file('Rack Inventory:2.1'), 409);
  await post(PATH, file('Later:1'));
  const later = { ...document, info: { title: 'Later', version: '1' } };
  expect((await post('/integration-models', { model: later }, 409)).message).toContain('a catalogue');
  const face = { type: 'Rack Inventory:2.1' };
  await post('/integrations', inventoryIntegration(web.port, { face }, 'own-face'), 409);
  await post('/integrations', inventoryIntegration(web.port, { face: { type: 'Racks' } }, 'racks'));
  const other = { ...document, info: { title: 'Other', version: '1' } };
  await post('/integration-models', { model: other });
  const integration = inventoryIntegration(web.port, { face: { type: 'Racks' } }, 'others');
  integration.properties.properties.type = 'Other:1';
  expect((await post('/integrations', integration, 409)).message).toContain('the face of an integration');
  expect((await send('admin', 'GET', '/integrations/others')).status).toBe(404);
});

test('workflows with tasks of a catalogue are checked and started before anything is connected', async () => {
  const stored = await store({
    ...workflowOf('Tickets unconnected', {
      a1: ticketTask('getTicket', { number: '$var.job.number', adapter_id: '$var.job.adapterId' }),
    }),
  });
  expect(errorsOf(stored)).toEqual([]);
  expect(stored.inputSchema).toMatchObject({ properties: { number: { type: 'string' } } });
  const lacking = await store(
    workflowOf('Tickets wrong', {
      a1: ticketTask('getTicket', { adapter_id: '$var.job.adapterId' }),
      b2: ticketTask('openTicket', { adapter_id: '$var.job.adapterId' }),
    }),
  );
  expect(errorsOf(lacking)).toEqual([
    'a1 variables.incoming.number: must be set',
    'b2 name: task openTicket of Tickets does not exist',
  ]);
  const { _id } = await start('Tickets unconnected', { number: '1', adapterId: 'none' });
  expect((await comes(_id, 'error')).error?.[0]?.message).toBe(
    'adapter Tickets has no connection here: adapter none does not exist',
  );
});

test('an adapter of the type answers by stubs, which the job says, or by REST', async () => {
  const stub = {
    getTicket: { outgoing: { ticket: { number: '7' } }, delay: 1 },
    closeTicket: { finish: 'error', outgoing: { error: { message: 'closed before', icode: 'AD.500' } } },
  };
  const adapter = (name: string, properties: object) => ({
    properties: {
      name,
      type: 'Adapter',
      model: '@vendor/adapter-tickets',
      properties: { id: name, type: 'Tickets', brokers: [], groups: [], properties },
    },
  });
  await post('/adapters', adapter('stubbed', { stub }));
  await store(
    workflowOf('Ticket', { a1: ticketTask('getTicket', { number: '7', adapter_id: '$var.job.adapterId' }) }),
  );
  const job = await comes((await start('Ticket', { adapterId: 'stubbed' }))._id, 'complete');
  expect(job.variables).toMatchObject({ ticket: { number: '7' } });
  expect(job.tasks.a1).toMatchObject({ stubbed: true });
  await store(workflowOf('Close', { a1: ticketTask('closeTicket', { number: '7', adapter_id: 'stubbed' }) }));
  const closed = await comes((await start('Close'))._id, 'error');
  expect(closed.tasks.a1).toMatchObject({ stubbed: true, finish_state: 'error' });
  expect(closed.error?.[0]?.message).toBe('closed before');

  await post('/adapters', adapter('plain', {}));
  const nothing = await comes((await start('Ticket', { adapterId: 'plain' }))._id, 'error');
  expect(nothing.error?.[0]?.message).toBe('adapter Tickets has no connection here');
  expect(nothing.tasks.a1).not.toHaveProperty('stubbed');

  const host = {
    protocol: 'http',
    host: '127.0.0.1',
    port: web.port,
    base_path: '/tickets',
    tls: { enabled: false },
  };
  await post('/adapters', adapter('connected', { provider: 'rest', ...host }));
  await comes((await start('Ticket', { adapterId: 'connected' }))._id, 'complete');
  expect(web.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['POST', '/tickets/getTicket', '{"number":"7"}'],
  ]);
  // The adapter that workflows called before there was a catalogue.
  const rest = adapter('Tickets', host);
  rest.properties.model = '@vendor/adapter-rest';
  rest.properties.properties.type = 'Rest';
  await post('/adapters', rest);
  for (const name of ['stubbed', 'plain', 'connected'])
    await post(`/adapters/${name}/stop`, undefined, 200, 'PUT');
  await comes((await start('Ticket', { adapterId: '' }))._id, 'complete');
  expect(web.seen).toHaveLength(2);
  await post('/adapters/Tickets', undefined, 200, 'DELETE');
  const rejected = await send(
    'admin',
    'POST',
    '/adapters',
    adapter('wrong', { provider: 'none', stub: { getTicket: { finish: 'never' } } }),
  );
  expect(rejected.status).toBe(400);
  expect(rejected.text).toContain('properties.properties.properties.stub.getTicket.finish');
  await post(`${PATH}/Tickets`, undefined, 409, 'DELETE');
});

test('tasks are learned from workflows that use them, and completed by further ones', async () => {
  const cloud = (name: string, incoming: Record<string, unknown>) =>
    inventoryTask(name, { ...incoming, adapter_id: '$var.job.adapterId' }, { result: null }, 'Cloud');
  const first = await store(workflowOf('Cloud one', { a1: cloud('runInstances', { count: 2, tags: '' }) }));
  expect(errorsOf(first)).toEqual([
    'a1 name: adapter Cloud does not exist here, so that its task runInstances cannot run',
  ]);
  await post(`${PATH}/learn`, { type: 'Nobody' }, 400);
  expect(await post(`${PATH}/learn`, { type: 'Cloud', workflows: ['Cloud one'] })).toMatchObject({
    data: { taskCount: 1, origin: 'workflows' },
  });
  await store(
    workflowOf('Cloud two', { a1: cloud('runInstances', { tags: ['a'] }), b2: cloud('stopInstances', {}) }),
  );
  expect(await post(`${PATH}/learn`, { type: 'Cloud' })).toMatchObject({ data: { taskCount: 2 } });
  const read = (await send('admin', 'GET', `${PATH}/Cloud`)).json as {
    tasks: { name: string; inputs: { name: string; type: string; required: boolean }[] }[];
  };
  expect(
    read.tasks.map(({ name, inputs }) => [name, inputs.map((one) => [one.name, one.type, one.required])]),
  ).toEqual([
    [
      'runInstances',
      [
        ['count', 'number', false],
        ['tags', 'array', false],
      ],
    ],
    ['stopInstances', []],
  ]);
  const again = await send('admin', 'GET', '/automation-studio/workflows/detailed/Cloud%20one');
  expect(errorsOf(again.json)).toEqual([]);
  await post(`${PATH}/learn`, { type: 'Tickets' }, 409);
  await post(`${PATH}/Cloud`, undefined, 200, 'DELETE');
  expect((await send('admin', 'GET', `${PATH}/Cloud`)).status).toBe(404);
});
