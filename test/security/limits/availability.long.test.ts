import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { operations, procedures } from '#server/http/operations.ts';
import { cpuTime } from '../../helpers/cpu-time.ts';
import { sendRaw } from '../../helpers/http/raw-http.ts';
import { openService } from '../../helpers/service.ts';

/** Without a credential: what an answer may take, and what a health probe beside it may wait, in milliseconds. */
const ANSWER_MS = 200;
const PROBE_MS = 250;
const GROWTH_BYTES = 100 * 1024 * 1024;
/** Machines that run tests are slow, and busy with other tests. */
const SLACK = 8;

const service = await openService();
const port = Number(new URL(service.url).port);
const JSON_TYPE = { 'Content-Type': 'application/json' };
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' };

const MIB = 1024 * 1024;
const fill = (item: string, bytes: number, separator = ',') =>
  new Array(Math.floor(bytes / (item.length + separator.length))).fill(item).join(separator);

/** Bodies that cost their reader much more than their sender. */
const bodiesOf = (bytes: number): Record<string, string> => ({
  'wrong elements': `{"user":[${fill('1', bytes)}]}`,
  'unknown members': `{${fill('"a":1', bytes)}}`,
  'many names': `{${Array.from({ length: bytes / 16 }, (_, at) => `"member${at}":0`).join(',')}}`,
  'deep nesting': '['.repeat(bytes),
  'deep and wide': `{"user":${'[[],'.repeat(bytes / 4)}`,
  'a long number': `{"username":${'9'.repeat(bytes)}}`,
  'a long text': `{"username":"${'a'.repeat(bytes / 2)}","password":"${'b'.repeat(bytes / 2)}"}`,
  'a long name': `{"${'n'.repeat(bytes)}":1}`,
  escapes: `{"username":"${'\\u00e9'.repeat(bytes / 6)}","password":"x"}`,
  'duplicate names': `{${fill('"username":"x"', bytes)},"password":"x"}`,
  'form members': fill('a=b', bytes, '&'),
  'form brackets': `a${'[a]'.repeat(bytes / 3)}=1`,
});

/** Made once, before anything is measured: this process makes the bodies and answers them. */
const [readable, tooLong] = [15 * 1024, 8 * MIB].map((bytes) => Object.entries(bodiesOf(bytes))) as [
  [string, string][],
  [string, string][],
];

/** Each target rejects a body over the limit by its length, whatever is in it: it is sent a quarter of them, in turn. */
const bodiesFor = (place: number) => [...readable, ...tooLong.filter((_, at) => at % 4 === place % 4)];

const publicNames = Object.entries(procedures)
  .filter(([, { _def }]) => _def.meta?.audience === 'public')
  .map(([name]) => name);
const publicOperations = operations.filter(({ meta }) => meta.audience === 'public');

type Target = { title: string; method: string; path: string; headers: Record<string, string> };
const targets: Target[] = [
  ...publicOperations.flatMap(({ method, path, types }) => [
    { title: `${method} ${path}`, method, path, headers: { 'Content-Type': types[0] ?? '' } },
  ]),
  ...publicNames.flatMap((name) => [
    { title: `tRPC ${name}`, method: 'POST', path: `/trpc/${name}`, headers: JSON_TYPE },
    { title: `batch of ${name}`, method: 'POST', path: `/trpc/${name}?batch=1`, headers: JSON_TYPE },
    {
      title: `batch of 20 with ${name}`,
      method: 'POST',
      path: `/trpc/${new Array(20).fill(name).join(',')}?batch=1`,
      headers: JSON_TYPE,
    },
    {
      title: `${name} in a batch of imports`,
      method: 'POST',
      path: `/trpc/configurationManager.importBackups,${name}?batch=1`,
      headers: JSON_TYPE,
    },
  ]),
  {
    title: 'an import',
    method: 'POST',
    path: '/trpc/configurationManager.importBackups',
    headers: JSON_TYPE,
  },
  { title: 'an import', method: 'POST', path: '/configuration_manager/import/backups', headers: JSON_TYPE },
];

type Sent = { status: number; ms: number; text: string };

/**
 * Sends a body, also one that the service rejects: the first answer counts. The service closes the connection behind a
 * rejection, and bytes still in flight can reset it before the answer is read: then the body is sent again.
 */
const send = (target: Target, body: string, attempts = 3): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const { method, path, headers } = target;
    const started = performance.now();
    const sent = request({
      port,
      host: '127.0.0.1',
      method,
      path,
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
    });
    let answered = false;
    sent.on('response', (got) => {
      answered = true;
      let text = '';
      const done = () => resolve({ status: got.statusCode ?? 0, ms: performance.now() - started, text });
      got.on('data', (part: Buffer) => {
        text += part.toString('utf8');
      });
      got.on('end', done).on('error', done);
    });
    sent.on('error', (error) => {
      if (answered) return;
      if (attempts > 1) resolve(send(target, body, attempts - 1));
      else reject(error);
    });
    sent.end(body);
  });

/**
 * Requests the status of the service all the time; returns a function that stops this and returns the longest wait. Time in
 * which this process had no processor does not count: the service runs in it.
 */
function probe() {
  let over = false;
  let longest = 0;
  const requested = (async () => {
    while (!over) {
      const started = { clock: performance.now(), cpu: cpuTime() };
      const { status } = await service.send(null, 'GET', '/health/status');
      expect(status).toBe(200);
      longest = Math.max(longest, Math.min(performance.now() - started.clock, cpuTime() - started.cpu));
      // Without a pause most of the time of this process would go into these requests.
      await sleep(10);
    }
  })();
  return async () => {
    over = true;
    await requested;
    return longest;
  };
}

test('every public procedure is among those that are attacked here', () => {
  expect(publicNames.sort()).toEqual([
    'health.getLiveness',
    'health.getReadiness',
    'health.getStatus',
    'oauth.issueToken',
    'session.beginSecurityKey',
    'session.signIn',
    'signIn.endByProvider',
    'signIn.finishOidc',
    'signIn.listMethods',
    'signIn.startOidc',
  ]);
  expect(publicOperations).toHaveLength(publicNames.length);
});

test.each(targets)(
  '$title answers any body without a credential quickly, and delays no other request',
  async (target) => {
    await send(target, '{}').catch(() => undefined);
    const before = process.memoryUsage().rss;
    const endProbe = probe();
    let slowest = { ms: 0, body: '' };
    for (const [body, text] of bodiesFor(targets.indexOf(target))) {
      const { status, ms, text: answered } = await send(target, text);
      expect([200, 302, 400, 401, 404, 413, 415, 422, 429], `${body}: ${answered.slice(0, 200)}`).toContain(
        status,
      );
      if (text.length > 16 * 1024 && !target.title.startsWith('an import') && target.method !== 'GET') {
        expect([400, 413]).toContain(status);
      }
      expect(answered.length).toBeLessThan(64 * 1024);
      if (ms > slowest.ms) slowest = { ms, body };
    }
    const waited = await endProbe();
    const growth = process.memoryUsage().rss - before;
    console.log(
      `${target.title}: slowest ${slowest.ms.toFixed(0)} ms (${slowest.body}), ` +
        `probe ${waited.toFixed(0)} ms, ${(growth / MIB).toFixed(0)} MiB more`,
    );
    expect(slowest.ms).toBeLessThan(ANSWER_MS * SLACK);
    expect(waited).toBeLessThan(PROBE_MS * SLACK);
    // This process sends the bodies too.
    expect(growth).toBeLessThan(GROWTH_BYTES * SLACK);
  },
);

/** Matches an answer with an error in its whole length. */
const COMPLETE = /"requestId":"[^"]+"\}/;

const head = (line: string, headers: Record<string, string | number>) =>
  `${line} HTTP/1.1\r\nHost: x\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;

test.each([
  ['/login', 'Content-Length is larger than the limit', { 'Content-Length': 17 * 1024 }, 413],
  ['/trpc/session.signIn', 'Content-Length is larger than the limit', { 'Content-Length': 17 * 1024 }, 413],
  ['/trpc/session.signIn', 'the body is chunked', { 'Transfer-Encoding': 'chunked' }, 413],
  ['/trpc/configurationManager.importBackups', 'nobody is signed in', { 'Content-Length': 200 * MIB }, 401],
  ['/configuration_manager/import/backups', 'nobody is signed in', { 'Content-Length': 200 * MIB }, 401],
  ['/configuration_manager/import/backups', 'it is chunked', { 'Transfer-Encoding': 'chunked' }, 401],
] as const)('%s answers before it reads any of the body when %s', async (path, _, headers, status) => {
  const bytes = head(`POST ${path}`, { ...JSON_TYPE, ...headers });
  const answered = await sendRaw(port, [bytes], { complete: COMPLETE });
  expect(answered).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

test('a chunked body of a public endpoint is read up to 16 KiB and no further', async () => {
  const chunk = `1000\r\n${'a'.repeat(0x1000)}\r\n`;
  const answered = await sendRaw(
    port,
    [head('POST /login', { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' }), ...new Array(5).fill(chunk)],
    { complete: COMPLETE },
  );
  expect(answered).toMatch(/^HTTP\/1.1 413 /);
});

test('a client that still sends a body over the limit keeps its connection, and reads the answer at the end', async () => {
  const part = 'a'.repeat(4 * 1024);
  const socket = connect(port, '127.0.0.1');
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  let fault: Error | undefined;
  socket.on('error', (error) => {
    fault = error;
  });
  socket.write(head('POST /login', { ...JSON_TYPE, 'Content-Length': 10 * part.length }));
  for (let sent = 0; sent < 10; sent++) {
    socket.write(part);
    await sleep(150);
  }
  socket.write(head('GET /health/status', { Connection: 'close' }));
  await once(socket, 'close');
  expect(fault).toBeUndefined();
  expect(Buffer.concat(received).toString()).toMatch(/^HTTP\/1.1 413 .*HTTP\/1.1 200 /s);
});

test('100 Continue is not sent to a client whose request is denied by its headers', async () => {
  const headers = { ...JSON_TYPE, 'Content-Length': 1000, Expect: '100-continue' };
  for (const path of ['/configuration_manager/import/backups', '/trpc/configurationManager.importBackups']) {
    const answered = await sendRaw(port, [head(`POST ${path}`, headers)], { complete: COMPLETE });
    expect(answered).toMatch(/^HTTP\/1.1 401 /);
  }
  const large = { ...headers, 'Content-Length': 20_000 };
  expect(await sendRaw(port, [head('POST /login', large)], { complete: COMPLETE })).toMatch(
    /^HTTP\/1.1 413 /,
  );
});

test('100 Continue is sent when the body is wanted', async () => {
  const body = '{"username":"nobody","password":"wrong"}';
  for (const path of ['/login', '/trpc/session.signIn']) {
    const headers = { ...JSON_TYPE, 'Content-Length': body.length, Expect: '100-continue' };
    const complete = /^HTTP\/1.1 100 .*HTTP\/1.1 401 /s;
    const answered = await sendRaw(port, [head(`POST ${path}`, headers), body], { pauseMs: 200, complete });
    expect(answered).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 401 /);
  }
});

test('a body that ends before its Content-Length costs only its own connection', async () => {
  const endProbe = probe();
  const sent = Array.from({ length: 50 }, () =>
    sendRaw(port, [head('POST /login', { ...JSON_TYPE, 'Content-Length': 1000 }), '{"user'], {
      quietMs: 300,
    }),
  );
  await Promise.all(sent);
  expect(await endProbe()).toBeLessThan(PROBE_MS * SLACK);
});

/** The error shape in an answer that came over a raw connection. */
function refusalIn(answered: string) {
  const [top = '', body = ''] = answered.split('\r\n\r\n', 2);
  const id = /^x-request-id: (.+)$/im.exec(top)?.[1]?.trim();
  return { status: Number(top.split(' ')[1]), id, ...(JSON.parse(body) as Record<string, unknown>) };
}

test.each([
  ['headers over 16 KiB', head('GET /health/status', { 'X-Long': 'a'.repeat(20_000) }), 431],
  ['an address over 16 KiB', head(`GET /trpc/health.getStatus?input=${'a'.repeat(20_000)}`, {}), 431],
  ['no HTTP at all', 'nonsense\r\n\r\n', 400],
  ['a header without a colon', 'GET / HTTP/1.1\r\nHost x\r\n\r\n', 400],
  ['two lengths', head('POST /login', { 'Content-Length': '5\r\nContent-Length: 6' }), 400],
  ['a length and chunks', head('POST /login', { 'Content-Length': 5, 'Transfer-Encoding': 'chunked' }), 400],
] as const)('%s is answered in the error shape, with a request id', async (_, bytes, status) => {
  const { id, ...refusal } = refusalIn(await sendRaw(port, [bytes]));
  expect(refusal).toMatchObject({
    status,
    code: expect.any(String),
    message: expect.any(String),
    requestId: id,
  });
  expect(id).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
});

test.each([
  ['numbers', '1'],
  ['objects', '{}'],
  ['arrays', '[]'],
  ['texts', '"x"'],
])('validation of half a million wrong %s ends after 100 issues', async (_, item) => {
  const raw = `{"backups":[${fill(item, 490_000 * (item.length + 1))}]}`;
  const endProbe = probe();
  const before = process.memoryUsage().heapUsed;
  const answer = await service.send('admin', 'POST', '/configuration_manager/import/backups', undefined, {
    raw,
  });
  const waited = await endProbe();
  console.log(
    `wrong elements ${item}: probe ${waited.toFixed(0)} ms, ` +
      `${((process.memoryUsage().heapUsed - before) / MIB).toFixed(0)} MiB more`,
  );
  expect(answer.status).toBe(400);
  const { issues } = answer.json as { issues: { message: string; code: string }[] };
  expect(issues).toHaveLength(100);
  expect(issues.at(-1)).toMatchObject({
    code: 'too_many_issues',
    message: expect.stringContaining('more issues'),
  });
  expect(answer.text.length).toBeLessThan(64 * 1024);
});

test.each([
  ['/configuration_manager/import/backups', '1,000,000', (list: string) => `{"backups":${list}}`],
  ['/json-forms/validate-data', '400,000', (list: string) => `{"schema":{},"data":${list}}`],
  ['/trpc/automationStudio.createWorkflow', '400,000', (list: string) => list],
])(
  '15 MiB of empty objects are rejected by %s with the limit of %s, before they are made',
  async (path, limit, around) => {
    const raw = around(`["a\\\\","\\",{",${fill('{}', 15 * MIB)}]`);
    const endProbe = probe();
    const answer = await service.send('admin', 'POST', path, undefined, { raw });
    const waited = await endProbe();
    console.log(`${path}: probe ${waited.toFixed(0)} ms`);
    expect(answer.status).toBe(413);
    expect(answer.text).toContain(`more than ${limit} values`);
  },
);

test('15 MiB of text that looks like values are taken as the one value that they are', async () => {
  const raw = `{"schema":{},"data":"${fill('{[', 15 * MIB)}"}`;
  const answer = await service.send('admin', 'POST', '/json-forms/validate-data', undefined, { raw });
  expect(answer.status).toBe(200);
});

test('a long name that is unknown is shown shortened', async () => {
  const raw = JSON.stringify({ ['n'.repeat(10_000)]: 1, username: 'x', password: 'y' });
  const answer = await service.send(null, 'POST', '/login', undefined, { raw });
  expect(answer.status).toBe(400);
  expect(answer.text.length).toBeLessThan(2000);
});

test('a form is held to the same limit', async () => {
  const answer = await service.send(null, 'POST', '/oauth/token', undefined, {
    raw: fill('a=b', 17 * 1024, '&'),
    headers: FORM_TYPE,
  });
  expect(answer.status).toBe(413);
});

test.each([
  ['53100', 'The database has no room left on its disk; retry later'],
  ['53200', 'The database has no memory left; retry later'],
  ['53300', 'The database accepts no more connections; retry later'],
])(
  'a write that PostgreSQL fails with %s is 503 with Retry-After, and stores nothing',
  async (code, message) => {
    const groupName = `Short of ${code}`;
    const suffix = sql.raw(code);
    await service.db.execute(sql`create function short_${suffix}() returns trigger language plpgsql as
    $$ begin raise exception using errcode = '${suffix}', message = 'no ${suffix} at /var/lib/secret'; end $$`);
    await service.db.execute(sql`create trigger short_${suffix} after insert on device_groups
    for each row when (new.name = '${sql.raw(groupName)}') execute function short_${suffix}()`);
    const answer = await service.send('admin', 'POST', '/configuration_manager/devicegroup', {
      groupName,
      groupDescription: '',
      deviceNames: [],
    });
    expect(answer).toMatchObject({ status: 503, json: { code: 'SERVICE_UNAVAILABLE', message } });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.text).not.toContain('/var/lib/secret');
    const stored = await service.db.execute(sql`select from device_groups where name = ${groupName}`);
    expect(stored).toHaveLength(0);
  },
);
