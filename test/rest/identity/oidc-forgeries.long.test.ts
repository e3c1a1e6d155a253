import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { sql } from 'drizzle-orm';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { openBrowser } from '../../helpers/identity/browser.ts';
import { type Forgery, openForgingServer } from '../../helpers/identity/forging-server.ts';
import { openService } from '../../helpers/service.ts';
import { openAuthority } from '../../lab/certificates.ts';

const SECRET = 'lantern-quarry-46-lantern-quarry';
const service = await openService();
const forger = await openForgingServer(SECRET);
let id = '';

const create = async (name: string, issuer: string, ca?: string) => {
  const oidc = { issuer, clientId: 'switchyard', clientSecret: SECRET, ...(ca && { ca }) };
  const made = await service.send('admin', 'POST', '/sign_in/providers', {
    provider: { name, type: 'oidc', oidc, defaultRoles: ['apiread'] },
  });
  expect(made.status, made.text).toBe(200);
  return (made.json as { data: { _id: string } }).data._id;
};

beforeAll(async () => {
  id = await create('forged', forger.issuer);
});
// The throttle would otherwise answer for the checks.
afterEach(() => rows(service.db, sql`delete from throttle`));

const now = () => Math.floor(Date.now() / 1000);
const identity = (nonce: string) => ({
  iss: forger.issuer,
  aud: 'switchyard',
  sub: 'user-1',
  iat: now(),
  exp: now() + 300,
  nonce,
  preferred_username: 'forged',
});

/** Begins a sign-in in a browser; returns what the platform asks the provider for. */
async function begin() {
  const browser = openBrowser();
  const started = await browser.visit(`${service.url}/sign_in/oidc/${id}/start`, { follow: false });
  const requested = new URL(String(started.headers.location));
  const nonce = requested.searchParams.get('nonce') ?? '';
  const state = requested.searchParams.get('state') ?? '';
  expect(requested.searchParams.get('code_challenge_method')).toBe('S256');
  /** Comes back from the provider with this query; returns where the browser is sent. */
  const comeBack = async (query: Record<string, string> = {}) => {
    const answer = new URLSearchParams({ state, code: randomUUID(), ...query });
    const ended = await browser.visit(`${service.url}/sign_in/oidc/${id}/callback?${answer}`, {
      follow: false,
    });
    expect(ended.status).toBe(302);
    return String(ended.headers.location);
  };
  return { browser, nonce, state, comeBack };
}

/** Signs in with an identity token of the test; returns where the browser is sent. */
async function signInWith(forgery: Forgery | null, query?: Record<string, string>): Promise<string> {
  const { browser, nonce, comeBack } = await begin();
  forger.answer.token = forgery ? await forger.forge(identity(nonce), forgery) : undefined;
  const location = await comeBack(query);
  const hasSession = browser.cookies.has(`${service.url} token`);
  expect(hasSession).toBe(location === '/');
  return location;
}

test('a genuine identity token signs in', async () => {
  expect(await signInWith({})).toBe('/');
});

const swapPayload = (token: string) => {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  const other = Buffer.from(JSON.stringify({ ...claims, sub: 'admin' })).toString('base64url');
  return [header, other, signature].join('.');
};

const FORGED: [string, Forgery | null][] = [
  ['no identity token', null],
  ['signed with another key', { by: 'other key' }],
  ['signed with an unknown key', { by: 'other key', header: { kid: 'another' } }],
  ['signed with the client secret', { by: 'client secret' }],
  ['signed with the public key as a shared secret', { by: 'public key' }],
  ['unsigned, alg none', { by: 'nobody' }],
  ['unsigned, alg None in another case', { by: 'nobody', header: { alg: 'None' } }],
  ['unsigned, but named RS256', { by: 'nobody', header: { alg: 'RS256', kid: 'own' } }],
  ['a changed payload', { change: swapPayload }],
  ['a cut signature', { change: (token) => token.slice(0, -12) }],
  ['without its signature', { change: (token) => `${token.split('.').slice(0, 2).join('.')}.` }],
  ['no JWT', { change: () => 'no token' }],
  ['for another audience', { claims: { aud: 'another' } }],
  ['for several audiences without azp', { claims: { aud: ['another', 'third'] } }],
  ['issued to another party', { claims: { aud: ['switchyard', 'another'], azp: 'another' } }],
  ['without an audience', { claims: { aud: undefined } }],
  ['of another issuer', { claims: { iss: 'https://id.example.org' } }],
  ['without an issuer', { claims: { iss: undefined } }],
  ['expired', { claims: { iat: now() - 7200, exp: now() - 3600 } }],
  ['without an expiry', { claims: { exp: undefined } }],
  ['with an expiry that is a text', { claims: { exp: 'tomorrow' } }],
  ['not valid yet', { claims: { nbf: now() + 3600 } }],
  ['issued in the future', { claims: { iat: now() + 3600, exp: now() + 7200 } }],
  ['without a time of issue', { claims: { iat: undefined } }],
  ['with another nonce', { claims: { nonce: 'another' } }],
  ['without a nonce', { claims: { nonce: undefined } }],
  ['without a subject', { claims: { sub: undefined } }],
  ['with a subject that is a number', { claims: { sub: 7 } }],
  ['with an unknown critical header', { header: { crit: ['x'], x: 1 } }],
];

test.each(FORGED)('an identity token that is forged or wrong signs nobody in: %s', async (_, forgery) => {
  expect(await signInWith(forgery)).toBe('/?signInError=TOKEN_REFUSED&provider=forged');
});

test('the log says what is wrong with an identity token, without the values of its claims', async () => {
  const before = service.logged.length;
  await signInWith({ claims: { aud: 'another-audience-46' } });
  const lines = service.logged.slice(before);
  const failed = lines.map((line) => JSON.parse(line)).find(({ msg }) => /provider failed/.test(msg));
  expect(failed).toMatchObject({ provider: 'forged', reason: 'TOKEN_REFUSED' });
  expect(failed.detail).toMatch(
    /^forged: the sign-in was not accepted \(unexpected JWT "aud" \(audience\) claim/,
  );
  expect(lines.join('\n')).not.toContain('another-audience-46');
});

test.each([
  ['names another issuer (RFC 9207)', { iss: 'https://id.example.org' }],
  ['brings an identity token along', { id_token: 'a.b.c' }],
  ['is a JWT', { response: 'a.b.c' }],
  ['is an error', { error: 'access_denied' }],
])('an answer of the provider signs nobody in when it %s', async (_, query) => {
  expect(await signInWith({}, query)).toBe('/?signInError=TOKEN_REFUSED&provider=forged');
});

test('an answer without an issuer signs nobody in where the provider promises one', async () => {
  forger.answer.metadata = { authorization_response_iss_parameter_supported: true };
  const before = id;
  id = await create('naming', forger.issuer);
  try {
    expect(await signInWith({})).toBe('/?signInError=TOKEN_REFUSED&provider=naming');
    expect(await signInWith({}, { iss: forger.issuer })).toBe('/');
  } finally {
    id = before;
    forger.answer.metadata = {};
  }
});

test('a sign-in that has ended does not sign in again, though the provider accepts any code', async () => {
  const { browser, nonce, comeBack } = await begin();
  forger.answer.token = await forger.forge(identity(nonce));
  expect(await comeBack()).toBe('/');
  browser.cookies.delete(`${service.url} token`);
  const sessions = await countSessions();
  expect(await comeBack()).toBe('/?signInError=ATTEMPT_UNKNOWN&provider=forged');
  expect(await countSessions()).toBe(sessions);
});

test('an identity token of another sign-in of the same user signs nobody in', async () => {
  const first = await begin();
  forger.answer.token = await forger.forge(identity(first.nonce));
  expect(await first.comeBack()).toBe('/');
  const second = await begin();
  expect(await second.comeBack()).toBe('/?signInError=TOKEN_REFUSED&provider=forged');
});

test.each([
  ['a NUL in the subject', { sub: 'a\u0000b' }],
  ['half of a character as the subject', { sub: '\ud800' }],
  ['a subject of 3,000 characters', { sub: 'é'.repeat(3000) }],
])('claims that cannot be stored sign nobody in, and are no fault: %s', async (_, claims) => {
  expect(await signInWith({ claims })).toBe('/?signInError=NO_ACCESS&provider=forged');
});

test('claims besides the subject that cannot be stored are left out', async () => {
  const claims = {
    sub: 'user-2',
    preferred_username: `${'x'.repeat(254)}😀`,
    name: 'a\u0000b\ud800',
    groups: ['a\u0000b', '\ud800', 'y'.repeat(5000)],
    sid: 'a\u0000b',
  };
  expect(await signInWith({ claims })).toBe('/');
  await rows(service.db, sql`delete from sessions where provider_id = ${id}`);
});

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const logout = () => ({
  iss: forger.issuer,
  aud: 'switchyard',
  sub: 'user-1',
  iat: now(),
  exp: now() + 120,
  jti: randomUUID(),
  events: { [EVENT]: {} },
});

const sendLogout = (token: string) =>
  service.send(null, 'POST', `/sign_in/oidc/${id}/backchannel_logout`, undefined, {
    raw: new URLSearchParams({ logout_token: token }).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
const countSessions = async () =>
  (
    await rows<{ n: number }>(
      service.db,
      sql`select count(*)::int as n from sessions where provider_id = ${id}`,
    )
  )[0]?.n;

test('a genuine logout token ends the sessions of its subject, once', async () => {
  await signInWith({});
  const token = await forger.forge(logout(), { header: { typ: 'logout+jwt' } });
  expect((await sendLogout(token)).status).toBe(200);
  expect(await countSessions()).toBe(0);
  const again = await sendLogout(token);
  expect(again.status).toBe(400);
  expect(again.text).toContain('used before');
});

const FORGED_LOGOUTS: [string, Forgery][] = [
  ['signed with another key', { by: 'other key' }],
  ['signed with the client secret', { by: 'client secret' }],
  ['signed with the public key as a shared secret', { by: 'public key' }],
  ['unsigned', { by: 'nobody' }],
  ['for another audience', { claims: { aud: 'another' } }],
  ['of another issuer', { claims: { iss: 'https://id.example.org' } }],
  ['old', { claims: { iat: now() - 3600 } }],
  ['issued in the future', { claims: { iat: now() + 3600, exp: now() + 7200 } }],
  ['expired', { claims: { exp: now() - 60 } }],
  ['without events', { claims: { events: undefined } }],
  ['with another event', { claims: { events: { 'http://schemas.openid.net/event/other': {} } } }],
  ['with a nonce, as an identity token has', { claims: { nonce: 'n' } }],
  ['without sid and sub', { claims: { sub: undefined } }],
  ['with a sid that cannot be stored', { claims: { sid: 'a\u0000b' } }],
  ['with a jti that cannot be stored', { claims: { jti: 'a\u0000b' } }],
  ['with a jti of 5,000 characters', { claims: { jti: 'é'.repeat(5000) } }],
  ['without jti', { claims: { jti: undefined } }],
  ['of another type', { header: { typ: 'at+jwt' } }],
  ['no JWT', { change: () => 'no token' }],
];

test.each(FORGED_LOGOUTS)('a logout token that is forged or wrong ends nothing: %s', async (_, forgery) => {
  if ((await countSessions()) === 0) await signInWith({});
  expect((await sendLogout(await forger.forge(logout(), forgery))).status).toBe(400);
  expect(await countSessions()).toBe(1);
});

test('a provider with a certificate of an unknown authority is a named error on its page', async () => {
  const { key, cert } = openAuthority().issue({ names: ['127.0.0.1'] });
  const server = createServer({ key, cert }, (_, response) => response.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const wrong = await create('certificate', issuer);
    const tested = await service.send('admin', 'POST', `/sign_in/providers/${wrong}/test`, {});
    expect(tested.json).toMatchObject({ ok: false, reason: 'TLS_FAILED' });
    const start = await service.send(null, 'GET', `/sign_in/oidc/${wrong}/start`);
    expect(start.status).toBe(502);
    expect(start.json).toMatchObject({ reason: 'TLS_FAILED' });
    const page = await service.send('admin', 'GET', `/sign_in/providers/${wrong}`);
    expect(page.json).toMatchObject({ status: { ok: false, reason: 'TLS_FAILED' } });
  } finally {
    server.close();
  }
});

test('an https issuer whose discovery document names an endpoint of plain HTTP is rejected, by the name of the endpoint', async () => {
  const authority = openAuthority();
  const { key, cert } = authority.issue({ names: ['127.0.0.1'] });
  const secure = await openForgingServer(SECRET, { key, cert });
  const provider = await create('mixed', secure.issuer, authority.ca);
  const tested = () => service.send('admin', 'POST', `/sign_in/providers/${provider}/test`, {});
  for (const name of [
    'authorization_endpoint',
    'token_endpoint',
    'jwks_uri',
    'userinfo_endpoint',
    'end_session_endpoint',
  ]) {
    secure.answer.metadata = { [name]: `${forger.issuer}/keys` };
    const { json } = await tested();
    expect(json, name).toMatchObject({ ok: false, reason: 'DISCOVERY_FAILED' });
    expect(JSON.stringify(json)).toContain(`${name} in its discovery document must begin with https://`);
  }
  secure.answer.metadata = {};
  expect((await tested()).json).toMatchObject({ ok: true });
});
