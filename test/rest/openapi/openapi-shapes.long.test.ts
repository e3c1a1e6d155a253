import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { RE2JS } from 're2js';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { openApiText, writeOpenApi } from '#server/http/openapi/document.ts';
import { operationsOf } from '#server/http/operations.ts';
import { type Env, mountRest } from '#server/http/rest.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, type Procedure, rest, router } from '#server/kernel/procedures.ts';
import { ROLES } from '#server/kernel/roles.ts';
import { racks } from '../../helpers/devices/racks.ts';
import {
  faultsOf,
  type OpenApi,
  operationsIn,
  readerOf,
  responseOf,
  wrongExamples,
} from '../../helpers/http/openapi.ts';
import { openService } from '../../helpers/service.ts';

/** tRPC's own type of a router says less than it holds. */
const proceduresOf = (made: { _def: { procedures: unknown } }) =>
  made._def.procedures as Record<string, Procedure>;

const invented = proceduresOf(router({ racks }));
const operations = operationsOf(invented);
const text = writeOpenApi(operations);
const document: OpenApi = JSON.parse(text);
const at = (method: string, path: string) => {
  const found = document.paths[path]?.[method.toLowerCase()];
  if (!found) throw new Error(`${method} ${path} is not in the document`);
  return found;
};
const parameter = (method: string, path: string, name: string) =>
  at(method, path).parameters?.find((one) => one.name === name);

test('two validators find nothing to say about any of these shapes', async () => {
  expect(await faultsOf(text)).toEqual([]);
});

test('the document is the same text each time', () => {
  expect(writeOpenApi(operationsOf(invented))).toBe(text);
});

test('every operation exists, under its path and under its aliases, each with a unique id', () => {
  const places = operationsIn(document);
  expect(places.map(({ at: place }) => place)).toContain('GET /Racks/{rackId}');
  for (const { method, path } of operations) {
    const shape = path.replace(/:\w+/g, '{}');
    expect(places.some((one) => one.method === method && one.path.replace(/\{\w+\}/g, '{}') === shape)).toBe(
      true,
    );
  }
  expect(new Set(places.map(({ described }) => described.operationId)).size).toBe(places.length);
});

test('an alias does not hide the endpoint that has this path as its own', () => {
  expect(at('GET', '/racks/search').summary).toBe('Racks by any member');
});

test('the fields of an option object are parameters of their own', () => {
  const names = at('GET', '/racks').parameters?.map(({ name }) => name);
  expect(names).toEqual([
    ...['skip', 'limit', 'order', 'filter', 'sort', 'equals', 'labels', 'include', 'exclude'],
    'deep',
  ]);
  expect(parameter('GET', '/racks', 'limit')).toMatchObject({
    in: 'query',
    schema: { minimum: 1, maximum: 1000 },
  });
  expect(parameter('GET', '/racks', 'limit')?.required).toBeUndefined();
});

test('objects in a query nest in brackets, and the document describes that', () => {
  for (const name of ['filter', 'sort', 'equals']) {
    expect(parameter('GET', '/racks', name)).toMatchObject({ style: 'deepObject', explode: true });
    expect(parameter('GET', '/racks', name)?.description).toContain(`\`${name}[field]=value\``);
  }
  expect(parameter('GET', '/racks', 'labels')?.style).toBeUndefined();
});

test('an option object that accepts any field says so', () => {
  expect(at('GET', '/racks/search').parameters?.at(-1)).toMatchObject({
    style: 'form',
    explode: true,
    schema: { type: 'object', additionalProperties: true },
  });
  expect(parameter('GET', '/racks/search', 'since')).toMatchObject({ required: true });
});

test('path parameters keep their type; a greedy one says that it holds slashes', () => {
  expect(parameter('GET', '/racks/{rackId}/slots/{slot}/{inside}', 'slot')).toMatchObject({
    in: 'path',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  });
  expect(parameter('GET', '/racks/{rackId}/slots/{slot}/{inside}', 'inside')?.description).toBe(
    'Path inside. May contain slashes.',
  );
});

test('a DELETE accepts its options in the query or in a body', () => {
  const { requestBody } = at('DELETE', '/racks/{rackId}/parts/{part}');
  expect(requestBody?.content['application/json']).toMatchObject({
    schema: {
      additionalProperties: false,
      properties: { options: { additionalProperties: false, required: ['mode'] } },
    },
    example: { options: { mode: 'scrap' } },
  });
  expect(parameter('DELETE', '/racks/{rackId}/parts/{part}', 'mode')?.required).toBeUndefined();
  expect(parameter('DELETE', '/racks/{rackId}/parts/{part}', 'to')).toMatchObject({ style: 'deepObject' });
});

test('endpoints whose paths differ only in the names of parameters share one path', () => {
  const spellings = Object.keys(document.paths).filter((path) => /^\/racks\/\{\w+\}$/.test(path));
  expect(spellings).toHaveLength(1);
  const [template = ''] = spellings;
  expect(Object.keys(document.paths[template] ?? {})).toEqual(['get', 'put', 'patch', 'delete']);
  const name = /\{(\w+)\}/.exec(template)?.[1];
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
    expect(at(method, template).parameters?.map((one) => one.name)).toEqual([name]);
  }
});

test('requests are closed at the top, also where their object has refinements; documents are open', () => {
  for (const [method, path] of [
    ['POST', '/racks'],
    ['PATCH', Object.keys(document.paths).find((one) => /^\/racks\/\{\w+\}$/.test(one)) ?? ''],
  ] as const) {
    const schema = at(method, path).requestBody?.content['application/json']?.schema;
    expect(schema).toMatchObject({ additionalProperties: false });
  }
  expect(document.components.schemas.Rack?.additionalProperties).not.toBe(false);
});

test('answers are open: nothing is taken out of them', () => {
  expect(document.components.schemas.Row?.additionalProperties).toBeUndefined();
  expect(Object.keys(document.components.schemas).filter((name) => name.endsWith('Output'))).toEqual([]);
});

test('a recursive document refers to itself', () => {
  expect(document.components.schemas.Site).toMatchObject({
    properties: { parts: { description: 'The places in it', items: { $ref: '#/components/schemas/Site' } } },
  });
  // No component without a name of its own, and none that an answer and a request have each for itself.
  expect(Object.keys(document.components.schemas).sort()).toEqual([
    'Error',
    'ErrorIssue',
    'Rack',
    'RackId',
    'Row',
    'Site',
  ]);
});

test('a bare body is the document, or holds it under its name', () => {
  const [template = ''] = Object.keys(document.paths).filter((path) => /^\/racks\/\{\w+\}$/.test(path));
  const { requestBody } = at('PUT', template);
  expect(requestBody?.required).toBe(true);
  expect(requestBody?.content['application/json']?.schema).toMatchObject({
    anyOf: [{ $ref: '#/components/schemas/Rack' }, { required: ['rack'], additionalProperties: false }],
  });
});

test('a form is documented as a form, and an endpoint without fields has no body', () => {
  const { requestBody } = at('POST', '/racks/badge');
  expect(Object.keys(requestBody?.content ?? {})).toEqual(['application/x-www-form-urlencoded']);
  expect(at('POST', '/racks/ring').requestBody).toBeUndefined();
});

test('answers have the type and the statuses that the procedure declares', () => {
  const label = at('GET', '/racks/{rackId}/label').responses[200];
  expect(label?.content).toEqual({ 'text/plain': { schema: expect.anything(), example: 'ROW 4' } });
  const [template = ''] = Object.keys(document.paths).filter((path) => /^\/racks\/\{\w+\}$/.test(path));
  const successes = (method: string) =>
    Object.keys(at(method, template).responses).filter((status) => status < '300');
  expect(successes('DELETE')).toEqual(['204']);
  expect(at('DELETE', template).responses[204]?.content).toBeUndefined();
  expect(successes('PATCH')).toEqual(['200', '201']);
});

test('operations name the roles that may call them, and public ones name none', () => {
  const described = at('GET', '/Racks/{rackId}');
  expect(described['x-roles']).toEqual(['admin', 'support', 'other']);
  expect(described.description).toContain('Needs one of the roles admin, support, other');
  expect(described['x-permission']).toBe('Racks.get');
  expect(described.security).toEqual([{ bearer: [] }, { basic: [] }, { cookie: [] }, { query: [] }]);
  expect(at('POST', '/racks/badge')).toMatchObject({
    security: [],
    description: expect.stringContaining('door'),
  });
  expect(at('POST', '/racks/badge')['x-roles']).toBeUndefined();
  expect(at('GET', '/racks/{rackId}/slots/{slot}/{inside}')['x-roles']).toEqual([]);
});

test('each operation names the rejections that it can answer, and no other', () => {
  const statuses = (method: string, path: string) =>
    Object.keys(at(method, path).responses)
      .map(Number)
      .filter((status) => status >= 400);
  expect(statuses('GET', '/racks')).toEqual([400, 401, 403, 429, 431, 500, 503]);
  expect(statuses('POST', '/racks')).toEqual([400, 401, 403, 404, 409, 413, 415, 422, 429, 431, 500, 503]);
  expect(statuses('POST', '/racks/badge')).toEqual([400, 401, 413, 415, 431, 500, 503]);
  expect(statuses('POST', '/racks/ring')).toEqual([400, 413, 415, 431, 500, 503]);
  expect(responseOf(document, at('POST', '/racks'), 422)?.description).toBe('The row has no room.');
  expect(responseOf(document, at('GET', '/racks'), 401)?.headers).toHaveProperty('WWW-Authenticate');
});

test('each role is described', () => {
  for (const role of ROLES) {
    const one = allow(role)
      .meta(rest('GET', '/one', 'One'))
      .input(z.strictObject({}))
      .output(answer(z.null()));
    const reported: OpenApi = JSON.parse(
      writeOpenApi(operationsOf(proceduresOf(router({ one: router({ get: one.query(() => null) }) })))),
    );
    expect(reported.paths['/one']?.get).toMatchObject({
      'x-roles': [role],
      description: `Needs the role ${role}, or the permission \`One.get\`.`,
    });
  }
});

test('every example meets its schema', () => {
  expect(wrongExamples(document)).toEqual([]);
});

test('a wrong example would be found', () => {
  const spoilt: OpenApi = JSON.parse(text);
  const media = spoilt.paths['/racks']?.post?.requestBody?.content['application/json'];
  if (media) media.example = { rack: { name: 4 } };
  expect(wrongExamples(spoilt)).toHaveLength(1);
});

test('every request body and every answer has an example', () => {
  for (const { at: place, described } of operationsIn(document)) {
    const { requestBody, responses } = described;
    for (const { content = {} } of [requestBody ?? {}, ...Object.values(responses)]) {
      for (const media of Object.values(content)) expect(media, place).toHaveProperty('example');
    }
  }
});

test('the example of a body contains the fields that are not in the path', () => {
  const media = at('POST', '/racks/find').requestBody?.content['application/json'];
  expect(media?.example).toEqual({ options: { name: 'row 4' } });
});

/** The invented endpoints, served as the real ones are. */
async function serveInvented() {
  // Not before the other tests: they calculate for seconds, in which nothing answers the connections of a service.
  const service = await openService();
  const app = new Hono<Env>({ strict: false });
  const { caller } = await service.callerWith(['admin', 'apiread']);
  mountRest(app, {
    operations,
    contextOf: (c) => ({
      db: service.db,
      platform: service.platform,
      request: {
        id: 'invented',
        address: '192.0.2.1',
        face: 'rest',
        secure: false,
        basic: () => null,
        ifMatch: c.req.header('if-match') ?? null,
        authenticate: async () => caller,
        gone: () => new AbortController().signal,
        again: async () => caller,
      },
      answer: { headers: {} },
    }),
    limits: { body: 1e6, import: 1e6 },
  });
  app.onError((error, c) => c.text(error.message, 400));
  // Without TLS options the adaptor makes a plain HTTP server; its type also covers the others.
  const arrival = { requestId: 'invented', address: '192.0.2.1', secure: false, route: '' };
  const server = createAdaptorServer({
    fetch: (request, env) => app.fetch(request, { ...(env as HttpBindings), ...arrival }),
  }) as Server;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Every pattern of the document, with its place. */
function patternsIn(value: unknown, at = ''): [place: string, pattern: string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]): [string, string][] =>
    name === 'pattern' && typeof one === 'string' ? [[at, one]] : patternsIn(one, `${at}/${name}`),
  );
}

test('every pattern is one that engines without look-arounds compile, RE2 among them', () => {
  const patterns = patternsIn(JSON.parse(openApiText()));
  expect(patterns.length).toBeGreaterThan(5);
  for (const [place, pattern] of patterns) {
    expect(() => RE2JS.compile(pattern), `${place}: ${pattern}`).not.toThrow();
    expect(pattern, place).not.toMatch(/\\p\{|\(\?[=!<]/);
  }
});

test('the port of a command has the documented default', () => {
  const { described } = operationsIn(JSON.parse(openApiText())).find(
    ({ path }) => path === '/automationgateway/cli/send_command',
  ) ?? { described: undefined };
  expect(JSON.stringify(described?.requestBody)).toContain('"default":22');
});

test('the service accepts every request that the document shows, and answers as the document says', async () => {
  const url = await serveInvented();
  for (const { at: place, method, path, described } of operationsIn(document)) {
    const given = (described.parameters ?? []).filter(({ example }) => example !== undefined);
    const inPath = given.filter((one) => one.in === 'path');
    const target = inPath.reduce((one, { name, example }) => one.replace(`{${name}}`, String(example)), path);
    const query = new URLSearchParams();
    for (const { name, example } of given.filter((one) => one.in === 'query')) {
      query.set(name, typeof example === 'string' ? example : JSON.stringify(example));
    }
    const [type, media] = Object.entries(described.requestBody?.content ?? {})[0] ?? [];
    const body = type?.includes('form')
      ? new URLSearchParams(media?.example as Record<string, string>)
      : undefined;
    const answered = await fetch(`${url}${target}?${query}`, {
      method,
      ...(media && { body: body ?? JSON.stringify(media.example), headers: { 'Content-Type': type ?? '' } }),
    });
    const got = await answered.text();
    expect(
      Object.keys(described.responses).filter((status) => status < '300'),
      `${place}: ${got}`,
    ).toContain(String(answered.status));
    const content = Object.entries(described.responses[answered.status]?.content ?? {})[0];
    if (!content) continue;
    expect(answered.headers.get('content-type'), place).toContain(content[0]);
    const value = content[0] === 'application/json' ? JSON.parse(got) : got;
    expect(readerOf(document, content[1].schema).safeParse(value).error, place).toBeUndefined();
  }
});
