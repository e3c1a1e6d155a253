import { createHash, createHmac } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { awsSignedHeaders } from '#server/domains/integrations/calls/aws-signature.service.ts';
import { callOperation } from '#server/domains/integrations/index.ts';
import { openWebService, type Seen } from '../../../helpers/devices/web-service.ts';
import {
  documentOf,
  integrationOf,
  serverAt,
  storeModel,
} from '../../../helpers/integrations/integrations.ts';
import { openService } from '../../../helpers/service.ts';

const SUITE = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 'service',
};
const SUITE_TIME = new Date('2015-08-30T12:36:00Z');

describe('a signature', () => {
  // The published test suite of AWS (aws-sig-v4-test-suite) and its worked example of IAM.
  test.each([
    ['get-vanilla', 'GET', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['post-vanilla', 'POST', '/', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    [
      'get-vanilla-query-order-key-case',
      'GET',
      '/?Param2=value2&Param1=value1',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    [
      'get-vanilla-empty-query-key',
      'GET',
      '/?Param1=value1',
      'a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb',
    ],
  ])('of the published case %s is the published one', async (_, method, path, expected) => {
    const url = new URL(`https://example.amazonaws.com${path}`);
    const { Authorization } = await awsSignedHeaders({ method, url, headers: {} }, SUITE, SUITE_TIME);
    expect(Authorization).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${expected}`,
    );
  });
});

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

const KEYS = { accessKeyId: 'AKID-LAB-1', secretAccessKey: 'Aws-Secret-1', region: 'eu-north-1' };
const SESSION = 'Aws-Session-2';

/** Returns what is wrong with the signature of a request, calculated from what arrived; null when it is valid. */
function signatureFault({ method, url, headers, body }: Seen, service: string): string | null {
  const written = headers.authorization ?? '';
  const [, day = '', names = '', given = ''] =
    /^AWS4-HMAC-SHA256 Credential=AKID-LAB-1\/(\d{8})\/eu-north-1\/[a-z0-9-]+\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/.exec(
      written,
    ) ?? [];
  if (given === '') return 'there is no signature';
  const date = String(headers['x-amz-date']);
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!date.startsWith(day) || !(Math.abs(Date.now() - at) < 60_000)) return 'the date is not that of now';
  if (service === 's3' && headers['x-amz-content-sha256'] !== digest(body)) return 'the digest is missing';
  const [path = '', query = ''] = url.split(/\?(.*)/s, 2);
  const canonical = [
    method,
    service === 's3' ? path : path.split('/').map(encoded).join('/'),
    [...new URLSearchParams(query)]
      .map((pair) => pair.map(encoded).join('='))
      .sort()
      .join('&'),
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    digest(body),
  ].join('\n');
  const key = [day, 'eu-north-1', service, 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${KEYS.secretAccessKey}`,
  );
  const scope = `${day}/eu-north-1/${service}/aws4_request`;
  const expected = hmac(key, ['AWS4-HMAC-SHA256', date, scope, digest(canonical)].join('\n')).toString('hex');
  return given === expected ? null : 'the signature is another one';
}

describe('an integration whose document has signatures of AWS', async () => {
  const service = await openService();
  let failures = 0;
  const faults: (string | null)[] = [];
  const web = await openWebService((seen, response) => {
    const fault = signatureFault(seen, seen.url.startsWith('/bucket') ? 's3' : 'execute-api');
    faults.push(fault);
    const isBusy = fault === null && failures > 0;
    if (isBusy) failures -= 1;
    response
      .writeHead(isBusy ? 503 : fault === null ? 200 : 403, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ fault }));
  });
  const signed = { security: [{ sigv4: [] }] };
  const operations = await storeModel(
    service,
    documentOf(
      'Cloud',
      {
        '/things/{id}': {
          get: {
            operationId: 'getThing',
            parameters: [
              { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
              { name: 'filter', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
            ],
            ...signed,
          },
        },
        '/things': {
          post: {
            operationId: 'addThing',
            requestBody: { content: { 'application/json': { schema: {} } } },
            parameters: [{ name: 'X-Amz-Date', in: 'header', schema: { type: 'string' } }],
            ...signed,
          },
        },
        '/bucket/{key}': {
          put: {
            operationId: 'putObject',
            parameters: [{ name: 'key', in: 'path', required: true, schema: { type: 'string' } }],
            requestBody: { content: { 'text/plain': { schema: { type: 'string' } } } },
            ...signed,
          },
        },
      },
      {
        components: {
          securitySchemes: {
            sigv4: {
              type: 'apiKey',
              name: 'Authorization',
              in: 'header',
              'x-amazon-apigateway-authtype': 'awsSigv4',
            },
          },
        },
      },
    ),
  );

  const shown: string[] = [];
  const open = async (name: string, credential: object) => {
    const sent = integrationOf(name, 'Cloud:1', {
      ...serverAt(web.port),
      authentication: { sigv4: { ...KEYS, service: 'execute-api', ...credential } },
      retry: { attempts: 3, maxDelayMs: 1 },
    });
    const answer = await service.send('admin', 'POST', '/integrations', sent);
    shown.push(answer.text, (await service.send('admin', 'GET', `/integrations/${name}`)).text);
    return answer;
  };
  const call = async (name: string, task: string, values: object) => {
    const wanted = operations.get(task);
    if (!wanted) throw new Error(task);
    const options = { key: 'k', signal: new AbortController().signal };
    const context = { db: service.db, platform: service.platform };
    const answer = await callOperation(context, name, wanted, { ...values }, options).catch((error) => error);
    shown.push(JSON.stringify(answer), String(answer.message ?? ''), JSON.stringify(answer.extra ?? {}));
    return answer;
  };

  beforeEach(() => {
    web.seen.length = 0;
    faults.length = 0;
    failures = 0;
  });

  test('signs path, query and body so that the other system accepts each request', async () => {
    expect((await open('cloud', {})).status).toBe(200);
    const values = { id: 'a b/ü(1)*', filter: ['x=1&y', "it's", 'ä'] };
    expect(await call('cloud', 'getThing', values)).toMatchObject({ status: 200 });
    expect(await call('cloud', 'addThing', { requestBodyPayload: { text: 'größer' } })).toMatchObject({
      status: 200,
    });
    expect(faults).toEqual([null, null]);
  });

  test('sends the session token of temporary keys, and the digest of the body where S3 wants it', async () => {
    expect((await open('bucket', { service: 's3', sessionToken: SESSION })).status).toBe(200);
    const values = { key: 'a b.txt', requestBodyPayload: 'content' };
    expect(await call('bucket', 'putObject', values)).toMatchObject({ status: 200 });
    expect(web.seen[0]?.headers['x-amz-security-token']).toBe(SESSION);
    expect(web.seen[0]?.headers.authorization).toContain('x-amz-security-token');
  });

  test('signs a repeated request again', async () => {
    await open('again', {});
    failures = 1;
    expect(await call('again', 'getThing', { id: '1' })).toMatchObject({ status: 200 });
    expect(faults).toEqual([null, null]);
  });

  test('is answered by the other system when the secret is a wrong one', async () => {
    await open('wrong', { secretAccessKey: 'Aws-Secret-3' });
    expect(await call('wrong', 'getThing', { id: '1' })).toMatchObject({ ok: false, status: 403 });
  });

  test('sends nothing without a whole key, and accepts no header of a signature as a value', async () => {
    await open('empty', { region: '' });
    expect(await call('empty', 'getThing', { id: '1' })).toMatchObject({
      extra: { reason: 'AUTH_MISSING' },
    });
    await open('forged', {});
    const answer = await call('forged', 'addThing', { 'X-Amz-Date': '20150830T123600Z' });
    expect(answer.issues).toMatchObject([{ path: ['X-Amz-Date'], code: 'credential' }]);
    expect(web.seen).toEqual([]);
  });

  test('rejects fields that no header can carry, and says so by name', async () => {
    const answer = await open('broken', { region: 'eu\nnorth', accessKeyId: 7 });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('authentication.sigv4.region');
    expect(answer.text).toContain('authentication.sigv4.accessKeyId');
  });

  test('shows its secrets in no answer, error or log', async () => {
    const all = [...shown, ...service.logged].join('\n');
    for (const secret of ['Aws-Secret-1', SESSION, 'Aws-Secret-3']) expect(all, secret).not.toContain(secret);
    expect(all).toContain('AKID-LAB-1');
  });
});
