import { expect, test } from 'vitest';
import type { z } from 'zod';
import { openApiText } from '#server/http/openapi/document.ts';
import { openApi } from '#server/http/openapi/served.ts';
import { operations } from '#server/http/operations.ts';
import { DOCUMENTED } from '../../helpers/http/documented.ts';
import {
  faultsOf,
  type OpenApi,
  operationsIn,
  responseOf,
  wrongExamples,
} from '../../helpers/http/openapi.ts';
import { isLong } from '../../helpers/long.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const document: OpenApi = JSON.parse(openApiText());
const described = operationsIn(document);
const braced = (path: string) => path.replace(/:(\w+)/g, '{$1}');
const shapeOf = (path: string) => braced(path).replace(/\{\w+\}/g, '{}');
/** What the document says of an operation, whatever it calls the path's parameters. */
const reported = (method: string, path: string) =>
  described.find((one) => one.method === method && shapeOf(one.path) === shapeOf(path))?.described;

test('the document is served without a credential, as JSON', async () => {
  const answer = await service.send(null, 'GET', '/openapi.json');
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.text).toBe(openApiText());
  expect(answer.json).toMatchObject({ openapi: '3.1.0', info: { title: 'Switchyard' } });
});

test('a client that has the document gets 304', async () => {
  const first = await service.send(null, 'HEAD', '/openapi.json');
  expect(first.status).toBe(200);
  expect(first.text).toBe('');
  const headers = { 'If-None-Match': first.headers.etag ?? '' };
  const again = await service.send(null, 'GET', '/openapi.json', undefined, { headers });
  expect(again.status).toBe(304);
  expect(again.text).toBe('');
});

test('the document has a licence, a contact and a description of its use', () => {
  const { license, contact, description } = document.info;
  expect(license).toEqual({ name: 'Apache License 2.0', identifier: 'Apache-2.0' });
  expect(contact).toHaveProperty('name');
  expect(description).toContain('POST /login');
});

test('exactly the endpoints exist, each under its path and aliases', () => {
  const served = operations.flatMap(({ method, path, meta }) =>
    [path, ...(meta.aliases ?? [])].map((one) => `${method} ${shapeOf(one)}`),
  );
  expect([...new Set(described.map(({ method, path }) => `${method} ${shapeOf(path)}`))].sort()).toEqual(
    [...new Set(served)].sort(),
  );
});

test('every operation has an id of its own, a summary, a description and a tag that is explained', () => {
  expect(new Set(described.map((one) => one.described.operationId)).size).toBe(described.length);
  const tags = new Map(document.tags.map(({ name, description }) => [name, description]));
  for (const { at, described: one } of described) {
    expect(one.summary.length, at).toBeGreaterThan(5);
    expect(one.description.length, at).toBeGreaterThan(5);
    expect(one.tags, at).toHaveLength(1);
    const [tag = ''] = one.tags;
    // A tag that tags.ts does not know is listed by its name alone.
    expect(tags.get(tag), `${at}: describe the area in server/http/openapi/tags.ts`).not.toBe(
      `The area ${tag}.`,
    );
  }
});

test('every operation names the roles that the guard lets in', () => {
  for (const { method, path, meta, permission } of operations) {
    const one = reported(method, path);
    const at = `${method} ${path}`;
    if (meta.audience === 'public' || meta.audience === undefined) {
      expect(one, at).toMatchObject({ security: [] });
      expect(one, at).not.toHaveProperty('x-roles');
    } else {
      const roles = meta.audience === 'signed-in' ? [] : [...meta.audience];
      expect(one, at).toMatchObject({ 'x-roles': roles });
      expect(one?.security.flatMap((way) => Object.keys(way))).toEqual(
        Object.keys(document.components.securitySchemes),
      );
      for (const role of roles) expect(one?.description, at).toContain(role);
      if (roles.length > 0) expect(one?.description, at).toContain(`\`${permission}\``);
    }
  }
});

const served = new Set(operations.map(({ method, path }) => `${method} ${shapeOf(path)}`));

test.each(DOCUMENTED.filter(({ method, path }) => served.has(`${method} ${shapeOf(path)}`)))(
  '$method $path names the roles of the interface: $roles',
  ({ method, path, roles }) => {
    const one = reported(method, path);
    expect(one?.['x-roles']).toEqual(roles);
    expect(one?.description).toMatch(new RegExp(`Needs (the role|one of the roles) ${roles.join(', ')}, or`));
  },
);

test('requests are closed at the top', () => {
  for (const { method, path, meta, input } of operations) {
    const at = `${method} ${path}`;
    // Zod's object keeps what unknown members may be; a closed one says: never.
    const { catchall } = (input as z.ZodObject).def;
    if (catchall?._zod.def.type !== 'never')
      expect(catchall, `${at} drops unknown members: use strictObject`).toBeDefined();
    if (method === 'GET' || catchall?._zod.def.type !== 'never') continue;
    for (const { schema } of Object.values(reported(method, path)?.requestBody?.content ?? {})) {
      const top = meta.bare ? (schema.anyOf as unknown[] | undefined)?.[1] : schema;
      expect(top, at).toMatchObject({ additionalProperties: false });
    }
  }
});

test('every operation names its rejections, each in the one error shape, with an example and its headers', () => {
  for (const { at, described: one } of described) {
    const statuses = Object.keys(one.responses).map(Number);
    expect(statuses, at).toEqual(expect.arrayContaining([400, 431, 500, 503]));
    if (one.security.length > 0) expect(statuses, at).toEqual(expect.arrayContaining([401, 403, 429]));
    // A client may send a body where none is documented, too.
    if (at.startsWith('GET ')) expect(statuses, at).not.toContain(415);
    else expect(statuses, at).toEqual(expect.arrayContaining([413, 415]));
    if (/\{/.test(at)) expect(statuses, at).toContain(404);
    for (const status of statuses) {
      const response = responseOf(document, one, status);
      expect(response?.headers, `${at} ${status}`).toHaveProperty('X-Request-Id');
      if (status < 400) continue;
      expect(response?.content?.['application/json'], `${at} ${status}`).toMatchObject({
        schema: { $ref: '#/components/schemas/Error' },
        example: { code: expect.any(String), message: expect.any(String), requestId: expect.any(String) },
      });
      if (status === 401) expect(response?.headers).toHaveProperty('WWW-Authenticate');
      if (status === 429 || status === 503) expect(response?.headers).toHaveProperty('Retry-After');
    }
  }
});

test.each([
  ['GET', '/orchestrator_manager/neds/{adapterId}', 409],
  ['GET', '/orchestrator_manager/neds/deep/{adapterId}', 409],
  ['POST', '/orchestrator_manager/restQuery/{adapterId}', 409],
  ['POST', '/prebuilts/import', 422],
  ['PUT', '/authorization/accounts/{accountId}/password', 422],
])('%s %s declares %i, which the state of what it names can make it answer', (method, path, status) => {
  expect(Object.keys(reported(method, path)?.responses ?? {})).toContain(String(status));
});

test('what reads a template by its name declares what it answers where two groups have one', async () => {
  for (const type of ['jinja2', 'textfsm']) {
    for (const group of ['North', 'South']) {
      const template = { name: `Two of ${type}`, group, type, template: 'Value A (.)\n\nStart\n', data: '' };
      const made = await service.send('admin', 'POST', '/automation-studio/templates', {
        template: { ...template, command: '', description: '' },
      });
      expect(made.status, made.text).toBe(200);
    }
  }
  const requested: [string, string, object][] = [
    ['/template_builder/templates/{name}/renderJinja', 'Two%20of%20jinja2', { context: {} }],
    ['/template_builder/applyTemplate', '', { name: 'Two of jinja2', variables: {} }],
    ['/template_builder/parseTemplate', '', { name: 'Two of textfsm', text: 'x' }],
  ];
  for (const [path, given, body] of requested) {
    const { status, text } = await service.send('admin', 'POST', path.replace('{name}', given), body);
    expect(status, `${path} ${text}`).toBe(409);
    expect(Object.keys(reported('POST', path)?.responses ?? {}), path).toContain('409');
  }
});

test('what the document says of an error is what the service answers', async () => {
  const rejections = [
    await service.send(null, 'GET', '/version'),
    await service.send('other', 'GET', '/prometheus_metrics'),
    await service.send('admin', 'GET', '/version?colour=red'),
    await service.send(null, 'POST', '/login', undefined, { raw: '{' }),
  ];
  expect(rejections.map(({ status }) => status)).toEqual([401, 403, 400, 400]);
  const { schemas } = document.components;
  const known = schemas.Error as { properties: Record<string, { enum?: string[] }>; required: string[] };
  for (const { json } of rejections) {
    const body = json as Record<string, unknown>;
    expect(Object.keys(known.properties)).toEqual(expect.arrayContaining(Object.keys(body)));
    expect(Object.keys(body)).toEqual(expect.arrayContaining(known.required));
    expect(known.properties.code?.enum).toContain(body.code);
  }
});

/** Reads that need nothing but a caller: no parameter in the path, and none that must be in the query. */
const plainReads = operations.filter(({ method, procedure, parameters, input }) => {
  if (method !== 'GET' || procedure._def.type !== 'query' || parameters.length > 0) return false;
  return input.safeParse({}).success;
});

test.each(plainReads)('$method $path answers in the type that is documented', async ({ method, path }) => {
  const answer = await service.send('admin', method, path);
  expect(answer.status).toBe(200);
  const documented = Object.keys(reported(method, path)?.responses[200]?.content ?? {});
  // What answers plain text says so with `produces` in its REST face.
  expect(documented).toEqual([answer.headers['content-type']?.split(';')[0]]);
});

test('an answer that is no JSON is documented as what it is', () => {
  for (const path of ['/version', '/prometheus_metrics']) {
    expect(Object.keys(reported('GET', path)?.responses[200]?.content ?? {})).toEqual(['text/plain']);
  }
  expect(Object.keys(reported('POST', '/login')?.responses[200]?.content ?? {})).toEqual(['text/plain']);
});

/** Endpoints that may be called as the document shows: they talk to nobody else, end, and do not end the session. */
const callable = described.filter(
  ({ path, described: one }) => !(504 in one.responses) && path !== '/logout' && path !== '/events',
);

test.skipIf(!isLong)(
  'what the document shows as a request is read, and answered with a status that it names',
  async () => {
    for (const { at, method, path, described: one } of callable) {
      const given = (one.parameters ?? []).filter(
        ({ example, in: where }) => where === 'path' && example !== undefined,
      );
      const target = given.reduce((to, { name, example }) => to.replace(`{${name}}`, `${example}`), path);
      const [type, media] = Object.entries(one.requestBody?.content ?? {})[0] ?? [];
      const form =
        type?.includes('form') && new URLSearchParams(media?.example as Record<string, string>).toString();
      const options = form ? { raw: form, headers: { 'Content-Type': type ?? '' } } : {};
      const answer = await service.send('admin', method, target, media?.example, options);
      expect(Object.keys(one.responses), `${at}: ${answer.text}`).toContain(String(answer.status));
      // A bulk call of which nothing succeeded says so by 500, for clients compare that (contract/lifecycle#6.3).
      if (answer.text.includes('"message":"Failed to ')) continue;
      expect([405, 415, 500], `${at}: ${answer.text}`).not.toContain(answer.status);
    }
  },
);

// Last: they keep this process busy for seconds, and idle connections to the service end meanwhile.

test.skipIf(!isLong)('two validators find nothing to say about it', async () => {
  expect(await faultsOf(openApiText())).toEqual([]);
});

test.skipIf(!isLong)('for a client elsewhere the same document names the address that it uses', async () => {
  const url = 'https://network.example/"switchyard"/$&';
  const { servers, ...rest }: OpenApi = JSON.parse(await openApi(url));
  expect(servers).toEqual([{ url }]);
  const { servers: own, ...same } = document;
  expect(own).toEqual([{ url: '/' }]);
  expect(rest).toEqual(same);
  expect(await faultsOf(await openApi('https://network.example/switchyard'))).toEqual([]);
});

test.skipIf(!isLong)(
  'every request body and every answer has an example, and every example meets its schema',
  () => {
    for (const { at, described: one } of described) {
      for (const { content = {} } of [one.requestBody ?? {}, ...Object.values(one.responses)]) {
        for (const media of Object.values(content)) {
          expect(media, `${at}: give its schema .meta({ examples })`).toHaveProperty('example');
        }
      }
    }
    expect(wrongExamples(document)).toEqual([]);
  },
);
