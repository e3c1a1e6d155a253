import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { callOperation } from '#server/domains/integrations/index.ts';
import { openWebService } from '../../../helpers/devices/web-service.ts';
import {
  documentOf,
  integrationOf,
  serverAt,
  storeModel,
} from '../../../helpers/integrations/integrations.ts';
import { isLong } from '../../../helpers/long.ts';
import { openService } from '../../../helpers/service.ts';
import { openAuthority } from '../../../lab/certificates.ts';

const service = await openService();
const SECRETS = [
  'Key-Secret-1',
  'Basic-Secret-2',
  'Bearer-Secret-3',
  'Client-Secret-4',
  'Person-Secret-5',
  'Renew-Secret-6',
];

/** Tokens that the lab issued, with what was presented for each; the first token of a grant may be one that it forgets. */
let issued: { token: string; grant: string; presented: string | undefined }[] = [];
let expiresIn: number | undefined = 3600;
let forgotten = new Set<string>();
const issuer = await openWebService(({ url, headers, body }, response) => {
  const say = (status: number, value: object) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
  if (url === '/.well-known/openid-configuration')
    return say(200, { issuer: issuer.url, token_endpoint: `${issuer.url}/token` });
  const form = new URLSearchParams(body);
  const grant = form.get('grant_type') ?? '';
  const isKnown =
    headers.authorization === `Basic ${Buffer.from('client:Client%2DSecret%2D4').toString('base64')}` ||
    headers.authorization === `Basic ${Buffer.from('client:Client-Secret-4').toString('base64')}` ||
    form.get('client_secret') === 'Client-Secret-4';
  const isPerson = grant !== 'password' || form.get('password') === 'Person-Secret-5';
  const isRenewal = grant !== 'refresh_token' || form.get('refresh_token') === 'Renew-Secret-6';
  if (!isKnown || !isPerson || !isRenewal)
    return say(401, { error: 'invalid_client', error_description: body });
  const token = `issued-${issued.length + 1}`;
  issued.push({ token, grant, presented: form.get('scope') ?? undefined });
  // Requests of other processes, and of the test, arrive meanwhile.
  setTimeout(
    () =>
      say(200, {
        access_token: token,
        token_type: 'Bearer',
        ...(expiresIn !== undefined && { expires_in: expiresIn }),
        ...(grant === 'password' && { refresh_token: 'Renew-Secret-6' }),
      }),
    50,
  );
});
const web = await openWebService(({ url, headers }, response) => {
  const bearer = headers.authorization?.replace('Bearer ', '') ?? '';
  const isUnknown =
    url.startsWith('/oauth') && (!issued.some(({ token }) => token === bearer) || forgotten.has(bearer));
  response
    .writeHead(isUnknown ? 401 : 200, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ url: url.replace(/k=[^&]*/, 'k=…'), seen: Object.keys(headers) }));
});

const authority = openAuthority();
const client = authority.issue();
const presented: (string | undefined)[] = [];
const sockets = new Set<Duplex>();
const strict = createServer(
  {
    ...authority.issue({ names: ['127.0.0.1'] }),
    ca: authority.ca,
    requestCert: true,
    rejectUnauthorized: true,
  },
  ({ socket }, response) => {
    presented.push((socket as TLSSocket).getPeerCertificate().subject.CN as string);
    response.end('{}');
  },
);
strict.on('connection', (socket) => sockets.add(socket));
strict.listen(0, '127.0.0.1');
await once(strict, 'listening');
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  strict.close();
});

const tokenUrl = `${issuer.url}/token`;
const get = (operationId: string, ...schemes: string[]) => ({
  get: {
    operationId,
    security: schemes.map((name) => Object.fromEntries(name.split('+').map((one) => [one, []]))),
  },
});
const operations = await storeModel(
  service,
  documentOf(
    'Guarded',
    {
      '/header': get('header', 'headerKey'),
      '/query': get('query', 'queryKey'),
      '/cookie': get('cookie', 'cookieKey'),
      '/basic': get('basic', 'basic'),
      '/bearer': get('bearer', 'bearer'),
      '/oauth/client': get('client', 'machine'),
      '/oauth/person': get('person', 'person'),
      '/oauth/discovered': get('discovered', 'discovered'),
      '/both': get('both', 'headerKey+basic'),
      '/either': get('either', 'unset', 'basic'),
      '/unset': get('unset', 'unset'),
      '/open': { get: { operationId: 'open', security: [] } },
      '/certificate': get('certificate', 'certificate'),
    },
    {
      components: {
        securitySchemes: {
          headerKey: { type: 'apiKey', in: 'header', name: 'X-Auth-Key' },
          queryKey: { type: 'apiKey', in: 'query', name: 'k' },
          cookieKey: { type: 'apiKey', in: 'cookie', name: 'sid' },
          unset: { type: 'apiKey', in: 'header', name: 'X-Other' },
          basic: { type: 'http', scheme: 'basic' },
          bearer: { type: 'http', scheme: 'bearer' },
          machine: { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes: {} } } },
          person: { type: 'oauth2', flows: { password: { tokenUrl, scopes: {} } } },
          discovered: {
            type: 'openIdConnect',
            openIdConnectUrl: `${issuer.url}/.well-known/openid-configuration`,
          },
          certificate: { type: 'mutualTLS' },
        },
      },
      openapi: '3.1.0',
    },
  ),
);

const machine = { client_id: 'client', client_secret: 'Client-Secret-4' };
const authentication = {
  headerKey: { value: 'Key-Secret-1' },
  queryKey: { value: 'Key-Secret-1' },
  cookieKey: { value: 'Key-Secret-1' },
  basic: { username: 'svc', password: 'Basic-Secret-2' },
  bearer: { token: 'Bearer-Secret-3' },
  machine: { ...machine, scope: 'read write' },
  person: { ...machine, username: 'ann', password: 'Person-Secret-5', auth_method: 'post' },
  discovered: machine,
};
const shown: string[] = [];
let made = 0;
const open = async (connection: object = {}) => {
  made += 1;
  const name = `guarded${made}`;
  const sent = integrationOf(name, 'Guarded:1', { ...serverAt(web.port), authentication, ...connection });
  const answer = await service.send('admin', 'POST', '/integrations', sent);
  expect(answer.status, answer.text).toBe(200);
  shown.push(answer.text, (await service.send('admin', 'GET', `/integrations/${name}`)).text);
  const call = async (operation: string, values: object = {}) => {
    const wanted = operations.get(operation);
    if (!wanted) throw new Error(`no operation ${operation}`);
    const context = { db: service.db, platform: service.platform };
    const options = { key: 'k', signal: new AbortController().signal };
    try {
      const got = await callOperation(context, name, wanted, { ...values }, options);
      shown.push(JSON.stringify(got));
      return got;
    } catch (error) {
      const { message, extra, issues } = error as { message: string; extra?: object; issues?: object[] };
      shown.push(JSON.stringify({ message, extra, issues }));
      return { message, issues, ...extra };
    }
  };
  return { name, call };
};

beforeEach(() => {
  web.seen.length = 0;
  issuer.seen.length = 0;
  issued = [];
  forgotten = new Set();
  expiresIn = 3600;
});

describe('a credential', () => {
  test.each([
    ['header', { 'x-auth-key': 'Key-Secret-1' }, '/header'],
    ['query', {}, '/query?k=Key-Secret-1'],
    ['cookie', { cookie: 'sid=Key-Secret-1' }, '/cookie'],
    ['basic', { authorization: `Basic ${Buffer.from('svc:Basic-Secret-2').toString('base64')}` }, '/basic'],
    ['bearer', { authorization: 'Bearer Bearer-Secret-3' }, '/bearer'],
    ['both', { 'x-auth-key': 'Key-Secret-1', authorization: expect.stringMatching(/^Basic /) }, '/both'],
    ['either', { authorization: expect.stringMatching(/^Basic /) }, '/either'],
    ['client', { authorization: 'Bearer issued-1' }, '/oauth/client'],
    ['person', { authorization: 'Bearer issued-1' }, '/oauth/person'],
    ['discovered', { authorization: 'Bearer issued-1' }, '/oauth/discovered'],
  ])(
    'of the scheme that %s needs reaches the other system, and is not in the answer',
    async (operation, headers, url) => {
      const { call } = await open();
      expect(await call(operation)).toMatchObject({
        status: 200,
        url: `${web.url}/${url.slice(1).split('?')[0]}`,
      });
      expect(web.seen).toMatchObject([{ url, headers }]);
    },
  );

  test('is not sent by an operation that needs none, and a call without one that it needs is not sent', async () => {
    const { call } = await open();
    expect(await call('open')).toMatchObject({ status: 200 });
    expect(web.seen[0]?.headers).not.toHaveProperty('authorization');
    expect(await call('unset')).toMatchObject({ reason: 'AUTH_MISSING', stage: 'login' });
    expect(web.seen).toHaveLength(1);
  });

  test('is a certificate where the other system wants one', async () => {
    const { call } = await open({
      ...serverAt((strict.address() as AddressInfo).port, 'https'),
      tls: { enabled: true, ca: authority.ca, ...client },
    });
    expect(await call('certificate')).toMatchObject({ status: 200 });
    expect(presented).toEqual(['client']);
    const without = await open({
      ...serverAt((strict.address() as AddressInfo).port, 'https'),
      tls: { enabled: true, ca: authority.ca },
    });
    expect(await without.call('certificate')).toMatchObject({ reason: 'AUTH_MISSING' });
  });
});

describe('a token', () => {
  test.skipIf(!isLong)(
    'is requested once for many calls, kept sealed, and requested again when it is about to end',
    async () => {
      expiresIn = 61;
      const { name, call } = await open();
      await Promise.all(Array.from({ length: 20 }, () => call('client')));
      expect(issued).toEqual([{ token: 'issued-1', grant: 'client_credentials', presented: 'read write' }]);
      const [row] = await service.db.execute<{ sealed: string }>(
        `select sealed from integration_tokens where adapter = '${name}'`,
      );
      expect(row?.sealed).toMatch(/^sealed:v2:/);
      await new Promise((resolve) => setTimeout(resolve, 1100));
      await call('client');
      expect(issued).toHaveLength(2);
    },
  );

  test('that the other system rejects is replaced once', async () => {
    const { call } = await open();
    await call('client');
    forgotten.add('issued-1');
    expect(await call('client')).toMatchObject({ status: 200 });
    expect(issued).toHaveLength(2);
    forgotten.add('issued-2').add('issued-3');
    web.seen.length = 0;
    expect(await call('client')).toMatchObject({ status: 401 });
    expect(web.seen).toHaveLength(2);
    expect(issued).toHaveLength(3);
  });

  test('is renewed with the refresh token that came with it', async () => {
    const { call } = await open();
    await call('person');
    forgotten.add('issued-1');
    expect(await call('person')).toMatchObject({ status: 200 });
    expect(issued.map(({ grant }) => grant)).toEqual(['password', 'refresh_token']);
  });

  test('is not that of the credentials before, once they have changed', async () => {
    const { name, call } = await open();
    await call('client');
    const changed = { properties: { authentication: { machine: { scope: 'read' } } } };
    const answer = await service.send('admin', 'PUT', `/integrations/${name}/properties`, changed);
    expect(answer.status, answer.text).toBe(200);
    await call('client');
    expect(issued).toMatchObject([{ presented: 'read write' }, { presented: 'read' }]);
  });

  test('that is denied is tried once for many calls, and the call fails without a secret in its message', async () => {
    const { call } = await open({
      authentication: { machine: { client_id: 'client', client_secret: 'Wrong-Secret-7' } },
    });
    const failures = await Promise.all(Array.from({ length: 5 }, () => call('client')));
    for (const one of failures) {
      expect(one).toMatchObject({ reason: 'AUTH_FAILED', stage: 'login', retryable: false });
      expect(JSON.stringify(one)).not.toContain('Wrong-Secret-7');
    }
    // A call that begins shortly after the denial does not try again either.
    expect(await call('client')).toMatchObject({ reason: 'AUTH_FAILED' });
    expect(issuer.seen).toHaveLength(1);
    expect(web.seen).toHaveLength(0);
  });
});

test('no secret and no token is in an answer, an error, a document or the log', () => {
  const all = [...shown, ...service.logged].join('\n');
  for (const secret of [...SECRETS, 'issued-']) expect(all, secret).not.toContain(secret);
});
