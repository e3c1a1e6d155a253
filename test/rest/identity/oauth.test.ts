import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { basic, createPerson, roleId, sendAs } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** Ask for a token with these form parameters. */
const ask = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  service.send(null, 'POST', '/oauth/token', undefined, {
    raw: new URLSearchParams(form).toString(),
    headers: { ...FORM, ...headers },
  });

type Machine = { client_id: string; client_secret: string };

async function createMachine(more: object = {}): Promise<Machine & { name: string }> {
  const name = `machine-${randomUUID()}`;
  const answer = await service.send('admin', 'POST', '/oauth/serviceAccounts', {
    accountData: { name, ...more },
  });
  expect(answer.status, answer.text).toBe(200);
  return { name, ...(answer.json as { results: Machine }).results };
}

const formOf = ({ client_id, client_secret }: Machine) => ({
  grant_type: 'client_credentials',
  client_id,
  client_secret,
});

async function tokenOf(machine: Machine): Promise<string> {
  const answer = await ask(formOf(machine));
  expect(answer.status, answer.text).toBe(200);
  return (answer.json as { access_token: string }).access_token;
}

test('a service account exchanges its credentials for an access token that carries its roles', async () => {
  const machine = await createMachine({ assignedRoles: [{ roleId: await roleId(service, 'apiread') }] });
  const answer = await ask(formOf(machine));
  expect(answer).toMatchObject({
    status: 200,
    headers: { 'cache-control': 'no-store' },
    json: { token_type: 'bearer', expires_in: 3600 },
  });
  const { access_token } = answer.json as { access_token: string };
  const [, payload = ''] = access_token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
  expect(claims).toMatchObject({ sub: machine.client_id, jti: expect.any(String) });
  expect(Number(claims.exp) - Number(claims.iat)).toBe(3600);
  const me = {
    status: 200,
    json: { id: machine.client_id, provenance: 'Service Account', roles: ['apiread'] },
  };
  expect(await sendAs(service, access_token, 'GET', '/whoami')).toMatchObject(me);
  const cookie = { headers: { Cookie: `token=${access_token}` } };
  expect(await service.send(null, 'GET', '/whoami', undefined, cookie)).toMatchObject(me);
  expect(await service.send(null, 'GET', `/whoami?token=${access_token}`)).toMatchObject(me);
});

test('the client may show its credentials in the Authorization header', async () => {
  const machine = await createMachine();
  const headers = basic(machine.client_id, machine.client_secret);
  expect(await ask({ grant_type: 'client_credentials' }, headers)).toMatchObject({ status: 200 });
  expect(await ask(formOf(machine), headers)).toMatchObject({ status: 200 });
  const other = await createMachine();
  expect(await ask(formOf(other), headers)).toMatchObject({
    status: 400,
    json: { error: 'invalid_request' },
  });
});

test('anything but a form is rejected by its type', async () => {
  for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
    const answer = await service.send(null, 'POST', '/oauth/token', undefined, {
      raw: '{"grant_type":"client_credentials"}',
      headers: { 'Content-Type': type },
    });
    expect(answer).toMatchObject({ status: 415, json: { code: 'UNSUPPORTED_MEDIA_TYPE' } });
  }
});

test.each([
  [{}, 'invalid_request', 400],
  [{ grant_type: 'client_credentials' }, 'invalid_request', 400],
  [{ grant_type: 'client_credentials', client_id: 'x' }, 'invalid_request', 400],
  [
    { grant_type: 'client_credentials', client_id: 'x', client_secret: 'y', extra: '1' },
    'invalid_request',
    400,
  ],
  [{ grant_type: 'password', client_id: 'x', client_secret: 'y' }, 'unsupported_grant_type', 400],
  [{ grant_type: 'password', username: 'x', password: 'y' }, 'unsupported_grant_type', 400],
  [{ grant_type: 'client_credentials', client_id: 'x', client_secret: 'y' }, 'invalid_client', 401],
])('%j is rejected as %s', async (form, error, status) => {
  const answer = await ask(form as Record<string, string>);
  expect(answer).toMatchObject({
    status,
    headers: { 'cache-control': 'no-store' },
    json: { error, code: status === 401 ? 'UNAUTHORIZED' : 'BAD_REQUEST', message: expect.any(String) },
  });
  if (status === 401) expect(answer.headers['www-authenticate']).toMatch(/^Basic/);
});

test('a form with a NUL character is rejected', async () => {
  const answer = await service.send(null, 'POST', '/oauth/token', undefined, {
    raw: 'grant_type=client_credentials&client_id=a%00b&client_secret=y',
    headers: FORM,
  });
  expect(answer).toMatchObject({ status: 400 });
});

test('a user’s password is no client secret, and a client secret no password', async () => {
  const person = await createPerson(service);
  expect(
    await ask({ grant_type: 'client_credentials', client_id: person.id, client_secret: person.password }),
  ).toMatchObject({ status: 401 });
  const machine = await createMachine();
  for (const username of [machine.name, machine.client_id]) {
    const body = { username, password: machine.client_secret };
    expect(await service.send(null, 'POST', '/login', body)).toMatchObject({ status: 401 });
  }
});

test('a secret is shown once, and never again', async () => {
  const machine = await createMachine({ description: 'nightly' });
  expect(machine.client_secret).toMatch(/^[0-9a-f-]{36}$/);
  const list = await service.send('admin', 'GET', '/oauth/serviceAccounts?equalsField=name', undefined);
  expect(list.status).toBe(400);
  const found = await service.send(
    'admin',
    'GET',
    `/oauth/serviceAccounts?equals=${machine.name}&equalsField=name`,
  );
  expect(found).toMatchObject({
    status: 200,
    json: {
      total: 1,
      results: [
        {
          client_id: machine.client_id,
          name: machine.name,
          description: 'nightly',
          inactive: false,
          lastUsed: null,
        },
      ],
    },
  });
  for (const path of ['/oauth/serviceAccounts', `/authorization/accounts/${machine.client_id}`, '/audit']) {
    const { status, text } = await service.send('admin', 'GET', path);
    expect(status).toBe(200);
    expect(text).not.toContain(machine.client_secret);
    expect(text).not.toContain('argon2');
  }
  await tokenOf(machine);
  const used = await service.send(
    'admin',
    'GET',
    `/oauth/serviceAccounts?equals=${machine.name}&equalsField=name`,
  );
  expect((used.json as { results: { lastUsed: string }[] }).results[0]?.lastUsed).toMatch(/^\d{4}-.*Z$/);
});

test('a new secret ends the old one and all its tokens', async () => {
  const machine = await createMachine();
  const token = await tokenOf(machine);
  const path = `/oauth/serviceAccounts/${machine.client_id}/regenerate`;
  const answer = await service.send('admin', 'PATCH', path);
  const renewed = (answer.json as { results: Machine }).results;
  expect(renewed.client_id).toBe(machine.client_id);
  expect(await sendAs(service, token, 'GET', '/whoami')).toMatchObject({ status: 401 });
  expect(await ask(formOf(machine))).toMatchObject({ status: 401 });
  expect(await sendAs(service, await tokenOf(renewed), 'GET', '/whoami')).toMatchObject({ status: 200 });
});

test('deactivating a service account rejects its tokens immediately, also when it is active again', async () => {
  const machine = await createMachine();
  const token = await tokenOf(machine);
  const set = (inactive: boolean) =>
    service.send('admin', 'PATCH', `/oauth/serviceAccounts/${machine.client_id}`, { updates: { inactive } });
  expect(await set(true)).toMatchObject({ status: 200, json: { status: 'OK', data: { inactive: true } } });
  expect(await sendAs(service, token, 'GET', '/whoami')).toMatchObject({ status: 401 });
  expect(await ask(formOf(machine))).toMatchObject({ status: 401, json: { error: 'invalid_client' } });
  await set(false);
  expect(await sendAs(service, token, 'GET', '/whoami')).toMatchObject({ status: 401 });
  await tokenOf(machine);
});

test('a deleted service account remains as an author, releases its name, and cannot be restored', async () => {
  const machine = await createMachine({ assignedRoles: [{ roleId: await roleId(service, 'apiread') }] });
  const token = await tokenOf(machine);
  const path = `/oauth/serviceAccounts/${machine.client_id}`;
  expect(await service.send('admin', 'DELETE', path)).toMatchObject({ status: 200, json: { status: 'OK' } });
  expect(await sendAs(service, token, 'GET', '/whoami')).toMatchObject({ status: 401 });
  expect(await ask(formOf(machine))).toMatchObject({ status: 401 });
  const list = await service.send('admin', 'GET', '/oauth/serviceAccounts?limit=1000');
  expect(list.text).not.toContain(machine.client_id);
  const account = `/authorization/accounts/${machine.client_id}`;
  expect(await service.send('admin', 'GET', account)).toMatchObject({
    status: 200,
    json: { username: machine.name, inactive: true, assignedRoles: [] },
  });
  expect(await service.send('admin', 'PATCH', account, { inactive: false })).toMatchObject({ status: 409 });
  expect(await service.send('admin', 'PATCH', `${path}/regenerate`)).toMatchObject({ status: 404 });
  expect(await service.send('admin', 'DELETE', path)).toMatchObject({ status: 404 });
  const again = await service.send('admin', 'POST', '/oauth/serviceAccounts', {
    accountData: { name: machine.name },
  });
  expect(again).toMatchObject({ status: 200 });
});

test('a service account is given roles like any account', async () => {
  const machine = await createMachine();
  const token = await tokenOf(machine);
  expect(await sendAs(service, token, 'GET', '/authorization/roles')).toMatchObject({ status: 403 });
  const assignedRoles = [{ roleId: await roleId(service, 'apiread') }];
  await service.send('admin', 'PATCH', `/authorization/accounts/${machine.client_id}`, { assignedRoles });
  expect(await sendAs(service, token, 'GET', '/authorization/roles')).toMatchObject({ status: 200 });
});

test('names of service accounts are unique among them', async () => {
  const [one, two] = [await createMachine(), await createMachine()];
  const create = await service.send('admin', 'POST', '/oauth/serviceAccounts', {
    accountData: { name: one.name },
  });
  expect(create).toMatchObject({ status: 409, json: { message: expect.stringContaining(one.name) } });
  const rename = await service.send('admin', 'PATCH', `/oauth/serviceAccounts/${two.client_id}`, {
    updates: { name: one.name },
  });
  expect(rename).toMatchObject({ status: 409, json: { message: expect.stringContaining(one.name) } });
});

test('only an admin manages service accounts; a user’s account is none', async () => {
  const person = await createPerson(service);
  for (const role of ['apiread', 'apiwrite'] as const) {
    expect(await service.send(role, 'GET', '/oauth/serviceAccounts')).toMatchObject({ status: 403 });
  }
  for (const id of [person.id, '65f000000000000000000000', 'x']) {
    const updates = { description: 'x' };
    const answer = await service.send('admin', 'PATCH', `/oauth/serviceAccounts/${id}`, { updates });
    expect(answer).toMatchObject({ status: 404, json: { message: expect.stringContaining(id) } });
  }
  const bare = await service.send('admin', 'PATCH', `/oauth/serviceAccounts/${person.id}`, {
    description: 'x',
  });
  expect(bare).toMatchObject({ status: 400, json: { message: expect.stringContaining('updates') } });
});

test('no token that we did not sign, or that expired, or that names no generation, lets anyone in', async () => {
  const machine = await createMachine();
  const key = service.platform.access.tokenKeys[0] as Buffer;
  const signed = (payload: Record<string, unknown>, alg: string, secret: Uint8Array, seconds: number) =>
    new SignJWT(payload)
      .setProtectedHeader({ alg, typ: 'JWT' })
      .setSubject(machine.client_id)
      .setJti('x')
      .setIssuedAt()
      .setExpirationTime(Math.floor(Date.now() / 1000) + seconds)
      .sign(secret);
  const right = await signed({ gen: 1 }, 'HS256', key, 60);
  expect(await sendAs(service, right, 'GET', '/whoami')).toMatchObject({ status: 200 });
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${right.split('.')[1]}.`;
  const wrong = [
    await signed({ gen: 1 }, 'HS256', new Uint8Array(32), 60),
    await signed({ gen: 1 }, 'HS512', key, 60),
    await signed({ gen: 1 }, 'HS256', key, -1),
    await signed({ gen: 2 }, 'HS256', key, 60),
    await signed({ gen: '1' }, 'HS256', key, 60),
    await signed({}, 'HS256', key, 60),
    await new SignJWT({ gen: 1 })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(machine.client_id)
      .sign(key),
    unsigned,
    `${right}x`,
    `${right}.x`,
    '../..',
  ];
  for (const token of wrong) {
    expect(await sendAs(service, token, 'GET', '/whoami'), token).toMatchObject({ status: 401 });
  }
});
