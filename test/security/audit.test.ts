import { request } from 'node:http';
import { beforeEach, expect, test } from 'vitest';
import { escapeForTerminal, escapeUnprintable, openLog } from '#server/kernel/observability/log.ts';
import { isLong } from '../helpers/long.ts';
import { createGroup, createPerson, type Person, sendAs, signIn } from '../helpers/people.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const proxied = await openService({ TRUST_PROXY: '1' });

type Entry = {
  account: string | null;
  address: string | null;
  operation: string;
  outcome: string;
  status: number;
  requestId: string;
  count?: number;
};

let person: Person;
let token: string;
beforeEach(async () => {
  person = await createPerson(service, ['apiread', 'apiwrite']);
  token = await signIn(service, person);
});

async function trail(field: string, value: string, of = service): Promise<Entry[]> {
  const answer = await of.send(
    'admin',
    'GET',
    `/audit?equals=${encodeURIComponent(value)}&equalsField=${field}&limit=1000`,
  );
  expect(answer.status, answer.text).toBe(200);
  return (answer.json as { results: Entry[] }).results;
}

const linesOf = (requestId: string) =>
  service.logged
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line.requestId === requestId);

test('the log line of a request names the account and the address', async () => {
  const { headers } = await sendAs(service, token, 'GET', '/whoami');
  expect(linesOf(headers['x-request-id'] ?? '')).toMatchObject([
    { msg: 'request', route: '/whoami', status: 200, account: person.username, address: '127.0.0.1' },
  ]);
  const typed = await sendAs(service, token, 'GET', '/trpc/session.whoAmI');
  expect(linesOf(typed.headers['x-request-id'] ?? '').at(-1)).toMatchObject({ account: person.username });
  const nobody = await service.send(null, 'GET', '/whoami');
  const [line] = linesOf(nobody.headers['x-request-id'] ?? '').filter(({ msg }) => msg === 'request');
  expect(line).toMatchObject({ status: 401, address: '127.0.0.1' });
  expect(line).not.toHaveProperty('account');
});

test('the address of a log line is what a trusted proxy says, and else the connection’s own', async () => {
  const forwarded = { headers: { 'X-Forwarded-For': '203.0.113.9', 'X-Request-Id': 'forwarded-once' } };
  await service.send(null, 'GET', '/whoami', undefined, forwarded);
  await proxied.send(null, 'GET', '/whoami', undefined, forwarded);
  const addressIn = (logged: string[]) =>
    logged
      .map((line) => JSON.parse(line))
      .find(({ requestId, msg }) => requestId === 'forwarded-once' && msg === 'request').address;
  expect(addressIn(service.logged)).toBe('127.0.0.1');
  expect(addressIn(proxied.logged)).toBe('203.0.113.9');
});

test('a read that a role forbids reaches the audit trail', async () => {
  const { headers } = await sendAs(service, token, 'GET', '/audit');
  expect(await trail('requestId', headers['x-request-id'] ?? '')).toMatchObject([
    {
      account: person.username,
      address: '127.0.0.1',
      operation: 'audit.listEntries',
      outcome: 'refused',
      status: 403,
    },
  ]);
});

test('a read of a document that an access list hides reaches the audit trail', async () => {
  const group = await createGroup(service);
  const name = `hidden-${Math.random()}`;
  const made = await service.send('admin', 'POST', '/configuration_manager/configs', {
    name,
    deviceType: 'cisco-ios',
  });
  expect(made.status, made.text).toBe(200);
  const { id } = made.json as { id: string };
  const options = { gbac: { read: [group], write: [group] } };
  const guarded = await service.send('admin', 'PUT', `/configuration_manager/configs/${id}`, { options });
  expect(guarded.status, guarded.text).toBe(200);
  const answer = await sendAs(service, token, 'GET', `/configuration_manager/configs/${id}`);
  expect(answer.status).toBe(404);
  expect(await trail('requestId', answer.headers['x-request-id'] ?? '')).toMatchObject([
    { account: person.username, operation: 'configurationManager.getTree', outcome: 'refused', status: 404 },
  ]);
});

test('a wrong token reaches the audit trail, and is itself nowhere', async () => {
  const wrong = 'A'.repeat(43);
  const answer = await sendAs(service, wrong, 'GET', '/user/settings');
  expect(answer.status).toBe(401);
  expect(await trail('requestId', answer.headers['x-request-id'] ?? '')).toMatchObject([
    {
      account: null,
      address: '127.0.0.1',
      operation: 'session.getSettings',
      outcome: 'refused',
      status: 401,
    },
  ]);
  expect(service.logged.join('')).not.toContain(wrong);
});

test('a request without any credential leaves no row in the audit trail', async () => {
  const answer = await service.send(null, 'GET', '/user/settings');
  expect(await trail('requestId', answer.headers['x-request-id'] ?? '')).toEqual([]);
});

test('a write with the cookie from another site reaches the trail', async () => {
  const headers = { Cookie: `token=${token}`, 'Sec-Fetch-Site': 'cross-site' };
  const answer = await service.send(null, 'PATCH', '/user/settings', { preferences: {} }, { headers });
  expect(await trail('requestId', answer.headers['x-request-id'] ?? '')).toMatchObject([
    { operation: 'session.savePreferences', status: 403 },
  ]);
});

test('a flood of denied reads is one row, and one with the number of the others', async () => {
  await Promise.all(Array.from({ length: 60 }, () => sendAs(service, token, 'GET', '/profiles')));
  const rows = (await trail('account', person.username)).filter(({ status }) => status === 403);
  expect(rows.map(({ count = 1 }) => count).toSorted((a, b) => a - b)).toEqual([1, 59]);
  expect(rows.every(({ operation }) => operation === 'profiles.getProfiles')).toBe(true);
});

test.skipIf(!isLong)(
  'a flood of wrong tokens over many operations and addresses fills neither the trail nor the memory',
  async () => {
    const of = await openService({ TRUST_PROXY: '1' });
    const paths = ['/whoami', '/user/settings', '/user/sessions', '/user/tokens'];
    const send = (at: number) =>
      of.send(null, 'GET', paths[at % 4] ?? '', undefined, {
        headers: {
          Authorization: `Bearer ${'x'.repeat(40)}${at}`,
          'X-Forwarded-For': `198.51.100.${at % 200}`,
        },
      });
    for (let at = 0; at < 800; at += 50)
      await Promise.all(Array.from({ length: 50 }, (_, more) => send(at + more)));
    const rows = await trail('outcome', 'refused', of);
    expect(rows.length).toBeLessThanOrEqual(201);
    expect(rows.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(800);
    const [others] = rows.filter(({ operation }) => operation === 'various');
    expect(others).toMatchObject({ account: null, address: null });
  },
);

test('the addresses of one IPv6 network are one source', async () => {
  const of = await openService({ TRUST_PROXY: '1' });
  for (let at = 1; at <= 20; at += 1) {
    const headers = { Authorization: `Bearer ${'y'.repeat(43)}`, 'X-Forwarded-For': `2001:db8::${at}` };
    await of.send(null, 'GET', '/whoami', undefined, { headers });
  }
  const rows = await trail('outcome', 'refused', of);
  expect(rows.map(({ count = 1 }) => count).toSorted((a, b) => a - b)).toEqual([1, 19]);
});

test('rejected writes have rows of their own, until there are twenty in a minute', async () => {
  for (let at = 0; at < 30; at += 1)
    await sendAs(service, token, 'POST', '/authorization/groups', { group: { name: 'x' } });
  const rows = (await trail('account', person.username)).filter(({ status }) => status === 403);
  expect(rows.map(({ count = 1 }) => count).toSorted((a, b) => a - b)).toEqual([...Array(20).fill(1), 10]);
});

/** Characters that end lines, steer terminals, or change the order in which text is shown. */
const HOSTILE = '\r\nfake\u001b[2J\u007f\u0085\u009b31m\u2028\u202egnp\u2066\u200f';
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const STEERING = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/;

test('a line of the log holds no character that could end or disguise it, whatever it reports', () => {
  const lines: string[] = [];
  const log = openLog('info', { write: (line: string) => void lines.push(line) });
  log.info({ account: HOSTILE, err: new Error(HOSTILE) }, `told ${HOSTILE}`);
  expect(lines).toHaveLength(1);
  const [line = ''] = lines;
  expect(line.trimEnd()).not.toMatch(STEERING);
  expect(line.trimEnd()).not.toContain('\n');
  expect(JSON.parse(line)).toMatchObject({ account: HOSTILE, msg: `told ${HOSTILE}` });
});

test('a line of the log shows no secret in its fields, up to two objects deep, and what was logged stays as it is', () => {
  const lines: string[] = [];
  const log = openLog('info', { write: (line: string) => void lines.push(line) });
  const inner = { apiKey: 's3', name: 'n', at: new Date(0) };
  const nested = Object.assign(new Error('nested'), { privateKey: 's4', code: 'E' });
  const fields = { token: 's1', user: { password: 's2', inner }, list: [{ cookie: 's5' }, 1], nested };
  log.info({ ...fields, err: Object.assign(new Error('broken'), { secret: 's6', code: 'X' }) }, 'told');
  log.info(fields);
  log.info({ err: { passphrase: 's7' }, secret: undefined, missing: null });
  expect(lines.join('')).not.toMatch(/s\d"/);
  const mask = '********';
  const [first, , last] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(first).toMatchObject({
    token: mask,
    user: { password: mask, inner: { apiKey: mask, name: 'n', at: '1970-01-01T00:00:00.000Z' } },
    list: [{ cookie: mask }, 1],
    nested: { privateKey: mask, code: 'E' },
    err: { type: 'Error', message: 'broken', code: 'X' },
    msg: 'told',
  });
  expect(last).toMatchObject({ err: { passphrase: mask }, secret: mask, missing: null });
  expect([inner.apiKey, fields.list[0], nested.privateKey]).toEqual(['s3', { cookie: 's5' }, 's4']);
});

test('lines that are decoded for a terminal contain no control sequences', () => {
  const line = escapeForTerminal(JSON.stringify({ msg: HOSTILE, path: 'C:\\u001b\\n', stack: 'one\ntwo' }));
  const { msg, path, stack } = JSON.parse(line) as Record<string, string>;
  expect(msg).not.toMatch(STEERING);
  expect(path).toBe('C:\\u001b\\n');
  expect(stack).toBe('one\ntwo');
  expect(escapeUnprintable('{"plain":"text é"}')).toBe('{"plain":"text é"}');
});

test('a hostile user name, user agent and path leave harmless lines', async () => {
  const before = service.logged.length;
  await service.send(null, 'POST', '/login', { username: `x${HOSTILE}`, password: 'y' });
  const { port } = service;
  await new Promise((resolve, reject) => {
    const headers = { 'User-Agent': 'a\u009b31m\u0085b', Authorization: `Bearer ${token}` };
    request({ port, host: '127.0.0.1', path: '/nowhere/%0d%0afake%1b[2J%E2%80%AE?x=%0a', headers }, (got) =>
      got.resume().on('end', resolve),
    )
      .on('error', reject)
      .end();
  });
  const written = service.logged.slice(before);
  expect(written.length).toBeGreaterThan(0);
  for (const line of written) {
    expect(line.trimEnd()).not.toMatch(STEERING);
    expect(() => JSON.parse(line)).not.toThrow();
  }
});
