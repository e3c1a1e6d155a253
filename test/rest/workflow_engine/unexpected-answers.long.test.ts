import { beforeAll, beforeEach, expect, test } from 'vitest';
import { openWebService } from '../../helpers/devices/web-service.ts';
import { documentOf, integrationOf, serverAt, storeModel } from '../../helpers/integrations/integrations.ts';
import { openJobs } from '../../helpers/jobs/running-jobs.ts';
import { task, workflowOf } from '../../helpers/workflows.ts';

/** How the other system answers: what it sends, and how many bytes more it announces. */
type Reply = { status?: number; type: string; body: string; missing?: number };

const SECRET = 'Lantern-on-the-quay-41';
const BASIC = Buffer.from(`svc:${SECRET}`).toString('base64');
const device = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
};
const json = (schema: object) => ({
  200: { description: 'Found', content: { 'application/json': { schema } } },
});
const document = documentOf(
  'Liar',
  {
    '/devices/{id}': {
      get: {
        operationId: 'getDevice',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: json(device),
      },
    },
    '/page': {
      get: {
        operationId: 'getPage',
        responses: { 200: { description: 'A page', content: { 'text/html': {} } } },
      },
    },
    '/any': { get: { operationId: 'getAny', responses: { 200: { description: 'Anything' } } } },
  },
  {
    components: { securitySchemes: { login: { type: 'http', scheme: 'basic' } } },
    security: [{ login: [] }],
  },
);

const service = await openJobs();
const { send, store, start, comes } = service;
let reply: Reply = { type: 'application/json', body: '{}' };
const web = await openWebService((_, response) => {
  const { status = 200, type, body, missing = 0 } = reply;
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) + missing });
  response.write(body);
  if (missing > 0) setTimeout(() => response.destroy(), 50);
  else response.end();
});

beforeAll(async () => {
  await storeModel(service, document);
  const authentication = { login: { username: 'svc', password: SECRET } };
  const connection = { ...serverAt(web.port, 'http'), authentication, face: { type: 'Devices' } };
  for (const [name, more] of Object.entries({ plain: {}, strict: { validate: 'strict' } })) {
    const made = await send(
      'admin',
      'POST',
      '/integrations',
      integrationOf(name, 'Liar:1', { ...connection, ...more }),
    );
    expect(made.status, made.text).toBe(200);
  }
});
beforeEach(() => {
  reply = { type: 'application/json', body: '{"id":1,"name":"edge-1"}' };
});

const PAGE = `<html><body>Sign in. You sent Basic ${BASIC} and ${SECRET}</body></html>`;
const call = (name: string, operation: string, values: object = { id: '1' }) =>
  send('admin', 'POST', `/${name}/${operation}`, values);

test.each([
  [
    'a page for browsers',
    { type: 'text/html; charset=utf-8', body: PAGE },
    'getDevice promises application/json for status 200, but the answer is text/html: <html><body>Sign in. You sent Basic ******** and ********</body></html>',
  ],
  [
    'JSON that ends too early',
    { type: 'application/json', body: `{"id":1,"password":"${SECRET}","name":` },
    'the answer is application/json that cannot be parsed: {"id":1,"password":"********","name":',
  ],
])(
  '%s instead of the promised JSON is an error that shows both without secrets',
  async (_, given, message) => {
    reply = given;
    const answer = await call('plain', 'getDevice');
    expect(answer.status, answer.text).toBe(502);
    expect(answer.json).toMatchObject({
      message: expect.stringContaining(message),
      ...{ reason: 'UNEXPECTED_ANSWER', host: '127.0.0.1', stage: 'request', retryable: false, status: 200 },
      ...{ promised: ['application/json'], received: { contentType: given.type } },
    });
    expect(answer.text).not.toContain(SECRET);
    expect(answer.text).not.toContain(BASIC);
  },
);

test('an answer that breaks off before its announced length is an error and no half of a value', async () => {
  reply = { type: 'application/json', body: '{"id":1', missing: 20 };
  const answer = await call('plain', 'getDevice');
  expect(answer).toMatchObject({
    status: 502,
    json: { reason: expect.stringMatching(/BROKEN|CLOSED|RESET/) },
  });
});

test.each([
  ['a wrong type', '{"id":"one","name":"edge-1"}', 'body.id'],
  ['a missing field', '{"id":1}', 'body.name'],
  ['another value', '[1]', 'body'],
])(
  '%s in an answer is an error where the connection is strict, and passes where it is not',
  async (_, body, place) => {
    reply = { type: 'application/json', body };
    const strict = await call('strict', 'getDevice');
    expect(strict.status, strict.text).toBe(502);
    expect(strict.json).toMatchObject({
      message: expect.stringContaining(`does not meet its schema (${place}`),
      reason: 'UNEXPECTED_ANSWER',
      received: { beginning: body },
      issues: [{ path: ['response', ...place.split('.')] }],
    });
    expect(await call('plain', 'getDevice')).toMatchObject({ status: 200, json: { body: JSON.parse(body) } });
    reply = { type: 'application/json', body: '{"id":1,"name":"edge-1"}' };
    expect((await call('strict', 'getDevice')).status).toBe(200);
  },
);

test.each([
  [
    'an error as a page',
    'getDevice',
    { status: 500, type: 'text/html', body: '<h1>Down</h1>' },
    '<h1>Down</h1>',
  ],
  ['a text', 'getDevice', { type: 'text/plain', body: 'done' }, 'done'],
  ['a page that is promised', 'getPage', { type: 'text/html', body: '<h1>Up</h1>' }, '<h1>Up</h1>'],
  ['a page where nothing is promised', 'getAny', { type: 'text/html', body: '<h1>Up</h1>' }, '<h1>Up</h1>'],
  ['no body', 'getDevice', { status: 200, type: 'application/json', body: '' }, null],
])('%s is returned as the answer', async (_, operation, given, body) => {
  reply = given;
  const answer = await call('plain', operation, operation === 'getDevice' ? { id: '1' } : {});
  expect(answer.status, answer.text).toBe(200);
  expect(answer.json).toMatchObject({ ok: (given as Reply).status !== 500, body });
});

test('a test of the connection, a task and a task under the name of an adapter show the answer', async () => {
  reply = { type: 'text/html', body: PAGE };
  const tried = await send('admin', 'POST', '/integrations/plain/test', {
    task: 'getDevice',
    values: { id: '1' },
  });
  expect(tried.json).toMatchObject({
    ok: false,
    status: 200,
    detail: expect.stringContaining('the answer is text/html: <html>'),
  });
  const about = (app: string) => ({
    app,
    locationType: app,
    location: 'Adapter',
    type: 'automatic' as const,
  });
  const error = { error: expect.stringContaining('the answer is text/html') };
  for (const [type, name] of [
    ['Liar:1', 'getDevice'],
    ['Devices', 'getDevicesId'],
  ] as const) {
    const incoming = { id: '1', adapter_id: 'plain' };
    await store(workflowOf(`Ask ${type}`, { a1: task(name, incoming, {}, about(type)) }));
    const job = await comes((await start(`Ask ${type}`))._id, 'error');
    expect(job.error?.[0]?.message).toEqual(error.error);
    const { outgoing } = job.tasks.a1?.variables ?? {};
    expect(outgoing?.error).toMatchObject({ reason: 'UNEXPECTED_ANSWER', promised: ['application/json'] });
    expect(JSON.stringify(job)).not.toContain(SECRET);
    expect(JSON.stringify(job)).not.toContain(BASIC);
  }
});
