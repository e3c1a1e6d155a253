import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileDocument } from '#server/domains/integrations/models/compile/compile.ts';
import { lawRuns } from '../../../helpers/long.ts';

const name = fc.constantFrom('id', 'name', 'page', 'X-Trace', 'adapter_id', 'bodyContentType');
const place = fc.constantFrom('path', 'query', 'header', 'cookie');
const parameter = fc.record(
  {
    name,
    in: place,
    required: fc.boolean(),
    style: fc.constantFrom('form', 'simple', 'unheard'),
    schema: fc.constant({ type: 'string' }),
  },
  { requiredKeys: ['name', 'in'] },
);
const reference = fc
  .constantFrom('#/components/parameters/a', '#/components/parameters/loop', '#/none')
  .map(($ref) => ({ $ref }));
const body = fc.record({
  content: fc.dictionary(
    fc.constantFrom('application/json', 'text/plain', 'multipart/form-data'),
    fc.constant({ schema: {} }),
  ),
});
const operation = fc.record(
  {
    operationId: fc.constantFrom('list', 'create', 'get__a', ''),
    parameters: fc.array(fc.oneof(parameter, parameter, reference), { maxLength: 6 }),
    requestBody: body,
    tags: fc.array(fc.string(), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const item = fc.dictionary(fc.constantFrom('get', 'put', 'post', 'delete', 'patch', 'head'), operation);
const path = fc
  .array(fc.constantFrom('a', 'b', '{id}', '{name}', '{}', '{free}'), { minLength: 1, maxLength: 4 })
  .map((parts) => `/${parts.join('/')}`);
const document = fc.record({
  openapi: fc.constantFrom('3.0.3', '3.1.0'),
  info: fc.constant({ title: 'Sites', version: '1' }),
  paths: fc.dictionary(path, item, { maxKeys: 8 }),
  components: fc.constant({
    parameters: { a: { name: 'page', in: 'query' }, loop: { $ref: '#/components/parameters/loop' } },
  }),
});

/** Every operation of a document, as `METHOD /path`. */
const declaredIn = (paths: Record<string, object>) =>
  Object.entries(paths).flatMap(([at, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${at.replaceAll(/\{[^}]*\}/g, '{}')}`),
  );

test('every operation of a document is compiled or named as left out, under a name of its own', () => {
  fc.assert(
    fc.property(document, (one) => {
      const result = compileDocument(one);
      if ('issues' in result) throw new Error(JSON.stringify(result.issues));
      const { operations, leftOut } = result.model;
      const reported = [...operations, ...leftOut].map(
        ({ method, path: at }) => `${method} ${at.replaceAll(/\{[^}]*\}/g, '{}')}`,
      );
      expect(reported.sort()).toEqual(declaredIn(one.paths).sort());
      const names = operations.map((each) => each.name);
      expect(new Set(names).size).toBe(names.length);
    }),
    lawRuns(400),
  );
});

test('the path of an operation names exactly its path parameters, and its incoming values differ in name', () => {
  fc.assert(
    fc.property(document, (one) => {
      const result = compileDocument(one);
      if ('issues' in result) throw new Error(JSON.stringify(result.issues));
      for (const { path: at, parameters } of result.model.operations) {
        const inPath = parameters.filter((each) => each.in === 'path').map(({ wireName }) => wireName);
        const named = [...at.matchAll(/\{([^{}]*)\}/g)].map(([, each]) => each);
        expect(inPath.sort()).toEqual(named.sort());
        const names = parameters.map((each) => each.name);
        expect(new Set([...names, 'adapter_id', 'bodyContentType', 'requestBodyPayload']).size).toBe(
          names.length + 3,
        );
      }
    }),
    lawRuns(400),
  );
});

test('any JSON is compiled or rejected with issues, and never throws', () => {
  const any = fc.record(
    {
      openapi: fc.constantFrom<unknown>('3.0.0', '3.1.0', 3, null),
      swagger: fc.constantFrom<unknown>('2.0', 2, {}),
      info: fc.oneof(fc.constant({ title: 't', version: '1' }), fc.jsonValue()),
      paths: fc.oneof(
        fc.dictionary(
          path,
          fc.dictionary(fc.constantFrom('get', 'post', 'parameters', 'servers', '$ref'), fc.jsonValue()),
        ),
        fc.jsonValue(),
      ),
      components: fc.oneof(
        fc.record({ securitySchemes: fc.jsonValue(), parameters: fc.jsonValue() }),
        fc.jsonValue(),
      ),
      securityDefinitions: fc.jsonValue(),
      security: fc.jsonValue(),
      servers: fc.jsonValue(),
      consumes: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(any, (one) => {
      const result = compileDocument(JSON.parse(JSON.stringify(one)));
      expect('model' in result || result.issues.length > 0).toBe(true);
    }),
    lawRuns(2000),
  );
});
