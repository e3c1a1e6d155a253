import { sql } from 'drizzle-orm';
import { Secret, TOTP } from 'otpauth';
import { afterEach, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { basic, createPerson, type Person, sendAs, signIn } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
afterEach(() => rows(service.db, sql`delete from throttle`));

/** The code of an authenticator, some steps of half a minute from now. */
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: 30 }).generate({
    timestamp: Date.now() + steps * 30_000,
  });

const login = ({ username, password }: Person, code?: string) =>
  service.send(null, 'POST', '/login', { username, password, ...(code !== undefined && { code }) });

/** A user with a second factor: the code of the step before the current one was used to confirm it. */
async function createWithFactor() {
  const person = await createPerson(service, ['apiread']);
  const token = await signIn(service, person);
  const begun = await sendAs(service, token, 'POST', '/user/second_factor', { password: person.password });
  expect(begun.status, begun.text).toBe(200);
  const { secret, uri } = begun.json as { secret: string; uri: string };
  const confirm = async () => {
    const code = codeOf(secret, -1);
    return { code, confirmed: await sendAs(service, token, 'POST', '/user/second_factor/confirm', { code }) };
  };
  // The step may end between the code and the answer: its code is then too old.
  const first = await confirm();
  const { code, confirmed } = first.confirmed.status === 400 ? await confirm() : first;
  expect(confirmed.status, confirmed.text).toBe(200);
  const { recoveryCodes } = confirmed.json as { recoveryCodes: string[] };
  return { person, token, secret, uri, recoveryCodes, used: code };
}

test('signing in needs a code once the secret was confirmed, and the rejection says so', async () => {
  const { person, secret, uri } = await createWithFactor();
  expect(uri).toContain(`secret=${secret}`);
  const without = await login(person);
  expect(without.status).toBe(401);
  expect(without.json).toMatchObject({ reason: 'second factor required' });
  expect(without.headers['set-cookie']).toBeUndefined();
  const answer = await login(person, codeOf(secret));
  expect(answer.status, answer.text).toBe(200);
  expect((await sendAs(service, answer.text, 'GET', '/user/second_factor')).json).toMatchObject({
    enabled: true,
    recoveryCodesLeft: 10,
  });
});

test('a code is accepted once, and a wrong password with a right code is only a wrong password', async () => {
  const { person, secret, used } = await createWithFactor();
  const wrong = await login({ ...person, password: 'another password' }, codeOf(secret));
  expect(wrong.json).toMatchObject({ message: 'Invalid credentials' });
  expect((await login(person, used)).status).toBe(401);
  const code = codeOf(secret);
  const answers = await Promise.all([login(person, code), login(person, code), login(person, code)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  expect((await login(person, code)).json).toMatchObject({ reason: 'second factor refused' });
});

test('a secret that was not confirmed changes nothing', async () => {
  const person = await createPerson(service);
  const token = await signIn(service, person);
  await sendAs(service, token, 'POST', '/user/second_factor', { password: person.password });
  const wrong = await sendAs(service, token, 'POST', '/user/second_factor/confirm', { code: '000000' });
  expect(wrong.status).toBe(400);
  expect((await login(person)).status).toBe(200);
});

test('confirming ends the other sessions of the account, and keeps its own', async () => {
  const person = await createPerson(service);
  const [own, other] = [await signIn(service, person), await signIn(service, person)];
  const begun = await sendAs(service, own, 'POST', '/user/second_factor', { password: person.password });
  const { secret } = begun.json as { secret: string };
  await sendAs(service, own, 'POST', '/user/second_factor/confirm', { code: codeOf(secret) });
  expect((await sendAs(service, own, 'GET', '/whoami')).status).toBe(200);
  expect((await sendAs(service, other, 'GET', '/whoami')).status).toBe(401);
});

test('a recovery code is accepted once, in any writing', async () => {
  const { person, recoveryCodes } = await createWithFactor();
  expect(new Set(recoveryCodes).size).toBe(10);
  const [first = ''] = recoveryCodes;
  expect((await login(person, first.toUpperCase().replaceAll('-', ' '))).status).toBe(200);
  expect((await login(person, first)).status).toBe(401);
});

test('wrong codes are throttled for the account, from whatever address', async () => {
  const { person, secret } = await createWithFactor();
  for (let tries = 0; tries < 10; tries += 1) expect((await login(person, '000000')).status).toBe(401);
  const answer = await login(person, codeOf(secret));
  expect(answer.status).toBe(429);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
});

test('name and password alone are no longer accepted as Basic authentication', async () => {
  const { person } = await createWithFactor();
  const headers = basic(person.username, person.password);
  const answer = await service.send(null, 'GET', '/whoami', undefined, { headers });
  expect(answer.status).toBe(401);
  expect(answer.json).toMatchObject({ reason: 'second factor required' });
});

test('a second factor is removed with password and code, or by an admin', async () => {
  const { person, token, secret } = await createWithFactor();
  const disable = (password: string, code: string) =>
    sendAs(service, token, 'POST', '/user/second_factor/disable', { password, code });
  expect((await disable('another password', codeOf(secret))).status).toBe(403);
  expect((await disable(person.password, '000000')).status).toBe(401);
  expect((await disable(person.password, codeOf(secret))).status).toBe(200);
  expect((await login(person)).status).toBe(200);

  const lost = await createWithFactor();
  const path = `/authorization/accounts/${lost.person.id}/second_factor`;
  expect((await sendAs(service, lost.token, 'DELETE', path)).status).toBe(403);
  expect((await service.send('admin', 'DELETE', path)).status).toBe(200);
  expect((await sendAs(service, lost.token, 'GET', '/whoami')).status).toBe(401);
  expect((await login(lost.person)).status).toBe(200);
  expect((await service.send('admin', 'DELETE', path)).status).toBe(404);
});

test('setting up a second factor needs the password, and neither log nor database holds a secret in clear', async () => {
  const person = await createPerson(service);
  const token = await signIn(service, person);
  const rejected = await sendAs(service, token, 'POST', '/user/second_factor', { password: 'wrong' });
  expect(rejected.status).toBe(403);
  const { secret, recoveryCodes } = await createWithFactor();
  const [stored] = await rows<{ text: string }>(
    service.db,
    sql`select string_agg(f::text, ' ') as text from second_factors f`,
  );
  for (const text of [stored?.text ?? '', service.logged.join('\n')]) {
    expect(text).not.toContain(secret);
    for (const code of recoveryCodes) expect(text).not.toContain(code);
  }
});
