import { request } from 'node:http';
import { expect, test } from 'vitest';
import { type Operation, operations } from '#server/http/operations.ts';
import { openTreeReports } from '../helpers/documents/tree-reports.ts';
import { isForAdmins } from '../helpers/http/audiences.ts';
import { marksOf, storeTenant } from '../helpers/http/tenants.ts';
import { sampled } from '../helpers/long.ts';

const service = await openTreeReports();
const { token } = await service.callerWith('admin');

/** They end the session, never end, or stop what every other request needs. */
const LEFT_OUT = /^\/(logout|events|user\/sessions|applications\/:name\/(stop|restart))/;
const tried = sampled(
  operations.filter(({ path }) => !LEFT_OUT.test(path)),
  60,
);

/** One of so many operations meets each case, which the service handles before it knows the operation; others the next case. */
const SHARE = 6;
/** Of what an operation's own schema reads, one meets more of the cases. */
const OWN_SHARE = 2;
const shareOf = <Case>(cases: readonly Case[], place: number, share = SHARE): Case[] =>
  cases.filter((_, at) => at % share === place % share);

type Sent = { method: string; target: string; body?: Buffer | string; headers?: Record<string, string> };
type Answered = { status: number; text: string };

function send({ method, target, body, headers }: Sent): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port: service.port,
        host: '127.0.0.1',
        method,
        path: target,
        headers: {
          Authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
          ...headers,
        },
      },
      (got) => {
        const parts: Buffer[] = [];
        got.on('data', (part: Buffer) => parts.push(part));
        got.on('error', reject);
        got.on('end', () =>
          resolve({ status: got.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') }),
        );
      },
    );
    sent.setTimeout(20_000, () => sent.destroy(new Error(`no answer to ${method} ${target.slice(0, 200)}`)));
    sent.on('error', reject);
    sent.end(body);
  });
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const fill = (path: string, value: string) => path.replaceAll(/:\w+/g, value);
const plain = ({ path }: Operation) => fill(path, '65a000000000000000000000');

/** Bodies of other media types than the documented ones, and of the documented one in other encodings. */
const BODIES: readonly { type?: string; body: Buffer | string; more?: Record<string, string> }[] = [
  { body: '{}' },
  { type: 'text/plain', body: '{"a":1}' },
  { type: 'application/x-www-form-urlencoded', body: 'a=1&a=2&a[b]=3&%00=%00&__proto__[x]=1&=&a%ff=%ff' },
  {
    type: 'multipart/form-data; boundary=x',
    body: '--x\r\nContent-Disposition: form-data; name="file"; filename="../../a"\r\n\r\n1\r\n--x--\r\n',
  },
  { type: 'multipart/form-data', body: '--' },
  { type: 'text/csv', body: 'name,host\r\n"a' },
  { type: 'text/csv', body: Buffer.from([0xff, 0xfe, 0x00, 0x41, 0x00]) },
  { type: 'text/csv', body: `${'a,'.repeat(20_000)}\n${'=cmd|x!A1,'.repeat(2000)}` },
  { type: 'application/x-ndjson', body: '{}\n{}\n' },
  { type: 'application/yaml', body: 'a: &a [*a, *a]' },
  { type: 'application/json; charset=utf-16', body: Buffer.from('{"a":1}', 'utf16le') },
  { type: 'application/json', body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) },
  { type: 'application/json', body: '\ufeff{}' },
  { type: 'application/json', body: '{"a":1}garbage' },
  { type: 'application/json', body: '{"a":"\\ud800"}' },
  { type: 'application/json', body: '{"\\u0000":"\\u0000"}' },
  { type: 'application/json', body: '{"constructor":{"prototype":{"polluted":true}}}' },
  { type: 'application/json', body: `{"a":${'9'.repeat(400)}}` },
  { type: 'application/json', body: `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}` },
  { type: 'application/json', body: '{}', more: { 'Content-Encoding': 'gzip' } },
  { type: 'application/json', body: '{}', more: { 'Transfer-Encoding': 'chunked' } },
];

/** What a path parameter can hold besides the id of a document. */
const SEGMENTS = [
  '%00',
  'a%00b',
  '%ff',
  '%ED%A0%80',
  '%252e%252e%252f',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '..%5c..',
  '%',
  '%zz',
  ';a=b',
  'a;b=c',
  '%0d%0aX-Evil:1',
  '__proto__',
  'constructor',
  '-1',
  '9'.repeat(40),
  '%F0%9F%92%A9',
  'x'.repeat(9000),
  '%20',
  "'%20or%201=1--",
  '{}',
  '[object%20Object]',
];

const QUERIES = [
  '&&&',
  '=',
  '%00=1',
  'a=%00',
  '%ff=%ff',
  'a=%ED%A0%80',
  '__proto__[x]=1',
  'constructor[prototype][x]=1',
  'limit=1&limit=2',
  'limit[]=1',
  'limit[a]=1',
  'limit[0]=1&limit[x]=2',
  'limit=',
  'limit=1e3',
  'limit=%31',
  'sort[__proto__]=1',
  'sort[toString]=1',
  'sort=a.b.c.d.e.f.g.h.i.j',
  "sort=name'%3b--",
  'equals[name][$gt]=',
  'filter[name][]=a&filter[name][b]=c',
  'contains[name]=%25_%5c',
  'queryOptions=%7B%22__proto__%22%3A1%7D',
  `queryOptions=${encodeURIComponent(`${'{"a":'.repeat(300)}1${'}'.repeat(300)}`)}`,
  'queryOptions[limit]=1&limit=2',
  Array.from({ length: 300 }, (_, at) => `a${at}=1`).join('&'),
  `a${'[b]'.repeat(50)}=1`,
  'token=a&token=b',
  'include=__proto__',
  'exclude=name,,,,',
];

/** Returns the body of an operation with each member twice, and with values of other types. */
function bodiesOf({ input, parameters }: Operation): string[] {
  const names = Object.keys(input.shape).filter((name) => !parameters.includes(name));
  const each = (value: string) => `{${names.map((name) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
  const twice = `{${names.flatMap((name) => [`${JSON.stringify(name)}:1`, `${JSON.stringify(name)}:{}`]).join(',')}}`;
  const others = [
    'null',
    '1e308',
    '-0',
    '"\\u0000"',
    '"\\udfff"',
    '[]',
    '{"__proto__":1}',
    '[[[[1]]]]',
    '{"toString":1}',
  ];
  return [twice, ...others.map(each)];
}

/** Returns what is wrong with an answer; devices and other systems may be away. */
const faultOf = ({ status, text }: Answered) =>
  status === 500 ||
  (status >= 400 && text.includes('"Internal error"')) ||
  (status >= 500 && ![502, 503, 504].includes(status))
    ? `${status} ${text.slice(0, 300)}`
    : undefined;

async function broken(requests: readonly Sent[]): Promise<string[]> {
  const found = new Map<string, string>();
  for (const one of requests) {
    const answer = await send(one);
    const fault = faultOf(answer);
    const shown = `${one.method} ${one.target.slice(0, 200)} ${String(one.body ?? '').slice(0, 120)}`;
    if (fault && found.size < 40)
      found.set(`${one.method} ${one.target.split('?')[0]?.slice(0, 80)}`, `${shown} → ${fault}`);
  }
  return [...found.values()];
}

test('bodies of other types, encodings and shapes get no fault', async () => {
  const requests = tried
    .filter(({ method }) => method !== 'GET')
    .flatMap((operation, place) => {
      const { method } = operation;
      const target = plain(operation);
      return [
        ...shareOf(BODIES, place).map(({ type, body, more }) => ({
          method,
          target,
          body,
          headers: { ...(type && { 'Content-Type': type }), ...more },
        })),
        ...shareOf(bodiesOf(operation), place, OWN_SHARE).map((body) => ({
          method,
          target,
          body,
          headers: JSON_TYPE,
        })),
      ];
    });
  expect(await broken(requests)).toEqual([]);
}, 600_000);

test('other methods of every path get no fault', async () => {
  const methods = ['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'REPORT', 'SEARCH', 'PATCH', 'PUT', 'QUERY'];
  const paths = [...new Set(tried.map(plain))];
  const requests = paths.flatMap((target, place) =>
    shareOf(methods, place, 3).map((method) => ({ method, target })),
  );
  expect(await broken(requests)).toEqual([]);
});

test('path parameters of any text get no fault', async () => {
  const requests = tried
    .filter(({ parameters }) => parameters.length > 0)
    .flatMap(({ method, path }, place) =>
      shareOf(SEGMENTS, place).map((segment) => ({
        method,
        target: fill(path, segment),
        ...(method !== 'GET' && { body: '{}', headers: JSON_TYPE }),
      })),
    );
  expect(await broken(requests)).toEqual([]);
});

const readsQuery = ({ queried, meta }: Operation) => queried || meta.inQuery !== undefined;

test('queries of any shape get no fault', async () => {
  // Where all of the input is in the body, any parameter of a query is rejected before the operation sees it.
  const requests = tried.flatMap((operation, place) =>
    shareOf(QUERIES, place, readsQuery(operation) ? SHARE : QUERIES.length / 2).map((query) => ({
      method: operation.method,
      target: `${plain(operation)}?${query}`,
    })),
  );
  expect(await broken(requests)).toEqual([]);
});

test('ids of documents of other kinds get no fault', async () => {
  const group = await service.groupOf(['apiread']);
  const { subjects } = await storeTenant(service, marksOf(), group);
  const reads = tried.filter(({ method, parameters }) => method !== 'DELETE' && parameters.length > 0);
  // What others than admins may call, test/security/cross-tenant.long.test.ts calls with every one of these ids.
  const requests = reads.flatMap((operation, place) =>
    (isForAdmins(operation) ? subjects : shareOf(subjects, place)).map(({ id }) => ({
      method: operation.method,
      target: fill(operation.path, encodeURIComponent(id)),
      ...(operation.method !== 'GET' && { body: '{}', headers: JSON_TYPE }),
    })),
  );
  expect(await broken(requests)).toEqual([]);
});
