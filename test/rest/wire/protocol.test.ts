import { expect, test } from 'vitest';
import { sendRaw } from '../../helpers/http/raw-http.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();

/** Sends one request and returns the status, the headers in lower case and the JSON body of the answer. */
async function answerTo(request: string) {
  const { port } = new URL(service.url);
  const text = await sendRaw(Number(port), [request], { complete: /\}$|\r\n0\r\n\r\n$/ });
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  const body = rest.join('\r\n\r\n');
  const from = body.indexOf('{');
  return {
    status: Number(first.split(' ')[1]),
    headers,
    json: from === -1 ? null : (JSON.parse(body.slice(from, body.lastIndexOf('}') + 1)) as object),
  };
}

test('a request of HTTP/1.0 needs no Host, so that health checks of load balancers succeed', async () => {
  const { status, json } = await answerTo('GET /health/live HTTP/1.0\r\n\r\n');
  expect(status).toBe(200);
  expect(json).toMatchObject({ status: 'ok' });
});

test.each([
  ['HTTP/1.1 without Host', 400, 'PARSE_ERROR', 'GET /health/live HTTP/1.1\r\n\r\n'],
  ['two Hosts', 400, 'PARSE_ERROR', 'GET /health/live HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n'],
  [
    'two credentials',
    400,
    'PARSE_ERROR',
    'GET /health/live HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nauthorization: Bearer b\r\n\r\n',
  ],
  ['a Host that is none', 400, 'PARSE_ERROR', 'GET /health/live HTTP/1.1\r\nHost: a b/c\r\n\r\n'],
  ['a target that is no path', 400, 'PARSE_ERROR', 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a backslash in the path', 400, 'PARSE_ERROR', 'GET /health\\live HTTP/1.1\r\nHost: a\r\n\r\n'],
  [
    'a query of over 16 KiB',
    431,
    'BAD_REQUEST',
    `GET /health/live?${'a'.repeat(17_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  ],
  [
    'another expectation',
    417,
    'BAD_REQUEST',
    'POST /login HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\nContent-Length: 2\r\n\r\n{}',
  ],
])(
  '%s is answered with the common error shape and the id of the request',
  async (_, status, code, request) => {
    const answer = await answerTo(request);
    expect(answer.status).toBe(status);
    expect(answer.json).toEqual({
      code,
      message: expect.any(String),
      requestId: answer.headers['x-request-id'],
      ...(status === 431 && { error: expect.objectContaining({ code: -32600 }) }),
    });
    expect(answer.headers['x-request-id']).toMatch(/^[\w-]+$/);
    expect(answer.headers['content-type']).toContain('application/json');
  },
);

test('a request whose connection fails before its body is read is over at once', async () => {
  const { token } = await service.callerWith('admin');
  const head = ['Host: a', `Authorization: Bearer ${token}`, 'Content-Type: application/json'];
  const { port } = new URL(service.url);
  const answer = await sendRaw(Number(port), [
    'POST /configuration_manager/compliance_reports/history HTTP/1.1\r\n',
    ...head.map((line) => `${line}\r\n`),
    'X-Request-Id: invalid-chunk\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nno length\r\n',
  ]);
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  const isLogged = () => service.logged.some((line) => line.includes('"requestId":"invalid-chunk"'));
  await expect.poll(isLogged, { timeout: 5000 }).toBe(true);
});

/** Sends a request of an admin with this text as its body, and headers beside those of JSON. */
const sendText = (method: string, path: string, raw: string, headers: Record<string, string> = {}) =>
  service.send('admin', method, path, undefined, { raw, headers });

test('a body that is null is none; what it must have is named', async () => {
  expect((await sendText('PUT', '/applications/Tags/restart', 'null')).status).toBe(200);
  const missing = await sendText('POST', '/mop/export', 'null');
  expect([missing.status, missing.text]).toEqual([400, expect.stringContaining('"path":["options"]')]);
  for (const body of ['[]', '""', '0', 'false']) {
    expect((await sendText('PUT', '/applications/Tags/restart', body)).status).toBe(400);
  }
});

test('a body whose coding is identity is read, in whatever case that is written', async () => {
  const body = '{"type":"templates","options":{"name":"none"}}';
  expect((await sendText('POST', '/mop/export', body, { 'content-encoding': 'Identity' })).status).toBe(404);
  expect((await sendText('POST', '/mop/export', body, { 'content-encoding': 'gzip' })).status).toBe(415);
});
