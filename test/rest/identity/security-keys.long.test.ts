import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { Secret, TOTP } from 'otpauth';
import { afterEach, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { type Falsified, SoftKey } from '../../helpers/identity/authenticator.ts';
import { basic, createPerson, type Person, sendAs, signIn } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
afterEach(() => rows(service.db, sql`delete from throttle`));

const HOST = 'nms.example.net';
const ORIGIN = `http://${HOST}`;
type Begun = { options: { challenge: string; rp?: { id?: string }; rpId?: string } };

/** A browser on the platform's host name: the cookies of challenges are kept by the test. */
const cookieOf = ({ headers }: { headers: Record<string, unknown> }) =>
  String(headers['set-cookie'] ?? '').split(';', 1)[0] ?? '';
const onHost = (cookie = '', host = HOST) => ({ Host: host, ...(cookie && { Cookie: cookie }) });

const begin = async ({ username, password }: Person, host = HOST) => {
  const body = { username, password };
  const answer = await service.send(null, 'POST', '/login/security_key', body, {
    headers: onHost('', host),
  });
  return { ...answer, options: (answer.json as Begun).options, cookie: cookieOf(answer) };
};

const login = ({ username, password }: Person, securityKey: unknown, cookie: string, host = HOST) =>
  service.send(
    null,
    'POST',
    '/login',
    { username, password, securityKey },
    {
      headers: onHost(cookie, host),
    },
  );

const start = async (token: string, body: object) => {
  const answer = await sendAs(service, token, 'POST', '/user/security_keys', body, onHost());
  return { ...answer, options: (answer.json as Begun).options, cookie: cookieOf(answer) };
};

const confirm = (token: string, credential: unknown, cookie: string, name = 'Key') =>
  sendAs(service, token, 'POST', '/user/security_keys/confirm', { name, credential }, onHost(cookie));

/** A user whose second factor is one security key. */
async function createWithKey() {
  const person = await createPerson(service, ['apiread']);
  const token = await signIn(service, person);
  const key = new SoftKey(ORIGIN);
  const begun = await start(token, { password: person.password });
  expect(begun.status, begun.text).toBe(200);
  const confirmed = await confirm(token, key.create(begun.options), begun.cookie);
  expect(confirmed.status, confirmed.text).toBe(200);
  const { data, recoveryCodes } = confirmed.json as { data: { _id: string }; recoveryCodes: string[] };
  return { person, token, key, id: data._id, recoveryCodes };
}

/** Proves the second factor of a person with a key, for one request. */
const prove = async (person: Person, key: SoftKey, falsified: Falsified = {}) => {
  const { options, cookie } = await begin(person);
  return { securityKey: key.get(options, falsified), cookie };
};

test('signing in needs the key once it is registered, and a program reads which factors there are', async () => {
  const { person, key, recoveryCodes } = await createWithKey();
  expect(new Set(recoveryCodes).size).toBe(10);
  const without = await service.send(null, 'POST', '/login', {
    username: person.username,
    password: person.password,
  });
  expect(without.status).toBe(401);
  expect(without.json).toMatchObject({
    reason: 'second factor required',
    factors: ['code', 'securityKey'],
  });
  const { securityKey, cookie } = await prove(person, key);
  const answer = await login(person, securityKey, cookie);
  expect(answer.status, answer.text).toBe(200);
  const list = await sendAs(service, answer.text, 'GET', '/user/security_keys');
  expect(list.json).toMatchObject({
    total: 1,
    results: [{ name: 'Key', host: HOST, transports: ['usb'], lastUsed: expect.any(String) }],
  });
  expect((await sendAs(service, answer.text, 'GET', '/user/second_factor')).json).toMatchObject({
    enabled: true,
    oneTimePasswords: false,
    securityKeys: 1,
  });
});

test('a challenge is answered once, also by concurrent requests', async () => {
  const { person, key } = await createWithKey();
  const { securityKey, cookie } = await prove(person, key);
  const answers = await Promise.all([1, 2, 3].map(() => login(person, securityKey, cookie)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  expect((await login(person, securityKey, cookie)).json).toMatchObject({ reason: 'second factor refused' });
});

const FORGERIES: [string, Falsified][] = [
  ['another origin', { origin: 'https://evil.example.com' }],
  ['another challenge', { challenge: 'AAAA' }],
  ['another host', { host: 'evil.example.com' }],
  ['another type', { type: 'webauthn.create' }],
  ['another private key', { stranger: true }],
  ['no user at the key', { flags: 0 }],
  ['a counter that does not grow', { counter: 1 }],
];

test.each(FORGERIES)('an answer with %s is rejected', async (_what, falsified) => {
  const { person, key } = await createWithKey();
  const { securityKey, cookie } = await prove(person, key, falsified);
  const answer = await login(person, securityKey, cookie);
  expect(answer.status).toBe(401);
  expect(answer.json).toMatchObject({ reason: 'second factor refused' });
  expect(answer.headers['set-cookie']).toBeUndefined();
});

test('an answer counts only in the browser that asked, for the account that asked, and at its host', async () => {
  const { person, key } = await createWithKey();
  const other = await createWithKey();
  const proof = await prove(person, key);
  expect((await login(person, proof.securityKey, '')).status).toBe(401);
  expect((await login(other.person, proof.securityKey, proof.cookie)).status).toBe(401);
  const mixed = await begin(other.person);
  expect((await login(person, key.get(mixed.options), mixed.cookie)).status).toBe(401);
  const elsewhere = await begin(person, 'other.example.net');
  expect(elsewhere.status).toBe(409);
  expect((await login(person, proof.securityKey, proof.cookie, 'other.example.net')).status).toBe(401);
  expect((await login(person, proof.securityKey, proof.cookie)).status).toBe(200);
});

test('a challenge ends after five minutes', async () => {
  const { person, key } = await createWithKey();
  const proof = await prove(person, key);
  const now = service.platform.now;
  Object.assign(service.platform, { now: () => new Date(now().getTime() + 301_000) });
  try {
    expect((await login(person, proof.securityKey, proof.cookie)).status).toBe(401);
  } finally {
    Object.assign(service.platform, { now });
  }
});

test('a wrong password gets no challenge, and neither name nor key is revealed', async () => {
  const { person } = await createWithKey();
  for (const wrong of [
    { ...person, password: 'wrong' },
    { ...person, username: 'nobody-here' },
  ]) {
    const answer = await begin(wrong);
    expect(answer.status).toBe(401);
    expect(answer.json).toMatchObject({ message: 'Invalid credentials' });
  }
});

test('a registration counts once, in the session that began it, with a credential made for it', async () => {
  const person = await createPerson(service, ['apiread']);
  const [own, other] = [await signIn(service, person), await signIn(service, person)];
  const key = new SoftKey(ORIGIN);
  const begun = await start(own, { password: person.password });
  expect((await confirm(other, key.create(begun.options), begun.cookie)).status).toBe(401);
  expect((await confirm(own, key.create(begun.options), '')).status).toBe(401);
  const forged = [
    key.create(begun.options, { origin: 'https://evil.example.com' }),
    key.create(begun.options, { host: 'evil.example.com' }),
    key.create(begun.options, { type: 'webauthn.get' }),
    key.create(begun.options, { flags: 0x40 }),
    key.create(begun.options, { format: 'packed', statement: new Map([['x5c', [Buffer.from('a')]]]) }),
    key.create(begun.options, { format: 'apple', statement: new Map([['x5c', [Buffer.from('a')]]]) }),
  ];
  for (const credential of forged) {
    const answer = await confirm(own, credential, begun.cookie);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.json).toMatchObject({ issues: [{ path: ['credential'], code: 'invalid_credential' }] });
  }
  expect((await confirm(own, key.create(begun.options), begun.cookie)).status).toBe(200);
  const again = await confirm(own, new SoftKey(ORIGIN).create(begun.options), begun.cookie);
  expect(again.json).toMatchObject({ reason: 'ATTEMPT_UNKNOWN' });
  expect((await sendAs(service, own, 'GET', '/whoami')).status).toBe(200);
  expect((await sendAs(service, other, 'GET', '/whoami')).status).toBe(401);
});

test('another key needs the password and a proof of the factor that is there, and a key is registered once', async () => {
  const { person, token, key } = await createWithKey();
  expect((await start(token, { password: 'wrong' })).status).toBe(403);
  expect((await start(token, { password: person.password })).json).toMatchObject({
    reason: 'second factor required',
  });
  const register = async (added: SoftKey) => {
    const proof = await prove(person, key);
    const body = { password: person.password, securityKey: proof.securityKey };
    const answer = await sendAs(service, token, 'POST', '/user/security_keys', body, onHost(proof.cookie));
    expect(answer.status, answer.text).toBe(200);
    return confirm(token, added.create((answer.json as Begun).options), cookieOf(answer), 'Second');
  };
  const second = new SoftKey(ORIGIN);
  expect((await register(second)).json).toMatchObject({ recoveryCodes: [] });
  expect((await register(second)).status).toBe(409);
  const proof = await prove(person, second);
  expect((await login(person, proof.securityKey, proof.cookie)).status).toBe(200);
});

test('keys are renamed and removed by their owner alone, and the last one ends the second factor', async () => {
  const { person, token, key, id } = await createWithKey();
  const stranger = await createWithKey();
  const renamed = await sendAs(service, token, 'PATCH', `/user/security_keys/${id}`, { name: 'Blue' });
  expect(renamed.json).toMatchObject({ status: 'OK', data: { name: 'Blue' } });
  const path = `/user/security_keys/${id}`;
  expect((await sendAs(service, stranger.token, 'PATCH', path, { name: 'Mine' })).status).toBe(404);
  const removal = `${path}/remove`;
  const remove = (by: string, body: object, cookie = '') =>
    sendAs(service, by, 'POST', removal, body, onHost(cookie));
  const foreign = { password: stranger.person.password, code: stranger.recoveryCodes[0] };
  expect((await remove(stranger.token, foreign)).status).toBe(404);
  expect((await remove(token, { password: person.password })).status).toBe(401);
  const proof = await prove(person, key);
  const body = { password: person.password, securityKey: proof.securityKey };
  expect((await remove(token, body, proof.cookie)).json).toMatchObject({
    message: 'Removed Blue. Signing in needs no second factor any more.',
  });
  expect((await signIn(service, person)).length).toBeGreaterThan(20);
});

test('an account may have one-time passwords and keys, and each is removed separately', async () => {
  const { person, token, key, recoveryCodes } = await createWithKey();
  const [first = ''] = recoveryCodes;
  const body = { password: person.password, code: first };
  const begun = await sendAs(service, token, 'POST', '/user/second_factor', body);
  expect(begun.status, begun.text).toBe(200);
  const { secret } = begun.json as { secret: string };
  const codeAt = (steps: number) =>
    new TOTP({ secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: 30 }).generate({
      timestamp: Date.now() + steps * 30_000,
    });
  // The oldest and the newest accepted code are used: their period must not end meanwhile.
  const leftMs = 30_000 - (Date.now() % 30_000);
  if (leftMs < 5000) await sleep(leftMs);
  const unconfirmed = await service.send(null, 'POST', '/login', { ...named(person), code: codeAt(0) });
  expect(unconfirmed.status).toBe(401);
  const confirmed = await sendAs(service, token, 'POST', '/user/second_factor/confirm', { code: codeAt(-1) });
  expect(confirmed.status, confirmed.text).toBe(200);
  const old = await service.send(null, 'POST', '/login', { ...named(person), code: recoveryCodes[1] });
  expect(old.status).toBe(401);
  expect((await service.send(null, 'POST', '/login', { ...named(person), code: codeAt(0) })).status).toBe(
    200,
  );
  const proof = await prove(person, key);
  const disabled = await sendAs(
    service,
    token,
    'POST',
    '/user/second_factor/disable',
    { password: person.password, securityKey: proof.securityKey },
    onHost(proof.cookie),
  );
  expect(disabled.json).toMatchObject({ message: 'Signing in still needs a second factor.' });
  expect((await service.send(null, 'POST', '/login', { ...named(person), code: codeAt(1) })).status).toBe(
    401,
  );
  const last = await prove(person, key);
  expect((await login(person, last.securityKey, last.cookie)).status).toBe(200);
});

const named = ({ username, password }: Person) => ({ username, password });

test('an admin removes keys and codes together, and the trail says so', async () => {
  const { person, token, key } = await createWithKey();
  const path = `/authorization/accounts/${person.id}/second_factor`;
  expect((await service.send('admin', 'DELETE', path)).status).toBe(200);
  expect((await sendAs(service, token, 'GET', '/whoami')).status).toBe(401);
  const begun = await begin(person);
  expect(begun.status).toBe(409);
  expect((await signIn(service, person)).length).toBeGreaterThan(20);
  expect(key.counter).toBe(1);
  const trail = await service.send('admin', 'GET', '/audit?limit=200');
  const { results } = trail.json as { results: { operation: string; documents?: { kind: string }[] }[] };
  const kindsOf = (operation: string) =>
    results.find((row) => row.operation === operation)?.documents?.map(({ kind }) => kind);
  expect(kindsOf('authorization.removeSecondFactor')).toEqual([
    'second_factors',
    'security_keys',
    'sessions',
  ]);
  expect(kindsOf('session.confirmSecurityKey')).toContain('security_keys');
});

test('the trail of a sign-in names the key', async () => {
  const { person, key, id } = await createWithKey();
  const proof = await prove(person, key);
  expect((await login(person, proof.securityKey, proof.cookie)).status).toBe(200);
  const trail = await service.send('admin', 'GET', '/audit?limit=200');
  const { results } = trail.json as {
    results: { outcome: string; account: string; document: object | null }[];
  };
  const own = results.filter(({ outcome, account }) => outcome === 'ok' && account === person.username);
  expect(own[0]?.document).toMatchObject({ kind: 'security_keys', id });
});

test('wrong answers of keys are throttled for the account together with wrong codes', async () => {
  const { person, key } = await createWithKey();
  for (let tries = 0; tries < 10; tries += 1) {
    const { securityKey, cookie } = await prove(person, key, { stranger: true });
    expect((await login(person, securityKey, cookie)).status).toBe(401);
  }
  const { securityKey, cookie } = await prove(person, key);
  expect((await login(person, securityKey, cookie)).status).toBe(429);
});

test('Basic authentication, IP addresses and personal tokens are rejected', async () => {
  const { person, token } = await createWithKey();
  const headers = basic(person.username, person.password);
  expect((await service.send(null, 'GET', '/whoami', undefined, { headers })).status).toBe(401);
  const byAddress = await begin(person, '192.0.2.1:3000');
  expect(byAddress.status).toBe(422);
  const made = await sendAs(service, token, 'POST', '/user/tokens', { name: 'program' });
  const { token: personal } = made.json as { token: string };
  expect((await start(personal, { password: person.password })).status).toBe(403);
});

test('rejects a malformed security key response and names the field', async () => {
  const { person } = await createWithKey();
  const answer = await login(person, { id: 'no base64!', response: {} }, '');
  expect(answer.status).toBe(400);
  const { issues } = answer.json as { issues: { path: string[] }[] };
  expect(issues.map(({ path }) => path.join('.'))).toEqual([
    'securityKey.id',
    'securityKey.response.clientDataJSON',
    'securityKey.response.authenticatorData',
    'securityKey.response.signature',
  ]);
  const garbage = { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' };
  expect((await login(person, { id: 'AAAA', response: garbage }, '')).status).toBe(401);
});
