import { expect, test } from 'vitest';
import type { ApiOperation, CompiledModel } from '#server/domains/integrations/index.ts';
import { compileDocument } from '#server/domains/integrations/models/compile/compile.ts';

type Fields = Record<string, unknown>;

const INFO = { title: 'Sites', version: '1.0' };

function modelOf(document: Fields): CompiledModel {
  const result = compileDocument({ info: INFO, ...document });
  if ('issues' in result) throw new Error(JSON.stringify(result.issues));
  return result.model;
}

const three = (paths: Fields, more: Fields = {}) => modelOf({ openapi: '3.0.3', paths, ...more });
const two = (paths: Fields, more: Fields = {}) => modelOf({ swagger: '2.0', paths, ...more });

/** The only operation of a document with one. */
function operationOf({ operations, leftOut }: CompiledModel): ApiOperation {
  const [operation] = operations;
  if (!operation || operations.length > 1) throw new Error(JSON.stringify(leftOut));
  return operation;
}

const parametersOf = (model: CompiledModel) =>
  operationOf(model).parameters.map(({ name, wireName, in: place, style, explode, required }) =>
    [name, wireName, place, style, explode ? 'explode' : '', required ? 'required' : ''].join(' ').trim(),
  );

test('blanks around title and version are not part of the id of a model', () => {
  const info = { title: 'Sites ', version: ' 1.0' };
  expect(three({}, { info })).toMatchObject({ title: 'Sites', version: '1.0' });
});

test('an operation is named by its operationId verbatim, else by method and path; a taken name is numbered', () => {
  const { operations } = three({
    '/a/{id}': { get: {}, post: { operationId: 'repos/get-content' } },
    '/a.{id}': { get: {}, put: { operationId: 'repos/get-content' } },
    '/b': { get: { operationId: 'get__a__id_' } },
  });
  expect(operations.map(({ name }) => name)).toEqual([
    'get__a__id__2',
    'repos/get-content',
    'get__a__id__3',
    'repos/get-content_2',
    'get__a__id_',
  ]);
});

test('parameters of 3.0 have the styles of their places, and those of the path are shared and replaced', () => {
  const model = three(
    {
      '/sites/{id}': {
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'fields', in: 'query', style: 'spaceDelimited' },
        ],
        get: {
          parameters: [
            { $ref: '#/components/parameters/page' },
            { name: 'fields', in: 'query', explode: false, required: true },
            { name: 'filter', in: 'query', style: 'deepObject' },
            { name: 'X-Trace', in: 'header' },
            { name: 'session', in: 'cookie' },
          ],
        },
      },
    },
    { components: { parameters: { page: { name: 'page', in: 'query' } } } },
  );
  expect(parametersOf(model)).toEqual([
    'page page query form explode',
    'fields fields query form  required',
    'filter filter query deepObject',
    'X-Trace X-Trace header simple',
    'session session cookie form explode',
    'id id path simple  required',
  ]);
});

test('a list of 2.0 has the style of its collectionFormat, csv by default', () => {
  const list = (name: string, place: string, collectionFormat?: string) => ({
    name,
    in: place,
    type: 'array',
    items: { type: 'string' },
    ...(collectionFormat && { collectionFormat }),
  });
  const model = two({
    '/{ids}': {
      get: {
        parameters: [
          { ...list('ids', 'path'), required: true },
          list('csv', 'query'),
          list('multi', 'query', 'multi'),
          list('ssv', 'query', 'ssv'),
          list('tsv', 'query', 'tsv'),
          list('pipes', 'header', 'pipes'),
        ],
      },
    },
  });
  expect(parametersOf(model)).toEqual([
    'ids ids path simple  required',
    'csv csv query form',
    'multi multi query form explode',
    'ssv ssv query spaceDelimited',
    'tsv tsv query tabDelimited',
    'pipes pipes header pipeDelimited',
  ]);
  expect(operationOf(model).parameters[1]?.schema).toEqual({ type: 'array', items: { type: 'string' } });
});

test('distinguishes two parameters of one name, and one with a reserved name, by their location', () => {
  const model = three({
    '/{id}': {
      get: {
        parameters: [
          { name: 'id', in: 'path', required: true },
          { name: 'id', in: 'query' },
          { name: 'adapter_id', in: 'query' },
        ],
      },
    },
  });
  expect(parametersOf(model)).toEqual([
    'id id path simple  required',
    'query_id id query form explode',
    'query_adapter_id adapter_id query form explode',
  ]);
});

test('an expression without a name gets the next unused path parameter, an undeclared one becomes a required text', () => {
  const model = three({
    '/{area}/{}/{}/{extra}': {
      get: {
        parameters: ['one', 'area', 'two'].map((name) => ({ name, in: 'path', required: true })),
      },
    },
  });
  expect(operationOf(model).path).toBe('/{area}/{one}/{two}/{extra}');
  expect(operationOf(model).parameters.at(-1)).toMatchObject({
    name: 'extra',
    in: 'path',
    required: true,
    schema: { type: 'string' },
  });
});

test('a body of 3.0 keeps its media types in order, its encoding, and the references of its schema', () => {
  const schema = { $ref: '#/components/schemas/Site' };
  const model = three(
    { '/sites': { post: { requestBody: { $ref: '#/components/requestBodies/site' } } } },
    {
      components: {
        requestBodies: {
          site: {
            required: true,
            description: 'The site',
            content: {
              'multipart/form-data': {
                schema,
                encoding: { photo: { contentType: 'image/png', explode: true } },
              },
              'application/json': { schema },
            },
          },
        },
      },
    },
  );
  expect(operationOf(model).body).toEqual({
    required: true,
    description: 'The site',
    contents: [
      {
        mediaType: 'multipart/form-data',
        schema,
        encoding: { photo: { mediaType: 'image/png', explode: true } },
      },
      { mediaType: 'application/json', schema, encoding: {} },
    ],
  });
});

test('a form of 2.0 becomes one body, multipart where it has a file', () => {
  const fields = [
    { name: 'tags', in: 'formData', type: 'array', items: { type: 'string' }, collectionFormat: 'multi' },
    { name: 'name', in: 'formData', type: 'string', required: true },
  ];
  const file = { name: 'photo', in: 'formData', type: 'file' };
  const bodyOf = (parameters: object[]) =>
    operationOf(two({ '/s': { post: { parameters } } }, { consumes: ['application/json'] })).body;
  expect(bodyOf(fields)).toEqual({
    required: true,
    description: '',
    contents: [
      {
        mediaType: 'application/x-www-form-urlencoded',
        schema: {
          type: 'object',
          properties: { tags: { type: 'array', items: { type: 'string' } }, name: { type: 'string' } },
          required: ['name'],
        },
        encoding: { tags: { style: 'form', explode: true } },
      },
    ],
  });
  expect(bodyOf([...fields, file])?.contents[0]).toMatchObject({
    mediaType: 'multipart/form-data',
    schema: { properties: { photo: { type: 'string', format: 'binary' } } },
  });
});

test('security schemes of both versions are read alike, with an empty entry each in the connection', () => {
  const { securitySchemes, template } = two(
    {},
    {
      host: 'sites.example.net:8443',
      basePath: '/v1/',
      schemes: ['http', 'https'],
      securityDefinitions: {
        basic: { type: 'basic' },
        key: { type: 'apiKey', name: 'X-Key', in: 'header' },
        app: {
          type: 'oauth2',
          flow: 'application',
          tokenUrl: 'https://id.example.net/token',
          scopes: { read: '' },
        },
        odd: { type: 'unheard' },
      },
    },
  );
  expect(securitySchemes).toEqual({
    basic: { type: 'http', scheme: 'basic' },
    key: { type: 'apiKey', name: 'X-Key', in: 'header', sigV4: false },
    app: {
      type: 'oauth2',
      flows: { clientCredentials: { tokenUrl: 'https://id.example.net/token', scopes: ['read'] } },
    },
  });
  expect(template).toEqual({
    authentication: {
      basic: { username: '', password: '' },
      key: { value: '' },
      app: { client_id: '', client_secret: '', token_url: 'https://id.example.net/token' },
    },
    server: { protocol: 'https', host: 'sites.example.net', port: 8443, base_path: '/v1' },
    tls: { enabled: true, rejectUnauthorized: true },
    version: '1.0',
  });
});

test.each([
  [undefined, { protocol: 'https', host: '', base_path: '' }],
  [{ url: '/api/v2/' }, { protocol: 'https', host: '', base_path: '/api/v2' }],
  [{ url: '//' }, { protocol: 'https', host: '', base_path: '' }],
  [
    { url: 'http://[2001:db8::1]:81/x' },
    { protocol: 'http', host: '2001:db8::1', port: 81, base_path: '/x' },
  ],
  [
    {
      url: '{scheme}://{site}.example.net:{port}',
      variables: { scheme: { default: 'http' }, site: { default: 'a' }, port: { default: 8080 } },
    },
    { protocol: 'http', host: 'a.example.net', port: 8080, base_path: '' },
  ],
  [{ url: 'https://{tenant}.example.net/api' }, { protocol: 'https', host: '', base_path: '/api' }],
])('the first server %j gives the connection %j', (server, expected) => {
  const { template } = three({}, server ? { servers: [server, { url: 'https://other.example.net' }] } : {});
  expect(template.server).toEqual(expected);
});

test('the alternatives of an operation replace those of the document; unknown schemes are left out with a warning', () => {
  const { operations, warnings } = three(
    {
      '/a': { get: {}, put: { security: [] }, post: { security: [{ key: [] }, { gone: ['x'] }, {}] } },
    },
    {
      components: { securitySchemes: { key: { type: 'apiKey', name: 'k', in: 'query' } } },
      security: [{ key: [] }],
    },
  );
  expect(operations.map(({ method, security }) => [method, security])).toEqual([
    ['GET', [{ key: [] }]],
    ['PUT', []],
    ['POST', [{ key: [] }, {}]],
  ]);
  expect(warnings.map(({ path }) => path.join(' '))).toEqual(['paths /a post security 1 gone']);
});

test('GET reads, PUT and DELETE are keyed, POST is unsafe unless the document says that it reads', () => {
  const { operations } = three({
    '/a': { get: {}, head: {}, options: {}, put: {}, delete: {}, post: {}, patch: { 'x-read-only': true } },
    '/query': {
      post: { 'x-read-only': true, 'x-paging': { style: 'cursor', from: 'next', parameter: 'after' } },
    },
  });
  expect(Object.fromEntries(operations.map(({ name, effect }) => [name, effect]))).toEqual({
    get__a: 'read',
    head__a: 'read',
    options__a: 'read',
    put__a: 'keyed',
    delete__a: 'keyed',
    post__a: 'unsafe',
    patch__a: 'unsafe',
    post__query: 'read',
  });
  expect(operations.at(-1)?.paging).toEqual({ style: 'cursor', from: 'next', parameter: 'after' });
});

const loop = {
  components: {
    parameters: { a: { $ref: '#/components/parameters/b' }, b: { $ref: '#/components/parameters/a' } },
  },
};

test.each([
  ['names {id} twice', { '/{id}/{id}': { get: {} } }],
  [
    'more than 20 references in a row',
    { '/a': { get: { parameters: [{ $ref: '#/components/parameters/a' }] } } },
  ],
  [
    'refers to #/components/parameters/none, which does not exist',
    { '/a': { get: { parameters: [{ $ref: '#/components/parameters/none' }] } } },
  ],
  ['parameter 1 has no name', { '/a': { get: { parameters: [{ in: 'query' }] } } }],
  ['is in nowhere, which is no place', { '/a': { get: { parameters: [{ name: 'x', in: 'nowhere' }] } } }],
  [
    'more than 1000 parameters',
    {
      '/a': {
        get: { parameters: Array.from({ length: 1001 }, (_, at) => ({ name: `p${at}`, in: 'query' })) },
      },
    },
  ],
  ['purge is no method', { '/a': { purge: {} } }],
  ['the path refers to', { '/a': { $ref: '#/paths/~1none' } }],
])('an operation is left out because %s, and the others stay', (reason, paths) => {
  const { operations, leftOut } = three({ ...paths, '/fine': { get: { operationId: 'fine' } } }, loop);
  expect(leftOut.map((one) => one.reason)).toEqual([expect.stringContaining(reason)]);
  expect(operations.map(({ name }) => name)).toEqual(['fine']);
});

test('a document of more than 10,000 operations is rejected with their number', () => {
  const paths = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`/p${at}`, { get: {} }]));
  expect(compileDocument({ openapi: '3.1.0', info: INFO, paths })).toEqual({
    issues: [
      expect.objectContaining({ path: ['paths'], message: 'must have at most 10000 operations (got 10001)' }),
    ],
  });
});
