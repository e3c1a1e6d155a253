import { beforeAll, expect, test } from 'vitest';
import { operations } from '#server/http/operations.ts';
import { isLong } from '../helpers/long.ts';
import { createPerson, type Person, signIn } from '../helpers/people.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const behindProxy = await openService({ TRUST_PROXY: '1' });

let person: Person;
let token: string;
beforeAll(async () => {
  person = await createPerson(service, ['admin']);
  token = await signIn(service, person);
});

/** It takes seconds to write; test/rest/openapi/openapi.test.ts has it in the short form. */
const DOCUMENT = isLong ? ['/openapi.json'] : [];
const PUBLIC_FILES = [...DOCUMENT, '/docs', '/docs/page.js', '/docs/page.css', '/docs/swagger-ui-bundle.js'];

test.each([
  ['a document', 'GET', '/whoami'],
  ['a list', 'GET', '/authorization/accounts'],
  ['plain text', 'GET', '/version'],
  ['the state of the service', 'GET', '/health/status'],
  ['a bad request', 'GET', '/authorization/accounts?limit=many'],
  ['a document that does not exist', 'GET', '/authorization/accounts/none'],
  ['a path that does not exist', 'GET', '/nowhere'],
  ['a wrong method', 'PUT', '/whoami'],
  ['a typed call', 'GET', '/trpc/session.whoAmI'],
  ['a typed call that fails', 'GET', '/trpc/session.nothing'],
  ['a typed call of a wrong method', 'PUT', '/trpc/session.whoAmI'],
])(
  'an answer with %s is stored nowhere, sniffed by nobody, framed and loaded by no other site',
  async (_, method, path) => {
    const { headers } = await service.send('admin', method, path);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    });
  },
);

test('without a credential an answer has the same headers', async () => {
  const { status, headers } = await service.send(null, 'GET', '/whoami');
  expect(status).toBe(401);
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
});

test.each(PUBLIC_FILES)('%s, which is public, may be kept and checked again', async (path) => {
  const { status, headers } = await service.send(null, 'GET', path);
  expect(status).toBe(200);
  expect(headers).toMatchObject({ 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' });
  expect(headers.etag).toBeDefined();
});

test('the page cannot be framed, keeps its window to itself, and allows no inline code', async () => {
  const { headers } = await service.send(null, 'GET', '/docs');
  expect(headers['x-frame-options']).toBe('DENY');
  expect(headers['cross-origin-opener-policy']).toBe('same-origin');
  expect(headers['referrer-policy']).toBe('no-referrer');
  const policy = headers['content-security-policy'] ?? '';
  for (const rule of ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
    expect(policy).toContain(rule);
  expect(policy).not.toContain('unsafe-');
});

test('behind TLS every answer requires TLS for a year and the cookie is Secure; an untrusted header changes nothing', async () => {
  const https = { headers: { 'X-Forwarded-Proto': 'https' } };
  for (const path of [...DOCUMENT, '/whoami', '/docs', '/nowhere', '/trpc/session.whoAmI']) {
    const behind = await behindProxy.send('admin', 'GET', path, undefined, https);
    expect(behind.headers['strict-transport-security'], path).toBe('max-age=31536000; includeSubDomains');
    const plain = await behindProxy.send('admin', 'GET', path);
    expect(plain.headers['strict-transport-security'], path).toBeUndefined();
    const untrusted = await service.send('admin', 'GET', path, undefined, https);
    expect(untrusted.headers['strict-transport-security'], path).toBeUndefined();
  }
  const { username, password } = person;
  const login = await service.send(null, 'POST', '/login', { username, password }, https);
  expect(String(login.headers['set-cookie'])).not.toContain('Secure');
});

const save = (headers: Record<string, string>, to = service, cookie = token) =>
  to.send(
    null,
    'PATCH',
    '/user/settings',
    { preferences: {} },
    { headers: { Cookie: `token=${cookie}`, ...headers } },
  );

test.each([
  ['of the same origin', { 'Sec-Fetch-Site': 'same-origin' }],
  ['with our own Origin', { Origin: service.url }],
  ['with both', { Origin: service.url, 'Sec-Fetch-Site': 'same-origin' }],
  [
    'of the same host behind a proxy that ends TLS',
    { Origin: service.url.replace('http:', 'https:'), 'Sec-Fetch-Site': 'same-origin' },
  ],
  ['of a program, which sends neither', {}],
])('a write with the cookie %s is carried out', async (_, headers) => {
  expect((await save(headers as Record<string, string>)).status).toBe(200);
});

test.each([
  ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
  ['a neighbouring host of the same site', { 'Sec-Fetch-Site': 'same-site' }],
  ['an unknown relation', { 'Sec-Fetch-Site': 'of-some-kind' }],
  ['an address that was typed, which cannot be a write', { 'Sec-Fetch-Site': 'none' }],
  ['another origin', { Origin: 'https://evil.example' }],
  ['another port of our host', { Origin: 'http://127.0.0.1:1' }],
  ['a sandboxed page', { Origin: 'null' }],
  ['our scheme turned round', { Origin: service.url.replace('http:', 'https:') }],
  ['our origin by a browser that says another site', { Origin: service.url, 'Sec-Fetch-Site': 'cross-site' }],
  [
    'another origin that claims to be the same',
    { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-origin' },
  ],
])('a write with the cookie from %s is denied', async (_, headers) => {
  expect(await save(headers as Record<string, string>)).toMatchObject({
    status: 403,
    json: { code: 'FORBIDDEN' },
  });
});

test('an origin that the configuration names may write with the cookie', async () => {
  const open = await openService({ ALLOWED_ORIGINS: 'https://noc.example.net' });
  const cookie = await signIn(open, await createPerson(open));
  const from = (origin: string) => save({ Origin: origin, 'Sec-Fetch-Site': 'cross-site' }, open, cookie);
  expect((await from('https://noc.example.net')).status).toBe(200);
  expect((await from('https://noc.example.net.evil.example')).status).toBe(403);
});

test('a typed write with the cookie from another site is denied', async () => {
  const typed = (headers: Record<string, string>) =>
    service.send(
      null,
      'POST',
      '/trpc/session.savePreferences',
      { preferences: {} },
      {
        headers: { Cookie: `token=${token}`, ...headers },
      },
    );
  expect((await typed({ 'Sec-Fetch-Site': 'same-origin' })).status).toBe(200);
  expect((await typed({ 'Sec-Fetch-Site': 'same-site' })).status).toBe(403);
});

test('a write with a token in the header is accepted from any origin', async () => {
  const answer = await service.send(
    'admin',
    'PATCH',
    '/user/settings',
    { preferences: {} },
    {
      headers: { Origin: 'https://console.example', 'Sec-Fetch-Site': 'cross-site' },
    },
  );
  expect(answer.status).toBe(200);
});

test('no endpoint changes anything by GET but signing out, which checks the origin of the request', () => {
  const writing = operations.filter(
    ({ method, procedure }) => method === 'GET' && procedure._def.type === 'mutation',
  );
  expect(writing.map(({ path }) => path)).toEqual(['/logout']);
});

test('TRACE returns no content', async () => {
  const { status, text } = await service.send('admin', 'TRACE', '/whoami', undefined, {
    headers: { 'X-Secret': 'echoed' },
  });
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  expect(text).not.toContain('echoed');
});
