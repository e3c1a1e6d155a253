import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildRequest } from '#server/domains/integrations/calls/request/request.ts';
import { withQuery } from '#server/domains/integrations/calls/send.service.ts';
import type { ApiOperation } from '#server/domains/integrations/index.ts';
import { compiled, documentOf } from '../../../helpers/integrations/integrations.ts';

const base = {
  url: 'https://lab.example.net/base',
  headers: {},
  query: {},
  guarded: {
    header: new Set(['authorization', 'cookie', 'x-key']),
    query: new Set(['key']),
    cookie: new Set(['sid']),
  },
  boundary: 'edge',
};
type Declared = { in: string; style?: string; explode?: boolean; [member: string]: unknown };
const operationOf = (path: string, parameters: object[], requestBody?: object): ApiOperation => {
  const declared = { operationId: 'op', parameters, ...(requestBody && { requestBody }) };
  const [operation] = compiled(documentOf('Lab', { [path]: { post: declared } })).operations;
  if (!operation) throw new Error('not compiled');
  return operation;
};
const one = (declared: Declared) =>
  operationOf(declared.in === 'path' ? '/{v}' : '/', [
    { name: 'v', schema: {}, ...(declared.in === 'path' && { required: true }), ...declared },
  ]);
const bodied = (content: object) => operationOf('/', [], { content });
const written = (operation: ApiOperation, values: object) => {
  const { url, query, headers, cookies, body } = buildRequest(operation, { ...values }, base);
  return {
    url: withQuery(url, query).slice(base.url.length),
    headers,
    cookies,
    body: body?.toString('utf8'),
  };
};
const issuesOf = (operation: ApiOperation, values: object) => {
  try {
    buildRequest(operation, { ...values }, base);
    return null;
  } catch (error) {
    return (error as { issues: { path: string[] }[] }).issues.map(({ path }) => path.join('.'));
  }
};

const LIST = ['blue', 'black'];
const OBJECT = { R: 100, G: 200 };

describe('a parameter', () => {
  // The table of OpenAPI 3.1 §4.8.12.4.
  test.each([
    ['path', 'simple', false, '/blue,black', '/R,100,G,200'],
    ['path', 'simple', true, '/blue,black', '/R=100,G=200'],
    ['path', 'label', false, '/.blue,black', '/.R,100,G,200'],
    ['path', 'label', true, '/.blue.black', '/.R=100.G=200'],
    ['path', 'matrix', false, '/;v=blue,black', '/;v=R,100,G,200'],
    ['path', 'matrix', true, '/;v=blue;v=black', '/;R=100;G=200'],
    ['query', 'form', false, '/?v=blue,black', '/?v=R,100,G,200'],
    ['query', 'form', true, '/?v=blue&v=black', '/?R=100&G=200'],
    ['query', 'spaceDelimited', false, '/?v=blue%20black', '/?v=R%20100%20G%20200'],
    ['query', 'pipeDelimited', false, '/?v=blue%7Cblack', '/?v=R%7C100%7CG%7C200'],
    ['query', 'deepObject', true, '/?v=blue&v=black', '/?v[R]=100&v[G]=200'],
  ])(
    'in the %s with style %s, exploded %s, is written as the specification says',
    (place, style, explode, list, object) => {
      const operation = one({ in: place, style, explode });
      expect(written(operation, { v: LIST }).url).toBe(list);
      expect(written(operation, { v: OBJECT }).url).toBe(object);
    },
  );

  test('that is optional is left out when it is null, empty or absent; a required one is then an issue', () => {
    for (const v of [null, '', undefined]) {
      expect(written(one({ in: 'query' }), { v }).url).toBe('/');
      expect(written(one({ in: 'header' }), { v }).headers).toEqual({});
      expect(issuesOf(one({ in: 'path' }), { v })).toEqual(['v']);
    }
    expect(issuesOf(one({ in: 'query', required: true }), {})).toEqual(['v']);
    expect(written(one({ in: 'query', required: true, schema: { default: 3 } }), {}).url).toBe('/?v=3');
    expect(written(one({ in: 'query' }), { v: 0 }).url).toBe('/?v=0');
  });

  test('in a path cannot leave its segment, whatever it holds', () => {
    for (const v of ['.', '..', '../x', 'a/..', '..\\x', 'x/./y', ['..'], { '.': '.' }])
      expect(issuesOf(one({ in: 'path' }), { v }), JSON.stringify(v)).toEqual(['v']);
    expect(written(one({ in: 'path' }), { v: 'group/project' }).url).toBe('/group%2Fproject');
    const pair = operationOf('/a/{x}{y}/b', [
      { name: 'x', in: 'path', required: true, schema: {} },
      { name: 'y', in: 'path', required: true, schema: {} },
    ]);
    expect(issuesOf(pair, { x: '%2e', y: '.' })).toEqual(['y']);
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), (v) => {
        const operation = operationOf('/a/{v}/b', [{ name: 'v', in: 'path', required: true, schema: {} }]);
        if (issuesOf(operation, { v })) return;
        const url = new URL(`${base.url}${written(operation, { v }).url}`);
        expect(url.pathname.split('/')).toHaveLength(5);
        expect(url.search + url.hash).toBe('');
        expect(decodeURIComponent(url.pathname.split('/')[3] ?? '')).toBe(v.toWellFormed());
      }),
    );
  });

  test('that would be a credential, or a forbidden header, is an issue', () => {
    const named = (name: string, place: 'header' | 'query' | 'cookie'): ApiOperation => {
      const operation = one({ in: 'header' });
      const parameters = operation.parameters.map((own) => ({ ...own, name, wireName: name, in: place }));
      return { ...operation, parameters };
    };
    for (const [name, place] of [
      ['Authorization', 'header'],
      ['Cookie', 'header'],
      ['X-Key', 'header'],
      ['key', 'query'],
      ['sid', 'cookie'],
      ['Host', 'header'],
      ['Transfer-Encoding', 'header'],
    ] as const)
      expect(issuesOf(named(name, place), { [name]: 'x' }), name).toEqual([name]);
    expect(issuesOf(one({ in: 'header' }), { v: 'a\r\nX: b' })).toEqual(['v']);
  });
});

describe('a body', () => {
  test('is JSON, a form, parts or text, by its media type', () => {
    const json = bodied({ 'application/vnd.lab+json': { schema: {} }, 'text/plain': { schema: {} } });
    expect(written(json, { requestBodyPayload: { a: [1] } })).toMatchObject({
      headers: { 'Content-Type': 'application/vnd.lab+json' },
      body: '{"a":[1]}',
    });
    expect(written(json, { requestBodyPayload: 'x', bodyContentType: 'text/plain' }).body).toBe('x');
    const any = bodied({ '*/*': {} });
    for (const bodyContentType of ['*/*', undefined, 'application/json'])
      expect(written(any, { requestBodyPayload: OBJECT, bodyContentType })).toMatchObject({
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(OBJECT),
      });
    const image = bodied({ 'image/*': {} });
    expect(issuesOf(image, { requestBodyPayload: { base64: 'AAEC' }, bodyContentType: 'image/*' })).toEqual([
      'bodyContentType',
    ]);
    expect(issuesOf(json, { requestBodyPayload: 'x', bodyContentType: 'text/html' })).toEqual([
      'bodyContentType',
    ]);
    const form = bodied({
      'application/x-www-form-urlencoded': {
        schema: { type: 'object' },
        encoding: { deep: { style: 'deepObject', explode: true } },
      },
    });
    expect(written(form, { requestBodyPayload: { a: 'x y&z', list: [1, 2], deep: { k: 1 } } }).body).toBe(
      'a=x+y%26z&list=1&list=2&deep[k]=1',
    );
    expect(issuesOf(form, { requestBodyPayload: [1] })).toEqual(['requestBodyPayload']);
    const bytes = bodied({ 'application/octet-stream': { schema: {} } });
    expect(written(bytes, { requestBodyPayload: { base64: 'aGk=' } }).body).toBe('hi');
    expect(issuesOf(bytes, { requestBodyPayload: { base64: '?' } })).toEqual(['requestBodyPayload']);
  });

  test('of several parts is read by a parser of forms as it was given', async () => {
    const parts = bodied({ 'multipart/form-data': { schema: { type: 'object' } } });
    const payload = {
      note: 'ü "x"',
      more: { a: 1 },
      'odd"\r\nname': 'v',
      file: { filename: 'a"b.txt', contentType: 'text/csv', text: '1;2\r\n--edge' },
      raw: { filename: 'c.bin', base64: 'AP8=' },
    };
    const { headers, body } = buildRequest(
      parts,
      { requestBodyPayload: payload },
      { ...base, boundary: 'edge-7' },
    );
    const form = await new Response(new Uint8Array(body ?? []), { headers }).formData();
    expect(form.get('note')).toBe('ü "x"');
    expect(form.get('odd"\r\nname')).toBe('v');
    const file = form.get('file') as File;
    expect([file.name, file.type, await file.text()]).toEqual(['a"b.txt', 'text/csv', '1;2\r\n--edge']);
    expect([...new Uint8Array(await (form.get('raw') as File).arrayBuffer())]).toEqual([0, 255]);
    expect(issuesOf(parts, { requestBodyPayload: { f: { filename: 'x', base64: '!' } } })).toEqual([
      'requestBodyPayload.f',
    ]);
  });
});

type Recorded = {
  operation: ApiOperation;
  values: Record<string, unknown>;
  request: { method: string; path: string; query: string[]; body: string };
};

// Written by bench/requests-peer.ts with FIXTURE=1.
const recorded = JSON.parse(
  readFileSync(new URL('./peer-requests.json', import.meta.url), 'utf8'),
) as Recorded[];

test('requests equal those that swagger-client 3.37 builds of the same operations and values', () => {
  expect(recorded.length).toBeGreaterThan(20);
  const decoded = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
  for (const { operation, values, request } of recorded) {
    const { method, url, query, body } = buildRequest(operation, values, base);
    const path = url.replace('https://lab.example.net', '').split('/').map(decodeURIComponent);
    expect(method).toBe(request.method);
    expect(path.map((part) => part.replaceAll('/', '⁄')).join('/'), operation.name).toBe(request.path);
    expect(
      query
        .flatMap((pair) => pair.split('&'))
        .map(decoded)
        .sort(),
      operation.name,
    ).toEqual(request.query);
    if (request.body.startsWith('{'))
      expect(JSON.parse(body?.toString('utf8') ?? ''), operation.name).toEqual(JSON.parse(request.body));
  }
});
