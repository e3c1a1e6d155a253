import { expect, test } from 'vitest';
import { openService } from '../helpers/service.ts';

const service = await openService({ BODY_LIMIT_MIB: '1' });

type Refusal = { error: { message: string; data: Record<string, unknown> } };
const NOTHING = `input=${encodeURIComponent('{}')}`;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const call = (method: string, path: string, raw?: string, headers: Record<string, string> = JSON_TYPE) =>
  service.send(null, method, path, undefined, { headers, ...(raw !== undefined && { raw }) });

/** The one error shape in tRPC's envelope; of a batch, its first. */
function refusalIn(json: unknown): Refusal['error'] {
  const [first] = [json].flat() as Refusal[];
  if (!first?.error) throw new Error(`${JSON.stringify(json)} is no refusal`);
  return first.error;
}

test('a query answers with its value', async () => {
  const answer = await call('GET', `/trpc/health.getStatus?${NOTHING}`);
  expect(answer.status).toBe(200);
  expect(answer.json).toMatchObject({ result: { data: { apps: 'running' } } });
  expect(answer.headers).toMatchObject({
    'x-request-id': expect.any(String),
    'x-content-type-options': 'nosniff',
  });
});

test('a query may be posted, for input that is too long for a URL', async () => {
  expect((await call('POST', '/trpc/health.getStatus', '{}')).status).toBe(200);
});

const names = (count: number) => new Array(count).fill('health.getVersion').join(',');
const adminCall = (path: string) => service.send('admin', 'GET', path);
const inputs = (count: number) =>
  encodeURIComponent(JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [at, {}]))));

test('a batch holds at most 20 calls', async () => {
  const most = await adminCall(`/trpc/${names(20)}?batch=1&input=${inputs(20)}`);
  expect(most.status).toBe(200);
  expect(most.json).toHaveLength(20);
  const over = await adminCall(`/trpc/${names(21)}?batch=1&input=${inputs(21)}`);
  expect(over.status).toBe(400);
  expect(refusalIn(over.json).data).toMatchObject({ code: 'BAD_REQUEST', httpStatus: 400 });
});

test.each([
  ['with itself', 'health.getStatus,health.getStatus'],
  ['with one that needs a credential', 'health.getVersion,session.signIn'],
  ['percent-encoded', 'health.getVersion%2Chealth%2EgetStatus'],
])('a batch with a public procedure %s is rejected before its body is read', async (_, path) => {
  for (const method of ['GET', 'POST']) {
    const answer = await call(method, `/trpc/${path}?batch=1`, method === 'POST' ? '{"0":' : undefined);
    expect(answer.status).toBe(400);
    expect(refusalIn(answer.json).message).toContain('cannot be part of a batch');
  }
});

test('the smallest limit of its procedures is the limit of a batch', async () => {
  const raw = `{"0":{}${' '.repeat(1024 * 1024)}}`;
  const importAlone = await service.send(
    'admin',
    'POST',
    '/trpc/configurationManager.importBackups',
    undefined,
    { raw },
  );
  expect(importAlone.status).toBe(400);
  const both = await service.send(
    'admin',
    'POST',
    '/trpc/configurationManager.importBackups,configurationManager.createTree?batch=1',
    undefined,
    { raw },
  );
  expect(both.status).toBe(413);
});

test('one rejected call of a batch does not take the others along', async () => {
  const answer = await service.send(
    'other',
    'GET',
    `/trpc/health.getVersion,nope,health.getMetrics?batch=1&input=${inputs(3)}`,
  );
  expect(answer.status).toBe(207);
  const [first, second, third] = answer.json as [object, Refusal, Refusal];
  expect(first).toHaveProperty('result');
  expect(second.error.data).toMatchObject({ code: 'NOT_FOUND' });
  expect(third.error.data).toMatchObject({ code: 'FORBIDDEN' });
});

const over = 'x'.repeat(1024 * 1024 + 1);

test.each([
  ['an unknown procedure', 'GET', '/trpc/nope', undefined, 404, 'NOT_FOUND'],
  ['an area, which is no procedure', 'GET', '/trpc/health', undefined, 404, 'NOT_FOUND'],
  ['no procedure at all', 'GET', '/trpc/', undefined, 404, 'NOT_FOUND'],
  ['a name that every object has', 'GET', '/trpc/__proto__', undefined, 404, 'NOT_FOUND'],
  ['a method of every object', 'POST', '/trpc/health.constructor', '{}', 404, 'NOT_FOUND'],
  ['NUL as a name', 'GET', '/trpc/%00', undefined, 404, 'NOT_FOUND'],
  ['a path that decodes to nothing', 'GET', '/trpc/%E0%A4%A', undefined, 400, 'BAD_REQUEST'],
  ['a write by GET', 'GET', `/trpc/session.signIn?${NOTHING}`, undefined, 405, 'METHOD_NOT_SUPPORTED'],
  ['PUT', 'PUT', '/trpc/session.signIn', '{}', 405, 'METHOD_NOT_SUPPORTED'],
  ['DELETE', 'DELETE', '/trpc/session.signIn', undefined, 405, 'METHOD_NOT_SUPPORTED'],
  ['broken JSON in a body', 'POST', '/trpc/session.signIn', '{"username":', 400, 'PARSE_ERROR'],
  ['broken JSON in a query', 'GET', '/trpc/health.getStatus?input={"a', undefined, 400, 'PARSE_ERROR'],
  [
    'a query that decodes to nothing',
    'GET',
    '/trpc/health.getStatus?input=%E0%A4',
    undefined,
    400,
    'PARSE_ERROR',
  ],
  ['no input', 'GET', '/trpc/health.getStatus', undefined, 400, 'BAD_REQUEST'],
  ['input that is no object', 'POST', '/trpc/session.signIn', '[1]', 400, 'BAD_REQUEST'],
  ['a batch whose input is no object', 'POST', '/trpc/session.signIn?batch=1', '7', 400, 'BAD_REQUEST'],
  ['a batch whose input is null', 'POST', '/trpc/session.signIn?batch=1', 'null', 400, 'BAD_REQUEST'],
  ['a polluting name', 'POST', '/trpc/session.signIn', '{"__proto__":{"a":1}}', 400, 'BAD_REQUEST'],
  ['NUL in a text', 'POST', '/trpc/session.signIn', '{"username":"\\u0000"}', 400, 'BAD_REQUEST'],
  [
    'broken connection parameters',
    'GET',
    '/trpc/health.getStatus?connectionParams={',
    undefined,
    400,
    'PARSE_ERROR',
  ],
  ['a body over the limit', 'POST', '/trpc/session.signIn', over, 413, 'PAYLOAD_TOO_LARGE'],
] as const)('%s is rejected in the common error shape', async (_, method, path, raw, status, code) => {
  const answer = await call(method, path, raw);
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.headers['x-request-id']).toBeDefined();
  const { message, data } = refusalIn(answer.json);
  expect(data).toMatchObject({ code, httpStatus: status, requestId: answer.headers['x-request-id'] });
  expect(message.length).toBeGreaterThan(5);
  expect(JSON.stringify(answer.json)).not.toMatch(/stack|node_modules|\.ts:/);
});

test.each(['text/plain', 'application/octet-stream', 'multipart/form-data; boundary=x', 'application/jsonp'])(
  'a body of type %s is rejected before it is read',
  async (type) => {
    const answer = await call('POST', '/trpc/session.signIn', '{}', { 'Content-Type': type });
    expect(answer.status).toBe(415);
    expect(refusalIn(answer.json).data).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
  },
);

test('a body without a length is rejected, because its size is unknown', async () => {
  const unending = { body: new Blob(['{}']).stream(), duplex: 'half' } as const;
  const answer = await fetch(`${service.url}/trpc/session.signIn`, {
    method: 'POST',
    headers: JSON_TYPE,
    ...unending,
  });
  expect(answer.status).toBe(413);
  expect(refusalIn(await answer.json()).data).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
});

test('a method that no procedure has is answered with the allowed ones', async () => {
  expect((await call('PATCH', '/trpc/session.signIn', '{}')).headers.allow).toBe('GET, HEAD, POST, OPTIONS');
  for (const method of ['OPTIONS', 'HEAD']) {
    const requested = await call(method, '/trpc/session.signIn');
    expect(requested.status).toBe(204);
    expect(requested.headers).toMatchObject({
      allow: 'GET, HEAD, POST, OPTIONS',
      'x-request-id': expect.any(String),
    });
  }
});

test('a caller without a session receives how to sign in', async () => {
  const answer = await call('GET', `/trpc/health.getVersion?${NOTHING}`);
  expect(answer.status).toBe(401);
  expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
});

test('the content of a malformed body is not repeated', async () => {
  const secret = 'correct-horse-battery';
  const answer = await call('POST', '/trpc/session.signIn', `{"password":"${secret}" oops`);
  expect(answer.status).toBe(400);
  expect(answer.text).not.toContain('horse');
});

test('every issue of an input is reported, with its property', async () => {
  const answer = await call('POST', '/trpc/session.signIn', '{"username":5,"colour":"red"}');
  expect(refusalIn(answer.json).data.issues).toEqual([
    { path: ['username'], message: expect.any(String), code: 'invalid_type' },
    { path: ['colour'], message: expect.any(String), code: 'unrecognized_keys' },
  ]);
});

test('no request of this file is logged as a fault', () => {
  const lines = service.logged.map(
    (line) => JSON.parse(line) as { level: string; msg: string; status?: number },
  );
  expect(lines.filter(({ msg, status = 0 }) => msg === 'internal error' || status >= 500)).toEqual([]);
});
