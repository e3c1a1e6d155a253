import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createDocument } from 'zod-openapi';
import { everySchema, hasNullAsAbsent } from './every-schema.ts';

const schemas = await everySchema();
const all = Object.fromEntries(schemas.map(({ name, schema }) => [name, schema]));
const json = (schema: z.ZodType) => ({ content: { 'application/json': { schema } } });

/** One endpoint that takes and answers every document there is. */
const document = createDocument({
  openapi: '3.1.0',
  info: { title: 'Every schema', version: '1' },
  paths: {
    '/everything': {
      post: {
        requestBody: json(z.strictObject(all)),
        responses: { 200: { description: 'Everything', ...json(z.looseObject(all)) } },
      },
    },
  },
});
const components = document.components?.schemas ?? {};

test('OpenAPI 3.1 describes every schema, recursive ones too', async () => {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

test('every schema with an id is a component', () => {
  const named = schemas.flatMap(({ schema }) => schema.meta()?.id ?? []);
  expect(named.filter((id) => !(id in components))).toEqual([]);
});

test('request and response share one component: no schema coerces values or fills in defaults', () => {
  // Those in which null says the same as absence are of requests only.
  const requests = new Set(schemas.filter(({ schema }) => hasNullAsAbsent(schema)).map(({ name }) => name));
  const known = new Set(schemas.map(({ name }) => name).filter((name) => !requests.has(name)));
  const doubled = Object.keys(components).filter((id) => id.endsWith('Output') && known.has(id.slice(0, -6)));
  expect(doubled).toEqual([]);
});

test('documents are open and options are closed', () => {
  expect(components.Workflow).toMatchObject({ additionalProperties: {} });
  expect(components.TreeUpdate).toMatchObject({ additionalProperties: false });
  expect(components.ParserQuery).toMatchObject({ additionalProperties: false });
});
