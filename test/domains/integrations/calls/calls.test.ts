import { brotliCompressSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { callOperation } from '#server/domains/integrations/index.ts';
import { closedPort } from '../../../helpers/devices/orchestrator.ts';
import { openWebService } from '../../../helpers/devices/web-service.ts';
import {
  documentOf,
  integrationOf,
  serverAt,
  storeModel,
} from '../../../helpers/integrations/integrations.ts';
import { isLong } from '../../../helpers/long.ts';
import { openService } from '../../../helpers/service.ts';

const service = await openService();
const MIB = 1024 * 1024;

/** How often each path was called, for answers that differ from call to call. */
const calls = new Map<string, number>();
let held = 0;
const other = await openWebService((_, response) => response.end('{}'));
const web = await openWebService(({ url, method, headers, body }, response) => {
  const path = url.split('?', 1)[0] ?? '';
  const made = (calls.get(path) ?? 0) + 1;
  calls.set(path, made);
  const json = (status: number, value: unknown, more: Record<string, string> = {}) =>
    response.writeHead(status, { 'Content-Type': 'application/json', ...more }).end(JSON.stringify(value));
  const page = Number(new URL(url, 'http://lab').searchParams.get('page') ?? 0);
  const routes: Record<string, () => unknown> = {
    '/none': () => response.writeHead(204).end(),
    '/text': () => response.writeHead(200, { 'Content-Type': 'text/plain' }).end('plain'),
    '/picture': () => response.writeHead(200, { 'Content-Type': 'image/png' }).end(Buffer.from([1, 2, 0])),
    '/gzip': () => gzip(response, 'gzip', gzipSync('{"packed":1}')),
    '/brotli': () => gzip(response, 'br', brotliCompressSync('{"packed":2}')),
    '/deflate': () => gzip(response, 'deflate', Buffer.from('x')),
    '/bomb': () => gzip(response, 'gzip', gzipSync(Buffer.alloc(30 * MIB))),
    '/deep': () =>
      response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(`${'['.repeat(201)}${']'.repeat(201)}`),
    // Pages of more and more values: each is accepted, and all of them together are too many.
    '/many': () => {
      const values = page === 0 ? 1_000_001 : 400_000 * page;
      json(200, Array(values).fill(0), { Link: `<${web.url}/many?page=${page + 1}>; rel="next"` });
    },
    '/large': () => json(200, 'x'.repeat(2 * MIB)),
    '/slow': () => undefined,
    '/hold': () => {
      held += 1;
      const most = held;
      setTimeout(() => {
        held -= 1;
        json(200, most);
      }, 100);
    },
    '/missing': () => json(404, { message: 'there is none' }),
    '/busy': () => (made < 3 ? json(429, {}, { 'Retry-After': '0' }) : json(200, { made })),
    '/later': () => json(503, {}, { 'Retry-After': '3600' }),
    '/flaky': () => (made < 3 ? json(502, {}) : json(200, { made })),
    '/reset': () => (made < 2 ? response.destroy() : json(200, { made })),
    '/moved': () => response.writeHead(302, { Location: '/text' }).end(),
    '/away': () => response.writeHead(302, { Location: `${other.url}/x` }).end(),
    '/circle': () => response.writeHead(302, { Location: '/circle' }).end(),
    '/linked': () =>
      json(200, [page], page < 2 ? { Link: `<${web.url}/linked?page=${page + 1}>; rel="next"` } : {}),
    '/foreign': () => json(200, [1], { Link: `<${other.url}/x>; rel="next"` }),
    '/endless': () => json(200, [1], { Link: '</endless>; rel=next' }),
    '/cursor': () => json(200, { results: [page], meta: { next: page < 2 ? page + 1 : null } }),
    '/repeating': () => {
      const next = new URL(url, web.url);
      next.searchParams.set('page', String(page + 1));
      json(200, { results: [page], asked: url, next: page < 2 ? next.href : null }, { 'X-Asked': url });
    },
    '/offset': () => {
      const start = Number(new URL(url, 'http://lab').searchParams.get('offset') ?? 0);
      json(200, { count: 5, results: [0, 1, 2, 3, 4].slice(start, start + 2) });
    },
  };
  const route = routes[path];
  if (route) route();
  else json(200, { url, method, headers, body });
});

function gzip(response: import('node:http').ServerResponse, coding: string, bytes: Buffer) {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': coding }).end(bytes);
}

const query = (...names: string[]) =>
  names.map((name) => ({ name, in: 'query', schema: { type: 'string' } }));
const read = (operationId: string) => ({
  get: { operationId, parameters: query('page', 'offset', 'limit') },
});
const paths = [
  'none',
  'text',
  'picture',
  'gzip',
  'brotli',
  'deflate',
  'bomb',
  'deep',
  'many',
  'large',
  'slow',
  'hold',
  'missing',
  'busy',
  'later',
  'flaky',
  'reset',
  'moved',
  'away',
  'circle',
  'linked',
  'foreign',
  'endless',
  'cursor',
  'repeating',
  'offset',
  'plain',
];
const operations = await storeModel(
  service,
  documentOf('Lab', {
    ...Object.fromEntries(paths.map((name) => [`/${name}`, read(name)])),
    '/busy': { ...read('busy'), post: { operationId: 'addBusy', requestBody: json() } },
    '/later': { ...read('later'), post: { operationId: 'addLater', requestBody: json() } },
    '/flaky': {
      ...read('flaky'),
      post: { operationId: 'addFlaky', requestBody: json() },
      put: { operationId: 'setFlaky', requestBody: json() },
    },
    '/reset': { ...read('reset'), post: { operationId: 'addReset', requestBody: json() } },
    '/slow': { ...read('slow'), post: { operationId: 'addSlow', requestBody: json() } },
  }),
);

const hosted = await storeModel(
  service,
  documentOf(
    'Hosted',
    {
      '/a': { get: { operationId: 'beta', servers: [{ url: 'https://hosted.example.net/beta/' }] } },
      '/b': { get: { operationId: 'root', servers: [{ url: 'http://hosted.example.net' }] } },
      '/c': { get: { operationId: 'elsewhere', servers: [{ url: 'https://hosted.example.net:8443/x' }] } },
    },
    { servers: [{ url: '//hosted.example.net/v1' }] },
  ),
);

function json() {
  return { content: { 'application/json': { schema: { type: 'object' } } } };
}

let made = 0;
/** Stores an integration of the lab and returns a function that calls its operations. */
const open = async (connection: object = {}) => {
  made += 1;
  const name = `lab${made}`;
  const sent = integrationOf(name, 'Lab:1', { ...serverAt(web.port), ...connection });
  const answer = await service.send('admin', 'POST', '/integrations', sent);
  expect(answer.status, answer.text).toBe(200);
  return (operation: string, values: object = {}, signal: AbortSignal = new AbortController().signal) => {
    const wanted = operations.get(operation);
    if (!wanted) throw new Error(`no operation ${operation}`);
    const context = { db: service.db, platform: service.platform };
    return callOperation(context, name, wanted, { ...values }, { key: 'job/task/1/1', signal });
  };
};

test('an operation with a server of its own on the host of the document is called on that of the integration', async () => {
  const { send, db, platform } = service;
  await send('admin', 'POST', '/integrations', integrationOf('hosted', 'Hosted:1', serverAt(web.port)));
  const call = (name: string) => {
    const operation = hosted.get(name);
    if (!operation) throw new Error(`no operation ${name}`);
    const { signal } = new AbortController();
    return callOperation({ db, platform }, 'hosted', operation, {}, { key: `job/${name}/1/1`, signal });
  };
  expect(await call('beta')).toMatchObject({ status: 200, body: { url: '/beta/a' } });
  expect(await call('root')).toMatchObject({ status: 200, body: { url: '/b' } });
  expect(await failure(call('elsewhere'))).toMatchObject({ reason: 'TARGET_DENIED' });
});

const failure = async (call: Promise<unknown>) =>
  call.then(
    (value) => ({ value }),
    (error: { code: string; message: string; extra: object }) => ({
      code: error.code,
      message: error.message,
      ...error.extra,
    }),
  );
const call = await open({ retry: { maxDelayMs: 20 } });

beforeEach(() => {
  calls.clear();
  web.seen.length = 0;
  other.seen.length = 0;
});

describe('an answer', () => {
  test.each([
    ['none', { status: 204, body: null }],
    ['text', { body: 'plain' }],
    ['picture', { body: { base64: 'AQIA', size: 3 } }],
    ['gzip', { body: { packed: 1 } }],
    ['brotli', { body: { packed: 2 } }],
    ['missing', { ok: false, status: 404, body: { message: 'there is none' } }],
    ['later', { ok: false, status: 503 }],
  ])('of %s is returned as a value, whatever its status', async (operation, wanted) => {
    expect(await call(operation)).toMatchObject(wanted);
  });

  test.each([
    ['bomb', 'OUTPUT_LIMIT'],
    ['deep', 'OUTPUT_LIMIT'],
    ['many', 'OUTPUT_LIMIT'],
    ['deflate', 'BROKEN'],
  ])('of %s fails the call with %s, and nothing is cut', async (operation, reason) => {
    expect(await failure(call(operation))).toMatchObject({ code: 'BAD_GATEWAY', reason, retryable: false });
  });

  test.skipIf(!isLong)('may be as large as the setting says, counted after decompression', async () => {
    const small = await open({ maxAnswerMiB: 1 });
    expect(await failure(small('large'))).toMatchObject({ reason: 'OUTPUT_LIMIT' });
    const large = await open({ maxAnswerMiB: 64 });
    expect((await large('large')).ok).toBe(true);
    expect((await large('bomb')).ok).toBe(true);
  });
});

describe('a redirect', () => {
  test('is an answer unless the connection follows redirects, and then only on the same origin', async () => {
    expect(await call('moved')).toMatchObject({ status: 302, headers: { location: '/text' } });
    const following = await open({ followRedirects: true });
    expect(await following('moved')).toMatchObject({ status: 200, body: 'plain', url: `${web.url}/text` });
    expect(await following('away')).toMatchObject({ status: 302 });
    expect(other.seen).toHaveLength(0);
    web.seen.length = 0;
    expect(await following('circle')).toMatchObject({ status: 302 });
    expect(web.seen).toHaveLength(4);
  });
});

describe('pages', () => {
  test('whose addresses repeat a secret of the connection are read, and the secret is in no answer', async () => {
    const paging = { style: 'cursor', from: 'next', parameter: 'page', list: 'results' };
    const repeating = await open({ paging, query: { apiToken: 'Query-Secret-8' } });
    const all = await repeating('repeating', { allPages: true });
    expect(all).toMatchObject({ ok: true, body: [0, 1, 2], pages: 3 });
    const one = await repeating('repeating');
    expect(one).toMatchObject({ body: { asked: '/repeating?apiToken=********' } });
    expect(web.seen.map(({ url }) => url.includes('apiToken=Query-Secret-8'))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(JSON.stringify([all, one])).not.toContain('Query-Secret-8');
  });

  test.each([
    ['linked', { style: 'link' }, [0, 1, 2]],
    ['cursor', { style: 'cursor', from: 'meta.next', parameter: 'page', list: 'results' }, [0, 1, 2]],
    ['offset', { style: 'offset', start: 'offset', size: 'limit', list: 'results' }, [0, 1, 2, 3, 4]],
  ])('of %s are read into one list', async (operation, paging, body) => {
    const paged = await open({ paging });
    expect(await paged(operation, { allPages: true })).toMatchObject({ ok: true, body });
    expect(await paged(operation)).not.toHaveProperty('pages');
  });

  test('are not read from another host, nor in a circle, nor beyond the size of one answer', async () => {
    const paged = await open({ paging: { style: 'link' } });
    expect(await failure(paged('foreign', { allPages: true }))).toMatchObject({ reason: 'TARGET_DENIED' });
    expect(other.seen).toHaveLength(0);
    expect(await failure(paged('endless', { allPages: true }))).toMatchObject({ reason: 'PAGING' });
    const many = await failure(paged('many', { page: '1', allPages: true }));
    expect(many).toMatchObject({ reason: 'OUTPUT_LIMIT', message: expect.stringContaining('values') });
    expect(await failure(call('linked', { allPages: true }))).toMatchObject({ code: 'BAD_REQUEST' });
    expect(await failure(paged('addBusy', { allPages: true }))).toMatchObject({ code: 'BAD_REQUEST' });
  });
});

describe('a call is repeated', () => {
  test('after 429, 502 and a broken connection when it reads, or replaces', async () => {
    expect(await call('busy')).toMatchObject({ status: 200, body: { made: 3 } });
    expect(await call('flaky')).toMatchObject({ status: 200, body: { made: 3 } });
    expect(await call('reset')).toMatchObject({ status: 200, body: { made: 2 } });
    calls.clear();
    expect(await call('setFlaky', { requestBodyPayload: {} })).toMatchObject({ status: 200 });
  });

  test('with a write only when the other system says that it did nothing', async () => {
    expect(await call('addFlaky', { requestBodyPayload: {} })).toMatchObject({ status: 502 });
    expect(await failure(call('addReset', { requestBodyPayload: {} }))).toMatchObject({ reason: 'RESET' });
    expect(web.seen).toHaveLength(2);
    expect(await call('addBusy', { requestBodyPayload: {} })).toMatchObject({
      status: 200,
      body: { made: 3 },
    });
  });

  test('retries a write that the other system recognizes by an idempotency header', async () => {
    const keyed = await open({ retry: { maxDelayMs: 20 }, idempotencyHeader: 'X-Request-Key' });
    expect(await keyed('addFlaky', { requestBodyPayload: {} })).toMatchObject({ status: 200 });
    expect(new Set(web.seen.map(({ headers }) => headers['x-request-key']))).toEqual(
      new Set(['job/task/1/1']),
    );
  });

  test('retries a write whose connection could not be opened, but not after the allowed wait', async () => {
    const dead = await open({ ...serverAt(await closedPort()), retry: { attempts: 2, maxDelayMs: 20 } });
    expect(await failure(dead('addBusy', { requestBodyPayload: {} }))).toMatchObject({
      reason: 'REFUSED',
      stage: 'connect',
      retryable: true,
    });
    expect(await call('later')).toMatchObject({ status: 503 });
    expect(web.seen).toHaveLength(1);
  });
});

test('values are checked against the schemas of the document where the connection says so', async () => {
  const strict = await open({ validate: 'strict' });
  expect(await failure(strict('setFlaky', { requestBodyPayload: ['no object'] }))).toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining('requestBodyPayload'),
  });
  expect(web.seen).toHaveLength(0);
  expect((await call('setFlaky', { requestBodyPayload: ['no object'] })).ok).toBe(true);
  expect((await strict('plain', { limit: 'many' })).ok).toBe(true);
});

describe('limits', () => {
  test('a silent system is a time-out, and a cancelled call ends at once with the reason of its signal', async () => {
    const hasty = await open({ timeouts: { request: 150 }, retry: { attempts: 1 } });
    expect(await failure(hasty('slow'))).toMatchObject({
      code: 'GATEWAY_TIMEOUT',
      reason: 'REQUEST_TIMEOUT',
    });
    const reason = new Error('the job was cancelled');
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(reason), 50);
    await expect(call('slow', {}, cancel.signal)).rejects.toBe(reason);
  });

  test('no more requests run at once than allowed, and the others wait in order', async () => {
    const narrow = await open({ maxConcurrent: 2 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => narrow('hold')));
    expect(Math.max(...answers.map(({ body }) => Number(body)))).toBe(2);
  });

  test.skipIf(!isLong)('no more requests are sent in a period than the rate allows', async () => {
    const paced = await open({ rateLimit: { requests: 4, perSeconds: 1 } });
    const began = performance.now();
    await Promise.all(Array.from({ length: 8 }, () => paced('plain')));
    expect(performance.now() - began).toBeGreaterThan(1600);
  });
});
