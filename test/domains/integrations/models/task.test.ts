import { expect, test } from 'vitest';
import { bundleTask } from '#server/domains/integrations/models/bundle.ts';
import { compileDocument } from '#server/domains/integrations/models/compile/compile.ts';
import { taskOf } from '#server/domains/integrations/models/task.ts';

function compiled(document: Record<string, unknown>) {
  const whole = { openapi: '3.0.3', info: { title: 'Sites', version: '1.0' }, ...document };
  const result = compileDocument(whole);
  if ('issues' in result || !result.model.operations[0]) throw new Error(JSON.stringify(result));
  return { document: whole, operation: result.model.operations[0] };
}

const { document, operation } = compiled({
  components: {
    schemas: {
      Site: {
        type: 'object',
        properties: {
          name: { type: 'string', nullable: true, example: 'Basel' },
          rank: { type: 'integer', minimum: 0, exclusiveMinimum: true },
          parent: { $ref: '#/components/schemas/Site' },
        },
      },
    },
  },
  paths: {
    '/sites/{id}': {
      put: {
        operationId: 'putSite',
        parameters: [
          { name: 'id', in: 'path', required: true, description: 'Its id', schema: { type: 'integer' } },
        ],
        requestBody: {
          required: true,
          content: {
            'application/xml': { schema: {} },
            'application/merge+json': { schema: { $ref: '#/components/schemas/Site' } },
          },
        },
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Site' } } } },
        },
      },
    },
  },
});

const MODEL = { versionId: 'Sites:1.0', title: 'Sites' };

test('a task has the parameters, the media types and the body of its operation, and names what they refer to', () => {
  const { incoming, outgoing, ...rest } = taskOf(operation, MODEL);
  expect(rest).toMatchObject({ type: 'Sites:1.0', name: 'putSite', displayName: 'Sites', effect: 'keyed' });
  expect(incoming).toEqual({
    id: { schema: { type: 'integer', description: 'Its id' }, required: true },
    bodyContentType: {
      schema: {
        type: 'string',
        enum: ['application/xml', 'application/merge+json'],
        default: 'application/merge+json',
      },
      required: false,
    },
    requestBodyPayload: { schema: { title: 'Site' }, required: true },
  });
  expect(Object.keys(outgoing)).toEqual(['response']);
});

test('bundled schemas hold what they refer to as JSON Schema, and a schema within itself is cut with a note', () => {
  const site = {
    type: 'object',
    properties: {
      name: { type: ['string', 'null'], examples: ['Basel'] },
      rank: { type: 'integer', exclusiveMinimum: 0 },
      parent: { title: 'Site', description: 'Left out here: it contains itself' },
    },
  };
  const { incoming, outgoing } = bundleTask(document, operation);
  expect(incoming.requestBodyPayload?.schema).toEqual(site);
  expect(outgoing.response).toMatchObject({ properties: { body: site, status: { type: 'integer' } } });
});

test('schemas that would grow beyond 256 KiB are cut where they are deep', () => {
  // Each of 40 schemas refers to the next one four times: 4 to the power of 40 parts.
  const schemas = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `S${at}`,
      {
        properties: Object.fromEntries(
          ['a', 'b', 'c', 'd'].map((name) => [name, { $ref: `#/components/schemas/S${at + 1}` }]),
        ),
      },
    ]),
  );
  const wide = compiled({
    components: { schemas },
    paths: {
      '/a': {
        post: {
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } } },
        },
      },
    },
  });
  const text = JSON.stringify(bundleTask(wide.document, wide.operation));
  expect(text.length).toBeLessThan(256 * 1024);
  expect(text).toContain('it is too deep or too large');
});

test('a form with a file in OpenAPI 2.0 is a task whose body has binary text', () => {
  const form = compiled({
    openapi: undefined,
    swagger: '2.0',
    paths: { '/a': { post: { parameters: [{ name: 'photo', in: 'formData', type: 'file' }] } } },
  });
  expect(taskOf(form.operation, MODEL).incoming.requestBodyPayload?.schema).toMatchObject({
    properties: { photo: { type: 'string', format: 'binary' } },
  });
});
