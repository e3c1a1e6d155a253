import { sql } from 'drizzle-orm';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { sha256 } from '#server/kernel/secrets/vault.ts';
import {
  basic,
  createPerson,
  listAs,
  type Person,
  sendAs,
  setSignInRules,
  signIn,
  whoAmIAt,
} from '../helpers/people.ts';
import { openSibling } from '../helpers/processes/sibling.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
let person: Person;
beforeAll(() => setSignInRules(service, null));
beforeEach(async () => {
  person = await createPerson(service, ['apiread', 'apiwrite']);
});

const listOf = (token: string, path: string) => listAs(service, token, path);

/** Moves the beginning of a session back, and keeps it busy. */
async function makeOlder(token: string, minutes: number) {
  await rows(
    service.db,
    sql`update sessions set created_at = now() - make_interval(secs => ${minutes * 60}::float8), last_used_at = now()
        where token_hash = ${sha256(token)}`,
  );
  service.platform.accessChanged();
}

test('a busy session ends 12 hours after its sign-in, or sessionMaximum minutes where the profile sets it', async () => {
  const token = await signIn(service, person);
  await makeOlder(token, 719);
  expect(await sendAs(service, token, 'GET', '/whoami')).toMatchObject({ status: 200 });
  await makeOlder(token, 721);
  expect(await sendAs(service, token, 'GET', '/whoami')).toMatchObject({ status: 401 });
  await setSignInRules(service, { sessionMaximum: 5 });
  const short = await signIn(service, person);
  await makeOlder(short, 4);
  expect(await sendAs(service, short, 'GET', '/whoami')).toMatchObject({ status: 200 });
  await makeOlder(short, 6);
  expect(await sendAs(service, short, 'GET', '/whoami')).toMatchObject({ status: 401 });
  await setSignInRules(service, null);
});

test('a profile whose sessionMaximum would end every session at once is rejected with the field named', async () => {
  const answer = await service.send('admin', 'POST', '/profiles', {
    properties: { id: 'hasty', authenticationProps: { sessionMaximum: 0 } },
  });
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('sessionMaximum');
});

test('one’s own sessions are listed with address, user agent and times, and without token or hash', async () => {
  const agent = { 'User-Agent': 'probe/1.0 \u0085\u009bafter' };
  const { username, password } = person;
  const login = await service.send(null, 'POST', '/login', { username, password }, { headers: agent });
  const token = login.text;
  const other = await signIn(service, person);
  await signIn(service, await createPerson(service));
  const { results, total } = await listOf(token, '/user/sessions');
  expect(total).toBe(2);
  expect(results.map(({ current }) => current).toSorted()).toEqual([false, true]);
  const mine = results.find(({ current }) => current);
  expect(Object.keys(mine ?? {}).toSorted()).toEqual(
    ['_id', 'address', 'created', 'current', 'expires', 'lastUsed', 'userAgent'].toSorted(),
  );
  expect(mine).toMatchObject({
    address: '127.0.0.1',
    userAgent: expect.stringMatching(/^probe\/1\.0 \P{Cc}*\uFFFD\P{Cc}*after$/u),
  });
  expect(Date.parse(String(mine?.expires)) - Date.parse(String(mine?.created))).toBe(12 * 3_600_000);
  const text = JSON.stringify(results);
  for (const secret of [token, other, sha256(token), sha256(other)]) expect(text).not.toContain(secret);
});

test('ending one’s own session rejects its token immediately, also in another process', async () => {
  const [stays, goes] = [await signIn(service, person), await signIn(service, person)];
  const { url } = await openSibling(service);
  expect(await whoAmIAt(url, goes)).toBe(200);
  const { results } = await listOf(goes, '/user/sessions');
  const id = results.find(({ current }) => current)?._id;
  const ended = await sendAs(service, stays, 'DELETE', `/user/sessions/${id}`);
  expect(ended, ended.text).toMatchObject({ status: 200, json: { status: 'OK' } });
  expect((await sendAs(service, goes, 'GET', '/whoami')).status).toBe(401);
  await expect.poll(() => whoAmIAt(url, goes), { timeout: 5000 }).toBe(401);
  expect((await sendAs(service, stays, 'GET', '/whoami')).status).toBe(200);
});

test('the session of another account is 404 for the account that tries to end it', async () => {
  const theirs = await createPerson(service);
  const token = await signIn(service, theirs);
  const [session] = (await listOf(token, '/user/sessions')).results;
  const admin = await service.send('admin', 'DELETE', `/user/sessions/${session?._id}`);
  expect(admin).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
  expect((await sendAs(service, token, 'GET', '/whoami')).status).toBe(200);
});

test('signing out with a bearer token ends that session', async () => {
  const token = await signIn(service, person);
  expect((await sendAs(service, token, 'POST', '/logout')).status).toBe(200);
  expect((await sendAs(service, token, 'GET', '/whoami')).status).toBe(401);
});

test('a password change ends the other sessions, switching the account off ends all', async () => {
  const [changer, other] = [await signIn(service, person), await signIn(service, person)];
  const newPassword = 'seven wet umbrellas';
  const changed = await sendAs(service, changer, 'PUT', `/authorization/accounts/${person.id}/password`, {
    newPassword,
    currentPassword: person.password,
  });
  expect(changed.status, changed.text).toBe(200);
  expect((await sendAs(service, other, 'GET', '/whoami')).status).toBe(401);
  expect((await sendAs(service, changer, 'GET', '/whoami')).status).toBe(200);
  await service.send('admin', 'PATCH', `/authorization/accounts/${person.id}`, { inactive: true });
  expect((await sendAs(service, changer, 'GET', '/whoami')).status).toBe(401);
});

test('a password in the header opens no session', async () => {
  const answer = await service.send(null, 'GET', '/user/sessions', undefined, {
    headers: basic(person.username, person.password),
  });
  expect(answer).toMatchObject({ status: 200, json: { results: [], total: 0 } });
});
