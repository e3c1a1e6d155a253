import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { closedPort, openOrchestrator, orchestratorAdapter } from '../../helpers/devices/orchestrator.ts';
import { openWebService } from '../../helpers/devices/web-service.ts';
import { done, worldOf } from '../../helpers/jobs/task-runs.ts';
import { openService } from '../../helpers/service.ts';
import { task, workflowOf } from '../../helpers/workflows.ts';

const service = await openService();
const orchestrator = await openOrchestrator();
const web = await openWebService(({ url, method, headers, body }, response) => {
  const say = (status: number, reported: unknown, type = 'application/json') =>
    response
      .writeHead(status, { 'Content-Type': type })
      .end(typeof reported === 'string' ? reported : JSON.stringify(reported));
  if (url.startsWith('/slow')) return;
  if (url.startsWith('/long')) return say(200, 'x'.repeat(9 * 1024 * 1024), 'text/plain');
  if (url.startsWith('/text')) return say(200, 'plain', 'text/plain');
  if (url.startsWith('/nul')) return say(200, '"\\u0000"');
  if (url.startsWith('/away')) return void response.writeHead(302, { Location: 'http://example.net/' }).end();
  if (url.startsWith('/gone')) return say(404, { message: '404 File Not Found' });
  if (url.startsWith('/broken')) return void response.destroy();
  say(200, { url, method, type: headers['content-type'] ?? null, key: headers['idempotency-key'], body });
});
const listed = await service.send('admin', 'PUT', '/outgoing/targets', { targets: [{ host: '127.0.0.1' }] });
expect(listed.status, listed.text).toBe(200);
const { caller } = await service.callerWith('admin');
const world = worldOf(service, caller.id);
const add = async (adapter: { name: string }) => {
  const answer = await service.send('admin', 'POST', '/adapters', { properties: adapter });
  expect(answer.status, answer.text).toBe(200);
};
const restAdapter = (name: string, connection: Record<string, unknown> = {}) => {
  const adapter = orchestratorAdapter(name, web.port, { base_path: '/api', ...connection });
  return { ...adapter, model: '@vendor/adapter-rest', properties: { ...adapter.properties, type: 'Rest' } };
};
await add(orchestratorAdapter('main', orchestrator.port, { default: true }));
await add(orchestratorAdapter('dead', await closedPort()));
await add(restAdapter('Gitlab'));
await add(restAdapter('tracker', { authentication: { auth_method: 'token', token: 'Secret-Token-1' } }));

beforeEach(() => {
  orchestrator.behave();
  web.seen.length = 0;
});

const call = (incoming: Record<string, unknown>, more = {}) =>
  done(
    'WorkFlowEngine',
    'restCall',
    { method: 'GET', url: `${web.url}/a`, ...incoming },
    { ...world, ...more },
  );

test('a web service is called with the key of the attempt, and its answer is given', async () => {
  const { finish, outgoing } = await call({
    method: 'post',
    url: `${web.url}/a?b=1`,
    query: { c: ['x y', 2], none: null },
    headers: { 'X-Site': 'oslo', 'idempotency-key': 'mine' },
    body: { name: 'edge-1' },
  });
  expect(finish).toBe('success');
  expect(outgoing.response).toMatchObject({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: {
      url: '/a?b=1&c=x+y&c=2',
      method: 'POST',
      type: 'application/json',
      key: '65f0c1d2e3a4b5c6d7e8f901/a1/1/1',
      body: '{"name":"edge-1"}',
    },
  });
  expect(web.seen[0]?.headers['x-site']).toBe('oslo');
  expect((await call({ url: `${web.url}/text` })).outgoing.response).toMatchObject({ body: 'plain' });
  expect((await call({ method: 'PUT', body: 'as it is' })).outgoing.response).toMatchObject({
    body: { type: 'text/plain; charset=utf-8', body: 'as it is' },
  });
  expect((await call({ body: { ignored: true } })).outgoing.response).toMatchObject({ body: { body: '' } });
});

test('an error status is an error that carries the answer; a redirect is not followed', async () => {
  expect(await call({ url: `${web.url}/gone` })).toMatchObject({
    finish: 'error',
    outgoing: { response: { status: 404 } },
    error: {
      message: 'GET responded with status 404',
      status: 404,
      response: { message: '404 File Not Found' },
    },
  });
  expect((await call({ url: `${web.url}/away` })).outgoing.response).toMatchObject({
    status: 302,
    body: null,
  });
  expect(web.seen).toHaveLength(2);
});

test.each([
  [{ url: 'no url' }, 'url: must be a URL'],
  [{ url: undefined }, 'url is missing'],
  [{ url: 'file:///etc/passwd' }, 'url: must begin with http:// or https://'],
  [{ url: 'http://me:secret@example.net/' }, 'url: must not contain a credential'],
  [{ method: 'TRACE' }, 'method must be one of GET, HEAD'],
  [{ method: null }, 'method must be one of'],
  [{ headers: { Host: 'other' } }, 'headers.Host is not a header that a request may set'],
  [{ headers: { 'X-A': 'a\r\nX-B: b' } }, 'headers.X-A has characters that a header cannot contain'],
  [{ headers: 'X' }, 'headers must be an object, but is a string'],
  [{ query: [1] }, 'query must be an object, but is a list'],
  [{ url: 'http://169.254.169.254/latest' }, 'is an address of a metadata service'],
  [{ url: 'http://[fd00:ec2::254]/latest' }, 'is an address of a metadata service'],
  [{ url: `${web.url}/long` }, 'the response is longer than 8 MiB'],
  [{ url: `${web.url}/nul` }, 'contains a NUL character'],
  [{ url: `${web.url}/broken` }, 'the connection was lost'],
])('a call that cannot be made ends in error: %#', async (incoming, message) => {
  const { finish, error } = await call(incoming);
  expect(finish).toBe('error');
  expect(error?.message).toContain(message);
});

test('near targets are rejected unless they are allowed, whatever name leads there', async () => {
  const careful = await openService({ ALLOW_PRIVATE_TARGETS: '0' });
  const account = (await careful.callerWith('admin')).caller.id;
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433', '0x7f.1']) {
    const incoming = { method: 'GET', url: `http://${host}:${web.port}/` };
    const { error } = await done('WorkFlowEngine', 'restCall', incoming, worldOf(careful, account));
    expect(error?.reason, host).toBe('TARGET_DENIED');
  }
  expect(web.seen).toEqual([]);
});

test('a call is cancelled when its caller has gone', async () => {
  const controller = new AbortController();
  const called = call({ url: `${web.url}/slow` }, { signal: controller.signal });
  while (web.seen.length === 0) await sleep(5);
  controller.abort();
  expect(await called).toMatchObject({ finish: 'error', error: { reason: 'CANCELED' } });
});

test('an operation of an adapter is a request to its service, with the values as its body', async () => {
  const { finish, outgoing } = await done('Gitlab', 'getV4ProjectsId', { id: 7, adapter_id: '' }, world);
  expect(finish).toBe('success');
  expect(outgoing.result).toMatchObject({
    status: 200,
    response: { url: '/api/getV4ProjectsId', method: 'POST', body: '{"id":7}', key: world.key },
  });
  expect(web.seen[0]?.headers.authorization).toMatch(/^Basic /);
  await done('Jira', 'postIssue', { adapter_id: 'tracker' }, world);
  expect(web.seen[1]?.headers.authorization).toBe('Bearer Secret-Token-1');
});

test('any request goes through an adapter, but stays below its base path', async () => {
  const any = (values: Record<string, unknown>) =>
    done('Gitlab', 'genericAdapterRequest', { uriPath: '/v4/projects', restMethod: 'GET', ...values }, world);
  const { outgoing } = await any({
    queryData: { per_page: 5 },
    requestBody: {},
    addlHeaders: { 'X-A': 'b' },
  });
  expect(outgoing.result).toMatchObject({
    response: { url: '/api/v4/projects?per_page=5', method: 'GET', body: '' },
  });
  for (const uriPath of [
    '/../admin',
    '/a/..',
    '/%2e%2e/admin',
    '/a/.%2E%2fb',
    'http://example.net',
    '/a b',
    '/a\\b',
    '',
  ]) {
    expect((await any({ uriPath })).error?.message, uriPath).toMatch(/^uriPath must/);
  }
  expect(web.seen).toHaveLength(1);
});

test.each([
  ['Unknown', {}, 'Adapter Unknown does not exist'],
  ['Unknown', { adapter_id: 'main' }, 'main is an adapter of the model Orchestrator, not Rest'],
])('an operation without its adapter ends in error: %s %j', async (app, incoming, message) => {
  const { finish, error } = await done(app, 'any', incoming, world);
  expect(finish).toBe('error');
  expect(error?.message).toContain(message);
});

test('an error of an adapter is reported in the adapter’s words, and holds no secret', async () => {
  const outcome = await done(
    'Gitlab',
    'genericAdapterRequest',
    { uriPath: '/x', restMethod: 'GET', adapter_id: 'lost' },
    world,
  );
  expect(outcome.error?.message).toContain('Adapter lost does not exist');
  await add(restAdapter('gone', { base_path: '/gone' }));
  const rejected = await done('gone', 'read', {}, world);
  expect(rejected.error).toMatchObject({
    message: 'gone responded with status 404',
    IAPerror: {
      displayString: 'gone responded with status 404',
      code: 404,
      raw_response: { response: '{"message":"404 File Not Found"}' },
    },
  });
  expect(JSON.stringify(rejected)).not.toContain('Orch-Secret-7');
});

test('the validator knows the adapters whose operations can be called', async () => {
  const operation = (app: string, incoming: Record<string, unknown>) =>
    task('getV4ProjectsId', incoming, {}, { app, location: 'Adapter', locationType: app });
  const workflow = workflowOf('Projects', {
    a1: operation('Gitlab', {}),
    a2: operation('Jira', { adapter_id: 'tracker' }),
    a3: operation('Jira', { adapter_id: '$var.job.adapterId' }),
    a4: operation('Jira', {}),
    a5: operation('Jira', { adapter_id: 'lost' }),
  });
  const answer = await service.send('admin', 'POST', '/automation-studio/workflows/validate', { workflow });
  const { errors } = answer.json as { errors: { task: string; message: string }[] };
  expect(errors.map((one) => [one.task, one.message])).toEqual([
    ['a4', 'name: adapter Jira does not exist here, so that its task getV4ProjectsId cannot run'],
    ['a5', 'name: adapter Jira does not exist here, so that its task getV4ProjectsId cannot run'],
  ]);
});

const ask = (name: string, incoming: Record<string, unknown>, app = 'OrchestratorManager') =>
  done(app, name, incoming, world);

test('an orchestrator answers queries, runs actions and validates a commit', async () => {
  const path = '/restconf/data/tailf-ncs:devices/device=ce1';
  const read = await ask('restQuery', { adapterId: 'main', params: { path } });
  expect(read).toMatchObject({ finish: 'success', outgoing: { instance_data: expect.anything() } });
  const params = { path: '/restconf/data/vpn:vpn=blue', method: 'PATCH', accept: null, contentType: '' };
  const acted = await ask('restAction', { adapterId: 'main', params, body: { 'vpn:vpn': [] } }, 'NSOManager');
  expect(acted).toMatchObject({ finish: 'success', outgoing: { result: [{ result: '204' }] } });
  const rejected = await ask('restAction', {
    adapterId: 'main',
    params: { path: '/restconf/data/none', method: 'GET' },
  });
  expect(rejected).toMatchObject({
    finish: 'error',
    outgoing: { result: [{ result: '404' }] },
    error: { status: 404 },
  });
  const tried = await ask('validateCommit', {
    servicePath: '/vpn:vpn',
    serviceData: { name: 'blue', vlan: 5000 },
  });
  expect(tried).toMatchObject({ finish: 'success', outgoing: { result: { isValid: false } } });
});

test.each([
  ['restQuery', { params: { path: '/restconf' } }, 'adapterId is missing'],
  ['restQuery', { adapterId: 'main' }, 'params is missing'],
  ['restQuery', { adapterId: 'main', params: {} }, 'params.path is missing'],
  ['restQuery', { adapterId: 'main', params: { path: 5 } }, 'params.path must be a string'],
  ['restQuery', { adapterId: 'main', params: { path: '/elsewhere' } }, 'must begin with /restconf or /api'],
  ['restQuery', { adapterId: 'none', params: { path: '/restconf/data' } }, 'Adapter none does not exist'],
  [
    'restAction',
    { adapterId: 'dead', params: { path: '/restconf/data' } },
    'the host refuses the connection',
  ],
  [
    'validateCommit',
    { servicePath: '/vpn:vpn', serviceData: 'x' },
    'serviceData must be an object, but is a string',
  ],
])('%s of an invalid request ends in error: %#', async (name, incoming, message) => {
  const { finish, error } = await ask(name, incoming);
  expect(finish).toBe('error');
  expect(error?.message).toContain(message);
});

test('a template is filled or read by, as far as the account of the job may see it', async () => {
  const make = (template: Record<string, unknown>) =>
    service.send('admin', 'POST', '/automation-studio/templates', {
      template: { group: 'Ports', command: '', description: '', data: '', ...template },
    });
  const made = await make({ name: 'Port', type: 'jinja2', template: 'interface {{ port | mandatory }}' });
  expect(made.status, made.text).toBe(200);
  await make({
    name: 'Version',
    type: 'textfsm',
    template: `Value VERSION (\\S+)\n\nStart\n  ^Version \${VERSION} -> Record\n`,
  });
  const template = (name: string, incoming: Record<string, unknown>, account: string = caller.id) =>
    done('TemplateBuilder', name, incoming, worldOf(service, account));
  expect(await template('renderJinjaTemplate', { name: 'Port', context: { port: 'Gi0/1' } })).toEqual({
    finish: 'success',
    outgoing: { renderedTemplate: 'interface Gi0/1' },
  });
  expect((await template('applyTemplate', { name: 'Port', variables: { port: 1 } })).outgoing.result).toBe(
    'interface 1',
  );
  expect(
    (await template('parseTemplate', { name: 'Version', text: 'Version 17.9\n' })).outgoing.records,
  ).toEqual([{ VERSION: '17.9' }]);
  expect((await template('renderJinjaTemplate', { name: 'Port' })).error?.message).toContain(
    'port is undefined',
  );
  expect((await template('renderJinjaTemplate', { name: 'None' })).error?.message).toContain(
    'Jinja template None does not exist',
  );
  expect((await template('renderJinjaTemplate', {})).error?.message).toBe('name is missing');
  expect((await template('renderJinjaTemplate', { name: 'Port', context: [1] })).error?.message).toBe(
    'context must be an object, but is a list',
  );
  const gone = await template(
    'renderJinjaTemplate',
    { name: 'Port', context: {} },
    '0123456789abcdef01234567',
  );
  expect(gone.error?.message).toContain('0123456789abcdef01234567, for which the job runs, does not exist');
});

test('the time is shown in a zone, a duration away, in a format', async () => {
  const now = () => new Date('2026-01-31T23:05:06.789Z');
  const time = async (incoming: Record<string, unknown>) => {
    const { outgoing, error } = await done('WorkFlowEngine', 'getTime', incoming, { ...world, now });
    return outgoing.time ?? error?.message;
  };
  expect(await time({})).toBe('2026-01-31T23:05:06.789Z');
  expect(await time({ timezone: '-04:00', offsetDuration: '', format: '' })).toBe(
    '2026-01-31T19:05:06.789-04:00',
  );
  expect(await time({ timezone: 'Europe/Oslo', format: 'YYYY-MM-DD HH:mm Z' })).toBe(
    '2026-02-01 00:05 +01:00',
  );
  expect(await time({ offsetDuration: { months: 1, days: -1 } })).toBe('2026-02-27T23:05:06.789Z');
  expect(await time({ offsetDuration: '-P7DT1H' })).toBe('2026-01-24T22:05:06.789Z');
  expect(await time({ offsetDuration: '{"hours": 1}' })).toBe('2026-02-01T00:05:06.789Z');
  expect(await time({ offsetDuration: -789 })).toBe('2026-01-31T23:05:06.000Z');
  expect(await time({ format: '['.repeat(2001) })).toBe('format must have at most 2000 characters');
  expect(await time({ format: 'dddd, MMMM Do YYYY, h:mm:ss A [at] SSS x' })).toBe(
    'Saturday, January 31st 2026, 11:05:06 PM at 789 1769900706789',
  );
  expect(await time({ timezone: 'Mars/Olympus' })).toContain('timezone must be an offset');
  expect(await time({ offsetDuration: 'soon' })).toContain('offsetDuration must be a duration');
  expect(await time({ offsetDuration: { lightyears: 1 } })).toContain(
    'offsetDuration.lightyears must be one of',
  );
  expect(await time({ offsetDuration: 1e300 })).toContain('longer than 10,000 years');
});
