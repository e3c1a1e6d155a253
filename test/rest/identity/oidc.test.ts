import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { openBrowser } from '../../helpers/identity/browser.ts';
import { openOidcServer } from '../../helpers/identity/oidc-server.ts';
import { createGroup, sendAs, until } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const directory = await openOidcServer();
let id = '';
let group = '';

const provider = (more: object = {}) => ({
  name: 'corp',
  type: 'oidc',
  title: 'Corporate directory',
  oidc: { issuer: directory.issuer, clientId: 'switchyard', clientSecret: 'lantern-quarry-46' },
  mapping: [
    { group: 'Network-Ops', roles: ['engineering', 'apiread'], groups: [group] },
    { group: 'admins', roles: ['admin'] },
  ],
  ...more,
});

beforeAll(async () => {
  group = await createGroup(service);
  const made = await service.send('admin', 'POST', '/sign_in/providers', { provider: provider() });
  expect(made.status, made.text).toBe(200);
  id = (made.json as { data: { _id: string } }).data._id;
  directory.start(service.url, id);
  directory.users.set('u-1', { name: 'ada', groups: ['network-ops'], email: 'ada@example.net' });
  directory.users.set('u-2', { name: 'bob', groups: ['visitors'] });
  directory.users.set('u-3', { name: 'eve', groups: ['network-ops'] });
});

/** Signs in through the provider; returns where the browser ends and the session's token. */
async function signInAs(user: string, returnTo = '/jobs') {
  directory.user.current = user;
  const browser = openBrowser();
  const start = `${service.url}/sign_in/oidc/${id}/start?returnTo=${encodeURIComponent(returnTo)}`;
  const ended = await browser.visit(start, {
    until: (url) => url.origin === service.url && !url.pathname.startsWith('/sign_in/'),
  });
  const token = browser.cookies.get(`${service.url} token`)?.value ?? '';
  return { browser, token, at: `${ended.url.pathname}${ended.url.search}` };
}

const whoami = async (token: string) => {
  const answer = await sendAs(service, token, 'GET', '/whoami');
  return {
    status: answer.status,
    ...(answer.json as { username: string; provenance: string; roles: string[] }),
  };
};

/** Makes the last comparison of every session with its provider look old. */
const age = async (seconds: number) => {
  await rows(
    service.db,
    sql`update sessions set provider_checked_at = now() - make_interval(secs => ${seconds}),
          provider_confirmed_at = now() - make_interval(secs => ${seconds}) where provider_id is not null`,
  );
  service.platform.access.callers.forget();
};

test('a user signs in with the roles and groups of the mapping, and returns to the page', async () => {
  const { token, at } = await signInAs('u-1', '/devices?x=1');
  expect(at).toBe('/devices?x=1');
  const me = await whoami(token);
  expect(me).toMatchObject({ status: 200, username: 'ada', provenance: 'corp', firstname: 'ADA' });
  expect(me.roles).toEqual(expect.arrayContaining(['apiread', 'engineering']));
  expect(me.roles).not.toContain('admin');
  expect(me).toMatchObject({ groups: [expect.objectContaining({ id: group })] });
});

test('a second sign-in uses the same account, and a changed name follows', async () => {
  const before = await rows(
    service.db,
    sql`select id from accounts where provenance = 'corp' and username = 'ada'`,
  );
  directory.users.set('u-1', { name: 'ada.l', groups: ['network-ops'] });
  await signInAs('u-1');
  const after = await rows(
    service.db,
    sql`select id from accounts where provenance = 'corp' and username = 'ada.l'`,
  );
  expect(after).toEqual(before);
});

test('a user whom no mapping admits gets no account and reads why', async () => {
  const { token, at } = await signInAs('u-2');
  expect(at).toBe('/?signInError=NO_ACCESS&provider=corp');
  expect(token).toBe('');
  expect(await rows(service.db, sql`select id from accounts where username = 'bob'`)).toEqual([]);
});

test('a change of groups in the directory takes effect while the session lives', async () => {
  const { token } = await signInAs('u-1');
  directory.users.set('u-1', { name: 'ada.l', groups: ['network-ops', 'admins'] });
  expect((await whoami(token)).roles).not.toContain('admin');
  await age(60);
  expect((await whoami(token)).roles).toContain('admin');
  directory.users.set('u-1', { name: 'ada.l', groups: ['network-ops'] });
  await age(60);
  expect((await whoami(token)).roles).not.toContain('admin');
});

test('roles that an administrator sends back without their mark are still withdrawn by the directory', async () => {
  directory.users.set('u-4', { name: 'kim', groups: ['network-ops', 'admins'] });
  const { token } = await signInAs('u-4');
  const { id: account } = (await sendAs(service, token, 'GET', '/whoami')).json as { id: string };
  const path = `/authorization/accounts/${account}`;
  const { assignedRoles } = (await service.send('admin', 'GET', path)).json as {
    assignedRoles: { roleId: string }[];
  };
  const sent = assignedRoles.map(({ roleId }) => ({ roleId }));
  const changed = await service.send('admin', 'PATCH', path, { updates: { assignedRoles: sent } });
  expect(changed.status, changed.text).toBe(200);
  directory.users.set('u-4', { name: 'kim', groups: ['network-ops'] });
  await age(60);
  expect((await whoami(token)).roles).toEqual(['apiread', 'engineering']);
});

test('a user who lost every mapped group is signed out, and loses the rights', async () => {
  const { token } = await signInAs('u-3');
  expect((await whoami(token)).status).toBe(200);
  directory.users.set('u-3', { name: 'eve', groups: [] });
  await age(60);
  expect((await whoami(token)).status).toBe(401);
  const [account] = await rows<{ doc: string }>(
    service.db,
    sql`select doc::text as doc from accounts where username = 'eve'`,
  );
  expect(JSON.parse(account?.doc ?? '{}')).toMatchObject({ assignedRoles: [], memberOf: [] });
});

test('the page of the provider leads to its logout, which ends the session here as well', async () => {
  const { token, browser } = await signInAs('u-1');
  const other = await signInAs('u-1');
  const link = await sendAs(service, token, 'GET', '/sign_in/logout_link');
  const { url } = link.json as { url: string };
  expect(url).toContain(`${directory.issuer}/session/end?`);
  const page = await browser.visit(url);
  const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page.text) ?? [];
  const [, action = ''] = /action="([^"]+)"/.exec(page.text) ?? [];
  await browser.visit(action, {
    method: 'POST',
    form: { xsrf, logout: 'yes' },
    until: (at) => at.origin === service.url,
  });
  await until(async () => (await whoami(token)).status === 401);
  // The other browser has a session of its own at the provider.
  expect((await whoami(other.token)).status).toBe(200);
});

test('the public list names providers and start links, and nothing else of them', async () => {
  const answer = await service.send(null, 'GET', '/sign_in/methods');
  expect(answer.json).toEqual({
    password: true,
    providers: [
      { name: 'corp', title: 'Corporate directory', type: 'oidc', start: `/sign_in/oidc/${id}/start` },
    ],
  });
});

test('no answer shows the client secret, and a mask keeps it only for the same issuer', async () => {
  const path = `/sign_in/providers/${id}`;
  const read = await service.send('admin', 'GET', path);
  expect(read.text).not.toContain('lantern-quarry');
  const { oidc } = read.json as { oidc: object };
  const kept = await service.send('admin', 'PATCH', path, { updates: { oidc, title: 'Corp' } });
  expect(kept.status, kept.text).toBe(200);
  expect((await service.send('admin', 'POST', `${path}/test`, {})).json).toMatchObject({
    ok: true,
    reason: null,
  });
  expect((await signInAs('u-1')).at).toBe('/jobs');
  const moved = await service.send('admin', 'PATCH', path, {
    updates: { oidc: { ...oidc, issuer: 'https://elsewhere.example.net' } },
  });
  expect(moved.status).toBe(400);
  expect(moved.text).toContain('updates.oidc.clientSecret');
});

test('only paths of the console are accepted as the page to return to', async () => {
  for (const returnTo of [
    '//evil.example.net',
    '/\\evil.example.net',
    'https://evil.example.net',
    'javascript:alert(1)',
    '/\n/evil.example.net',
    'jobs',
    '/a b',
    '/\t/evil',
  ]) {
    const path = `/sign_in/oidc/${id}/start?returnTo=${encodeURIComponent(returnTo)}`;
    expect((await service.send(null, 'GET', path)).status, returnTo).toBe(400);
  }
});

test('an answer for another browser, a repeated answer and an unknown state are rejected', async () => {
  directory.user.current = 'u-1';
  const browser = openBrowser();
  const start = `${service.url}/sign_in/oidc/${id}/start`;
  const isCallback = (url: URL) => url.pathname.endsWith('/callback');
  const { url } = await browser.visit(start, { until: isCallback });
  const rejected = '/?signInError=ATTEMPT_UNKNOWN&provider=corp';
  const foreign = await openBrowser().visit(url.href, { follow: false });
  expect(foreign.headers.location).toBe(rejected);
  expect(foreign.headers['set-cookie']).toBeUndefined();
  const forged = new URL(url);
  forged.searchParams.set('state', 'another');
  expect((await browser.visit(forged.href, { follow: false })).headers.location).toBe(rejected);
  expect((await browser.visit(url.href, { follow: false })).headers.location).toBe('/');
  const again = await browser.visit(url.href, { follow: false });
  expect(again.headers.location).toBe('/?signInError=TOKEN_REFUSED&provider=corp');
});

test('a provider that is away is named on its page; known sessions keep their rights for a while', async () => {
  const { token } = await signInAs('u-1');
  await directory.stop();
  await age(60);
  expect((await whoami(token)).status).toBe(200);
  await until(async () => {
    const { status } = (await service.send('admin', 'GET', `/sign_in/providers/${id}`)).json as {
      status: { ok: boolean };
    };
    return !status.ok;
  });
  const read = await service.send('admin', 'GET', `/sign_in/providers/${id}`);
  expect(read.json).toMatchObject({ status: { ok: false, reason: 'REFUSED' } });
  const health = await service.send('admin', 'GET', '/health/connections');
  expect(health.json).toMatchObject({ results: [{ kind: 'sign-in provider', name: 'corp', id }] });
  await age(16 * 60);
  expect((await whoami(token)).status).toBe(401);
  expect((await service.send('admin', 'POST', `/sign_in/providers/${id}/test`, {})).json).toMatchObject({
    ok: false,
    reason: 'REFUSED',
  });
  const start = await service.send(null, 'GET', `/sign_in/oidc/${id}/start`);
  expect([502, 302]).toContain(start.status);
});

test('a provider that accepts the secret in the body alone gets it there', async () => {
  const posted = await openOidcServer({ authentication: 'client_secret_post' });
  const { oidc, ...rest } = provider({ name: 'posted' });
  const sent = { ...rest, oidc: { ...oidc, issuer: posted.issuer } };
  const made = await service.send('admin', 'POST', '/sign_in/providers', { provider: sent });
  const { _id } = (made.json as { data: { _id: string } }).data;
  posted.start(service.url, _id);
  posted.users.set('u-9', { name: 'joy', groups: ['network-ops'] });
  posted.user.current = 'u-9';
  const ended = await openBrowser().visit(`${service.url}/sign_in/oidc/${_id}/start?returnTo=/jobs`, {
    until: (url) => url.origin === service.url && !url.pathname.startsWith('/sign_in/'),
  });
  expect(`${ended.url.pathname}${ended.url.search}`).toBe('/jobs');
  const tested = await service.send('admin', 'POST', `/sign_in/providers/${_id}/test`, {});
  expect(tested.json).toMatchObject({ ok: true });
});
