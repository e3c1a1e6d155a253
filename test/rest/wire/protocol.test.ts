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
  ['a Host that is none', 400, 'PARSE_ERROR', 'GET /health/live HTTP/1.1\r\nHost: a b/c\r\n\r\n'],
  ['a target that is no path', 400, 'PARSE_ERROR', 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a backslash in the path', 400, 'PARSE_ERROR', 'GET /health\\live HTTP/1.1\r\nHost: a\r\n\r\n'],
  [
    'another expectation',
    417,
    'BAD_REQUEST',
    'POST /login HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\nContent-Length: 2\r\n\r\n{}',
  ],
])('%s: the common error, with the id of the request', async (_, status, code, request) => {
  const answer = await answerTo(request);
  expect(answer.status).toBe(status);
  expect(answer.json).toEqual({
    code,
    message: expect.any(String),
    requestId: answer.headers['x-request-id'],
  });
  expect(answer.headers['x-request-id']).toMatch(/^[\w-]+$/);
  expect(answer.headers['content-type']).toContain('application/json');
});
