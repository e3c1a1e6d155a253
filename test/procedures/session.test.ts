import { expect, test } from 'vitest';
import { createPerson } from '../helpers/people.ts';
import { issuePathsOf, NOBODY, rejectionOf } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const nobody = await service.as(null);
const { session, authorization } = await service.as(['apiread', 'designer']);

test('an account signs in by name and password, sent bare or in one field', async () => {
  const { username, password } = await createPerson(service, ['apiread']);
  for (const input of [{ username, password }, { user: { username, password } }]) {
    expect(await nobody.session.signIn(input)).toMatch(/^[A-Za-z0-9_-]{43}$/);
  }
});

test('an unknown name, a wrong password and an inactive account are rejected alike', async () => {
  const active = await createPerson(service);
  const inactive = await createPerson(service);
  const admin = await service.as('admin');
  await admin.authorization.updateAccount({ accountId: inactive.id, updates: { inactive: true } });
  const { username, password } = inactive;
  for (const input of [
    { username: 'nobody-at-all', password: 'x' },
    { username: active.username, password: 'x' },
    { username, password },
  ]) {
    expect(await rejectionOf(nobody.session.signIn(input))).toMatchObject({
      code: 'UNAUTHORIZED',
      message: 'Invalid credentials',
    });
  }
});

test.each([
  [{}],
  [{ username: 'x' }],
  [{ user: { username: 'x', password: 'y' }, username: 'x', password: 'y' }],
  [{ username: 'x', password: 'y', otp: '1' }],
])('signing in with %j is rejected', async (input) => {
  expect(await rejectionOf(nobody.session.signIn(input))).toMatchObject({ code: 'BAD_REQUEST' });
});

test('a caller learns its own name, roles and permissions', async () => {
  const { caller } = await service.callerWith(['apiread', 'designer']);
  const me = await session.whoAmI({});
  expect(me).toMatchObject({ id: caller.id, username: caller.username });
  expect([...me.roles].sort()).toEqual(['apiread', 'designer']);
  expect(await rejectionOf(nobody.session.whoAmI({}))).toMatchObject({ code: 'UNAUTHORIZED' });
});

test('a change of preferences is merged with those of the account', async () => {
  const { data } = await session.savePreferences({ preferences: { theme: 'dark', rows: [25] } });
  expect(data.preferences).toEqual({ theme: 'dark', rows: [25] });
  await session.savePreferences({ preferences: { theme: 'light' } });
  expect((await session.getSettings({})).preferences).toEqual({ theme: 'light', rows: [25] });
  await session.savePreferences({ preferences: { rows: null } });
  expect((await session.getSettings({})).preferences).toEqual({ theme: 'light' });
  const large = { preferences: { text: 'x'.repeat(65 * 1024) } };
  expect(await rejectionOf(session.savePreferences(large))).toMatchObject({ code: 'BAD_REQUEST' });
  expect(await issuePathsOf(session.savePreferences({ preferences: 5 } as never))).toEqual(['preferences']);
});

test('a personal token is shown once, has at most the roles of its account, and can be deleted', async () => {
  const { token, data } = await session.createToken({ name: 'nightly', roles: ['apiread'], readOnly: true });
  expect(token).toMatch(/^swy_/);
  expect(data).toMatchObject({ name: 'nightly', roles: ['apiread'], readOnly: true });
  const { results } = await session.listTokens({});
  expect(results).toContainEqual(data);
  expect(JSON.stringify(results)).not.toContain(token);
  expect(await session.deleteToken({ id: data._id })).toMatchObject({ status: 'OK' });
  expect(await rejectionOf(session.deleteToken({ id: data._id }))).toMatchObject({ code: 'NOT_FOUND' });
  const greedy = session.createToken({ name: 'greedy', roles: ['admin'] });
  expect((await rejectionOf(greedy)).message).toContain('admin');
});

test.each([
  [{ name: '' }, 'name'],
  [{ name: 'x', expiresInDays: 0 }, 'expiresInDays'],
  [{ name: 'x', expiresInDays: 366 }, 'expiresInDays'],
  [{ name: 'x', colour: 'red' }, 'colour'],
])('a personal token with %j is rejected and the field named', async (input, path) => {
  expect(await issuePathsOf(session.createToken(input as never))).toEqual([path]);
});

test('a caller lists and ends its own sessions only', async () => {
  const { results, total } = await session.listSessions({});
  expect(total).toBe(results.length);
  expect(results.length).toBeGreaterThan(0);
  expect(await rejectionOf(session.endSession({ id: NOBODY }))).toMatchObject({ code: 'NOT_FOUND' });
  const other = (await (await service.as('support')).session.listSessions({})).results[0];
  expect(await rejectionOf(session.endSession({ id: other?._id ?? '' }))).toMatchObject({
    code: 'NOT_FOUND',
  });
  const [own] = results;
  expect(await session.endSession({ id: own?._id ?? '' })).toMatchObject({ status: 'OK' });
  expect((await session.listSessions({})).total).toBe(total - 1);
});

test('signing out ends the session of the call', async () => {
  const { session: own } = await service.as('engineering');
  const before = await own.listSessions({});
  expect(await own.signOut({})).toMatchObject({ status: 'OK', message: 'Signed out' });
  expect((await own.listSessions({})).total).toBe(before.total - 1);
});

test('what an account may do to itself it may not do to others without being an admin', async () => {
  expect(await rejectionOf(authorization.forceLogout({ accountId: NOBODY }))).toMatchObject({
    code: 'FORBIDDEN',
  });
});
