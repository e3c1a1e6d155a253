import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { lawRuns } from '../../helpers/long.ts';
import { basic, createPerson, sendAs, signIn } from '../../helpers/people.ts';
import { type Answer, openService } from '../../helpers/service.ts';

const service = await openService({ TRUST_PROXY: '1' });
const person = await createPerson(service, ['admin']);

type Request = {
  method: string;
  path: string;
  body?: unknown;
  raw?: string;
  headers?: Record<string, string>;
};

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const encode = encodeURIComponent;

/** Every place of a request that can hold a secret, whether or not one belongs there. */
const PLACES: Record<string, (secret: string) => Request> = {
  'a bearer token': (secret) => ({
    method: 'GET',
    path: '/whoami',
    headers: { Authorization: `Bearer ${secret}` },
  }),
  'a token without its scheme': (secret) => ({
    method: 'GET',
    path: '/whoami',
    headers: { Authorization: secret },
  }),
  'a signed token': (secret) => ({
    method: 'GET',
    path: '/whoami',
    headers: { Authorization: `Bearer ${secret}.${secret}.${secret}` },
  }),
  'a cookie': (secret) => ({ method: 'GET', path: '/whoami', headers: { Cookie: `token=${secret}` } }),
  'the query’s token': (secret) => ({ method: 'GET', path: `/whoami?token=${secret}` }),
  'the token of a broken query': (secret) => ({
    method: 'GET',
    path: `/audit?token=${secret}&limit=x&sort=y`,
  }),
  'a token spelled otherwise': (secret) => ({ method: 'GET', path: `/whoami?%74oken=${secret}` }),
  'a token on a path that is none': (secret) => ({ method: 'GET', path: `/nowhere?token=${secret}` }),
  'a token on a method that is none': (secret) => ({ method: 'PATCH', path: `/whoami?token=${secret}` }),
  'a token of a typed call': (secret) => ({
    method: 'GET',
    path: `/trpc/session.whoAmI?input=%7B%7D&token=${secret}`,
  }),
  'a header’s password': (secret) => ({
    method: 'GET',
    path: '/whoami',
    headers: basic(person.username, secret),
  }),
  'a header’s name': (secret) => ({ method: 'GET', path: '/whoami', headers: basic(secret, 'x') }),
  'a password': (secret) => ({
    method: 'POST',
    path: '/login',
    body: { username: person.username, password: secret },
  }),
  'a password within user': (secret) => ({
    method: 'POST',
    path: '/login',
    body: { user: { username: person.username, password: secret } },
  }),
  'a password in the name’s field': (secret) => ({
    method: 'POST',
    path: '/login',
    body: { username: secret, password: 'x' },
  }),
  'a password of the wrong type': (secret) => ({
    method: 'POST',
    path: '/login',
    body: { username: 5, password: [secret] },
  }),
  'a password in broken JSON': (secret) => ({
    method: 'POST',
    path: '/login',
    raw: `{"username":"x","password":"${secret}"`,
  }),
  'a password in a form': (secret) => ({
    method: 'POST',
    path: '/login',
    raw: `username=x&password=${secret}`,
    headers: FORM,
  }),
  'a password in the query': (secret) => ({ method: 'POST', path: `/login?password=${secret}`, body: {} }),
  'a password of a typed call': (secret) => ({
    method: 'POST',
    path: '/trpc/session.signIn',
    body: { username: person.username, password: secret, more: 1 },
  }),
  'a client secret': (secret) => ({
    method: 'POST',
    path: '/oauth/token',
    raw: `grant_type=client_credentials&client_id=x&client_secret=${secret}`,
    headers: FORM,
  }),
  'a client secret of another grant': (secret) => ({
    method: 'POST',
    path: '/oauth/token',
    raw: `grant_type=password&username=x&password=${secret}&client_secret=${secret}`,
    headers: FORM,
  }),
  'a client secret as JSON': (secret) => ({
    method: 'POST',
    path: '/oauth/token',
    body: { client_secret: secret },
  }),
  'a client secret in the header': (secret) => ({
    method: 'POST',
    path: '/oauth/token',
    raw: 'grant_type=client_credentials',
    headers: { ...FORM, ...basic('x', secret) },
  }),
};

/** The same for a caller who is signed in. */
const PLACES_WITHIN: Record<string, (secret: string) => Request> = {
  'a new account': (secret) => ({
    method: 'POST',
    path: '/authorization/accounts',
    body: { account: { username: '', password: secret, wrong: 1 } },
  }),
  'a new account that is stored': (secret) => ({
    method: 'POST',
    path: '/authorization/accounts',
    body: { account: { username: randomUUID(), password: secret } },
  }),
  'a new password': (secret) => ({
    method: 'PUT',
    path: `/authorization/accounts/${person.id}/password`,
    body: { newPassword: secret, currentPassword: 'x' },
  }),
  'a current password': (secret) => ({
    method: 'PUT',
    path: `/authorization/accounts/${person.id}/password`,
    body: { newPassword: 'long enough, surely', currentPassword: secret },
  }),
  'a new host’s password': (secret) => ({
    method: 'POST',
    path: '/automationgateway/inventory/cli',
    body: { host: { name: randomUUID(), host: '192.0.2.1', device_type: 'cisco_ios', password: secret } },
  }),
  'a refused host’s secrets': (secret) => ({
    method: 'POST',
    path: '/automationgateway/inventory/grpc',
    body: { host: { name: 'a/b', host: '::', password: secret, tls: { key: secret }, port: 0 } },
  }),
  'a host’s secret of the wrong type': (secret) => ({
    method: 'POST',
    path: '/automationgateway/inventory/cli',
    body: {
      host: { name: 'x', host: '192.0.2.1', device_type: 'frr', privateKey: [secret], hostKey: secret },
    },
  }),
  'a patched password': (secret) => ({
    method: 'PATCH',
    path: '/automationgateway/inventory/cli/none',
    body: { updates: { password: secret, enablePassword: secret, colour: 1 } },
  }),
  'an imported host’s password': (secret) => ({
    method: 'POST',
    path: '/automationgateway/inventory/grpc/import',
    body: {
      hosts: [
        { name: randomUUID(), host: '192.0.2.1', password: secret, vault: { apiToken: secret } },
        { name: randomUUID(), host: '::', password: secret },
      ],
    },
  }),
  'a credential’s secrets': (secret) => ({
    method: 'POST',
    path: '/automationgateway/credentials',
    body: {
      credential: { name: randomUUID(), password: secret, privateKey: secret, enablePassword: secret },
    },
  }),
  'a filter’s value among hosts': (secret) => ({
    method: 'GET',
    path: `/automationgateway/inventory/cli?startsWith=${encode(secret)}&startsWithField=password`,
  }),
  'a filter’s value': (secret) => ({
    method: 'GET',
    path: `/authorization/accounts?equals=${encode(secret)}&equalsField=password`,
  }),
};

/** Whatever a client or a reader of logs could see of it. */
const seen = (answer: Answer) => answer.text + JSON.stringify(answer.headers);

const secrets = fc.stringMatching(/^[A-Za-z0-9_-]{12,60}$/).map((text) => `s3cret${text}`);

let hosts = 0;
/** Each from an address of its own, so that the throttle does not answer instead. */
const send = ({ method, path, body, raw, headers }: Request, token?: string) =>
  service.send(null, method, path, body, {
    ...(raw !== undefined && { raw }),
    headers: {
      ...(token && { Authorization: `Bearer ${token}` }),
      ...headers,
      'X-Forwarded-For': `10.${hosts >> 16}.${(hosts >> 8) & 255}.${hosts++ & 255}`,
    },
  });

async function assertHidden(secret: string, answer: Answer, place: string) {
  expect(answer.status, `${place}: ${answer.text}`).toBeLessThan(500);
  expect(seen(answer).includes(secret), `${place} comes back: ${seen(answer)}`).toBe(false);
  const reported = service.logged.filter((line) => line.includes(secret));
  expect(reported, `${place} is logged`).toEqual([]);
}

test.each(Object.keys(PLACES))('%s is in no answer and in no log line', async (place) => {
  await fc.assert(
    fc.asyncProperty(secrets, async (secret) => {
      const request = PLACES[place]?.(secret);
      if (!request) throw new Error(place);
      await assertHidden(secret, await send(request), place);
    }),
    lawRuns(15),
  );
});

test.each(Object.keys(PLACES_WITHIN))('%s is in no answer and in no log line', async (place) => {
  const token = await signIn(service, person);
  await fc.assert(
    fc.asyncProperty(secrets, async (secret) => {
      const request = PLACES_WITHIN[place]?.(secret);
      if (!request) throw new Error(place);
      await assertHidden(secret, await send(request, token), place);
    }),
    lawRuns(10),
  );
});

test('a right credential is shown once, to its owner, and stored nowhere in clear', async () => {
  const token = await signIn(service, person);
  const created = await service.send('admin', 'POST', '/oauth/serviceAccounts', {
    accountData: { name: randomUUID() },
  });
  const { client_id, client_secret } = (created.json as { results: Record<string, string> }).results;
  const account = { username: randomUUID(), password: `pass-${randomUUID()}` };
  const added = await service.send('admin', 'POST', '/authorization/accounts', { account });
  expect(added.status, added.text).toBe(200);
  const form = `grant_type=client_credentials&client_id=${client_id}&client_secret=${client_secret}`;
  const issued = await send({ method: 'POST', path: '/oauth/token', raw: form, headers: FORM });
  const { access_token } = issued.json as { access_token: string };
  const reported = [token, person.password, account.password, client_secret ?? '', access_token];
  for (const path of [
    '/whoami',
    '/user/settings',
    '/audit?limit=1000',
    '/authorization/accounts?limit=1000',
    '/authorization/csv/export',
    '/oauth/serviceAccounts?limit=1000',
    '/prometheus_metrics',
  ]) {
    const answer = await sendAs(service, token, 'GET', path);
    expect(answer.status).toBe(200);
    for (const secret of reported) expect(seen(answer), path).not.toContain(secret);
  }
  expect(service.logged.length).toBeGreaterThan(100);
  for (const secret of reported) expect(service.logged.filter((line) => line.includes(secret))).toEqual([]);
  const tables = [
    'accounts',
    'groups',
    'roles',
    'sessions',
    'credentials',
    'throttle',
    'audit',
    'installation',
  ];
  for (const table of tables) {
    const [all] = await rows<{ text: string | null }>(
      service.db,
      sql`select string_agg(t::text, ' ') as text from ${sql.raw(table)} t`,
    );
    for (const secret of reported) expect(all?.text ?? '', table).not.toContain(secret);
  }
});

test('the credentials of devices are never shown, and never stored in clear text', async () => {
  const secret = `s3cret-${randomUUID()}`;
  const name = randomUUID();
  const gateway = '/automationgateway';
  const credential = { name, username: 'svc', password: secret, privateKey: secret, enablePassword: secret };
  const host = { name, host: '192.0.2.1', device_type: 'cisco_ios', password: secret, privateKey: secret };
  const grpc = { name, host: '192.0.2.1', password: secret, tls: { key: secret } };
  const path = `${gateway}/inventory/cli/${name}`;
  const calls: [string, string, unknown?][] = [
    ['POST', `${gateway}/credentials`, { credential }],
    ['PUT', `${gateway}/credentials/${name}`, { credential }],
    ['POST', `${gateway}/inventory/cli`, { host }],
    ['POST', `${gateway}/inventory/grpc/import`, { hosts: [grpc] }],
    ['POST', `${gateway}/inventory/grpc/import`, { hosts: [grpc], options: { overwrite: true } }],
    ['PUT', path, { host }],
    ['PATCH', path, { updates: { enablePassword: secret } }],
    ['GET', `${gateway}/credentials`],
    ['GET', `${gateway}/credentials/${name}`],
    ['GET', `${gateway}/inventory/cli`],
    ['GET', `${gateway}/inventory/grpc`],
    ['GET', path],
    ['GET', `${gateway}/inventory/cli/export`],
    ['GET', `${gateway}/inventory/grpc/export`],
    ['POST', '/configuration_manager/devices', {}],
    ['GET', `/configuration_manager/devices/${name}`],
    ['GET', '/audit?limit=1000'],
    ['DELETE', path],
  ];
  for (const [method, at, body] of calls) {
    const answer = await service.send('admin', method, at, body);
    expect(answer.status, `${method} ${at}: ${answer.text}`).toBe(200);
    expect(seen(answer), `${method} ${at}`).not.toContain(secret);
  }
  expect(service.logged.filter((line) => line.includes(secret))).toEqual([]);
  for (const table of ['gateway_hosts', 'gateway_credentials', 'audit', 'device_origins']) {
    const [all] = await rows<{ text: string | null }>(
      service.db,
      sql`select string_agg(t::text, ' ') as text from ${sql.raw(table)} t`,
    );
    expect(all?.text, table).not.toContain(secret);
    if (table === 'gateway_credentials') expect(all?.text).toContain('sealed:v2:');
  }
});
