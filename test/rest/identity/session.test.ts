import { sql } from 'drizzle-orm';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { inTransaction, rows } from '#db/client.ts';
import { clearEnded } from '#server/domains/identity/sessions/sessions.service.ts';
import { lockProvenAccount } from '#server/domains/identity/sessions/sign-in.service.ts';
import type { Proof } from '#server/kernel/access.ts';
import { sha256 } from '#server/kernel/secrets/vault.ts';
import {
  basic,
  createPerson,
  isWaiting,
  type Person,
  sendAs,
  setSignInRules,
  signIn,
  until,
} from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();

let person: Person;
beforeAll(async () => {
  person = await createPerson(service, ['apiread']);
});
afterEach(() => setSignInRules(service, null));

const whoami = (headers: Record<string, string>, query = '') =>
  service.send(null, 'GET', `/whoami${query}`, undefined, { headers });

/** How long ago a session was used, in minutes. */
async function idleMinutes(token: string) {
  const [row] = await rows<{ idle: number }>(
    service.db,
    sql`select extract(epoch from now() - last_used_at)::float8 / 60 as idle
        from sessions where token_hash = ${sha256(token)}`,
  );
  return row?.idle;
}

/** Age a session, and let the process forget that it saw it. */
async function age(token: string, minutes: number) {
  await rows(
    service.db,
    sql`update sessions set last_used_at = now() - make_interval(secs => ${minutes * 60}::float8)
        where token_hash = ${sha256(token)}`,
  );
  service.platform.accessChanged();
}

test('two cookies that could be sessions are none, neither prevents a new sign-in, and others are ignored', async () => {
  const own = await signIn(service, person);
  const other = await signIn(service, await createPerson(service, ['apiread']));
  const statusWith = async (cookie: string) => (await whoami({ cookie })).status;
  expect(await statusWith(`token=${own}`)).toBe(200);
  expect(await statusWith(`token=${own}; token=${own}`)).toBe(200);
  expect(await statusWith(`token=${other}; token=${own}`)).toBe(401);
  expect(await statusWith(`token=${own}; token=`)).toBe(200);
  expect(await statusWith(`token=of-another-application; token=${own}`)).toBe(200);
  const { username, password } = person;
  const headers = { cookie: `token=${other}; token=${own}` };
  const again = await service.send(null, 'POST', '/login', { username, password }, { headers });
  expect(again.status).toBe(200);
});

test('signing in answers the bare token and sets it as a cookie', async () => {
  const { username, password } = person;
  for (const body of [{ username, password }, { user: { username, password } }]) {
    const answer = await service.send(null, 'POST', '/login', body);
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(answer.headers['content-type']).toMatch(/^text\/plain/);
    expect(answer.text).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(answer.headers['set-cookie']).toEqual([`token=${answer.text}; Path=/; HttpOnly; SameSite=Lax`]);
  }
});

test('the cookie is named as the active profile says, and is Secure behind TLS', async () => {
  await setSignInRules(service, { cookieName: 'lab_sid' });
  const behindTls = await openService({ TRUST_PROXY: '1' });
  const other = await createPerson(behindTls);
  const secure = await behindTls.send(null, 'POST', '/login', other, {
    raw: JSON.stringify({ username: other.username, password: other.password }),
    headers: { 'X-Forwarded-Proto': 'https' },
  });
  expect(String(secure.headers['set-cookie'])).toMatch(/; Secure$/);
  const token = await signIn(service, person);
  expect(await whoami({ Cookie: `lab_sid=${token}` })).toMatchObject({ status: 200 });
  expect(await whoami({ Cookie: `token=${token}` })).toMatchObject({ status: 401 });
});

test.each([
  ['nothing', {}],
  ['a name alone', { username: 'x' }],
  ['both forms', { user: { username: 'x', password: 'y' }, username: 'x', password: 'y' }],
  ['a stranger', { username: 'x', password: 'y', otp: '1' }],
])('signing in with %s is a bad request', async (_, body) => {
  expect(await service.send(null, 'POST', '/login', body)).toMatchObject({ status: 400 });
});

test('an unknown name, a wrong password and an inactive account are rejected alike', async () => {
  const inactive = await createPerson(service);
  await service.send('admin', 'PATCH', `/authorization/accounts/${inactive.id}`, { inactive: true });
  const answers = [
    await service.send(null, 'POST', '/login', { username: 'nobody-at-all', password: 'x' }),
    await service.send(null, 'POST', '/login', { username: person.username, password: 'x' }),
    await service.send(null, 'POST', '/login', { username: inactive.username, password: inactive.password }),
  ];
  for (const { status, headers, json } of answers) {
    expect(status).toBe(401);
    expect(headers['set-cookie']).toBeUndefined();
    expect({ ...(json as object), requestId: '' }).toEqual({
      code: 'UNAUTHORIZED',
      message: 'Invalid credentials',
      requestId: '',
    });
  }
});

test('a token is accepted in the header, the cookie and the query; name and password in the header', async () => {
  const token = await signIn(service, person);
  const me = { status: 200, json: { id: person.id } };
  expect(await whoami({ Authorization: `Bearer ${token}` })).toMatchObject(me);
  expect(await whoami({ Authorization: `bearer  ${token}` })).toMatchObject(me);
  expect(await whoami({ Cookie: `a=b; token=${token}` })).toMatchObject(me);
  expect(await whoami({}, `?token=${token}`)).toMatchObject(me);
  expect(await whoami(basic(person.username, person.password))).toMatchObject(me);
});

test('a credential that is present but wrong never falls through to the next one', async () => {
  const token = await signIn(service, person);
  const good = { Cookie: `token=${token}` };
  for (const Authorization of [
    'Bearer nonsense',
    token,
    'Basic !!!',
    'Basic YWRtaW4=',
    `Basic ${Buffer.from('a\0b:c').toString('base64')}`,
    'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.',
  ]) {
    expect(await whoami({ ...good, Authorization }, `?token=${token}`), Authorization).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': expect.stringMatching(/^Bearer/) },
    });
  }
  expect(await whoami({ Cookie: 'token=wrong' }, `?token=${token}`)).toMatchObject({ status: 401 });
});

test('a token that the caller chose is never taken over', async () => {
  const { username, password } = person;
  const chosen = 'chosen'.padEnd(43, '0');
  const headers = { Cookie: `token=${chosen}` };
  const answer = await service.send(null, 'POST', '/login', { username, password }, { headers });
  expect(answer.text).not.toBe(chosen);
  expect(await whoami(headers)).toMatchObject({ status: 401 });
});

test('only the hash of a token is stored', async () => {
  const token = await signIn(service, person);
  const [row] = await rows<{ all: string }>(service.db, sql`select json_agg(s)::text as all from sessions s`);
  expect(row?.all).toContain(sha256(token));
  expect(row?.all).not.toContain(token);
});

test.each(['POST', 'GET'])('%s /logout ends the session that was presented, and no other', async (method) => {
  const [one, other] = [await signIn(service, person), await signIn(service, person)];
  const answer = await service.send(null, method, '/logout', undefined, {
    headers: { Cookie: `token=${one}` },
  });
  expect(answer).toMatchObject({ status: 200, json: { status: 'OK' } });
  expect(answer.headers['set-cookie']).toEqual(['token=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0']);
  expect(await whoami({ Cookie: `token=${one}` })).toMatchObject({ status: 401 });
  expect(await whoami({ Authorization: `Bearer ${other}` })).toMatchObject({ status: 200 });
});

test('signing out with a password ends nothing', async () => {
  const token = await signIn(service, person);
  const headers = basic(person.username, person.password);
  expect(await service.send(null, 'POST', '/logout', undefined, { headers })).toMatchObject({ status: 200 });
  expect(await whoami({ Authorization: `Bearer ${token}` })).toMatchObject({ status: 200 });
});

test('a page of another site can neither sign a user out nor write with the cookie', async () => {
  const token = await signIn(service, person);
  for (const headers of [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
    const answer = await service.send(null, 'POST', '/logout', undefined, {
      headers: { Cookie: `token=${token}`, ...headers } as Record<string, string>,
    });
    expect(answer).toMatchObject({ status: 403, json: { code: 'FORBIDDEN' } });
    const link = await service.send(null, 'GET', '/logout', undefined, {
      headers: { Cookie: `token=${token}`, ...headers } as Record<string, string>,
    });
    expect(link).toMatchObject({ status: 403 });
    const read = { Cookie: `token=${token}`, ...headers } as Record<string, string>;
    expect(await whoami(read)).toMatchObject({ status: 200 });
  }
  expect(await whoami({ Cookie: `token=${token}` })).toMatchObject({ status: 200 });
});

test('an idle session ends after logoutTime minutes, 60 unless the profile says otherwise', async () => {
  const token = await signIn(service, person);
  await age(token, 59);
  expect(await sendAs(service, token, 'GET', '/whoami')).toMatchObject({ status: 200 });
  await age(token, 61);
  expect(await sendAs(service, token, 'GET', '/whoami')).toMatchObject({ status: 401 });
  await setSignInRules(service, { logoutTime: 0.5 });
  const short = await signIn(service, person);
  await age(short, 0.4);
  expect(await sendAs(service, short, 'GET', '/whoami')).toMatchObject({ status: 200 });
  await age(short, 0.6);
  expect(await sendAs(service, short, 'GET', '/whoami')).toMatchObject({ status: 401 });
});

test('no profile, however strange, locks users out', async () => {
  for (const rules of [
    { logoutTime: 1e308, admins: [null, 5, 'x', { group: 5 }], cookieName: 'a b;' },
    { logoutTime: -1, uniqueSession: 'yes', admins: {} },
  ]) {
    await setSignInRules(service, rules);
    const token = await signIn(service, person);
    expect(await sendAs(service, token, 'GET', '/whoami')).toMatchObject({ status: 200 });
  }
});

test('each authenticated request extends the session; one in the background does not', async () => {
  const token = await signIn(service, person);
  await age(token, 30);
  await sendAs(service, token, 'GET', '/whoami', undefined, { 'X-Background': '1' });
  expect(await idleMinutes(token)).toBeGreaterThan(29);
  // The background request must not hide this one from the database.
  await sendAs(service, token, 'GET', '/whoami');
  expect(await idleMinutes(token)).toBeLessThan(1);
  await age(token, 61);
  await sendAs(service, token, 'GET', '/whoami');
  expect(await idleMinutes(token)).toBeGreaterThan(60);
});

test('uniqueSession ends the older sessions of the account, also for two concurrent sign-ins', async () => {
  await setSignInRules(service, { uniqueSession: true });
  const other = await createPerson(service);
  const first = await signIn(service, other);
  const second = await signIn(service, other);
  expect(await sendAs(service, first, 'GET', '/whoami')).toMatchObject({ status: 401 });
  expect(await sendAs(service, second, 'GET', '/whoami')).toMatchObject({ status: 200 });
  const tokens = await Promise.all(Array.from({ length: 6 }, () => signIn(service, other)));
  const alive = await Promise.all(tokens.map((token) => sendAs(service, token, 'GET', '/whoami')));
  expect(alive.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('a secret that is replaced, or an account switched off, while it signs in opens no session', async () => {
  const generation = sql`update credentials set generation = generation + 1 where account_id = ${person.id}`;
  const inactive = sql`update accounts set doc = jsonb_set(doc, '{inactive}', 'true') where id = ${person.id}`;
  for (const change of [generation, inactive]) {
    const [proof] = await rows<Proof>(
      service.db,
      sql`select account_id as id, '' as username, generation from credentials where account_id = ${person.id}`,
    );
    if (!proof) throw new Error('no credential');
    expect(await inTransaction(service.db, (tx) => lockProvenAccount(tx, proof))).toBe(true);
    let signingIn: Promise<boolean> | undefined;
    await inTransaction(service.db, async (tx) => {
      await rows(tx, sql`select from accounts where id = ${person.id} for update`);
      signingIn = inTransaction(service.db, (other) => lockProvenAccount(other, proof));
      await until(() => isWaiting(service));
      await rows(tx, change);
    });
    expect(await signingIn).toBe(false);
  }
  await rows(
    service.db,
    sql`update accounts set doc = jsonb_set(doc, '{inactive}', 'false') where id = ${person.id}`,
  );
});

test('sessions that ended by idleness are cleared away, and only those', async () => {
  const [old, young] = [await signIn(service, person), await signIn(service, person)];
  await age(old, 61);
  await clearEnded(service.db, { idleSeconds: 3600, maximumSeconds: 43_200 });
  expect(await idleMinutes(old)).toBeUndefined();
  expect(await idleMinutes(young)).toBeLessThan(1);
});
