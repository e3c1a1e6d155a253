import { expect, test } from 'vitest';
import { schemaIssues } from '#server/engines/operations/json-schema.ts';

const places = (schema: unknown) =>
  schemaIssues(schema, ['schema']).map(({ path }) => path.slice(1).join('.'));

test.each([
  {},
  { type: 'object', properties: {}, additionalProperties: true },
  { type: ['object', 'null'], required: ['a'], properties: { a: { type: 'string', pattern: '^[a-z]+$' } } },
  { properties: { a: true, b: false } },
  { properties: { required: { type: 'string', required: true } } },
  { $defs: { ip: { type: 'string' } }, properties: { host: { $ref: '#/$defs/ip' } } },
  { definitions: { 'a/b~c': {} }, items: { $ref: '#/definitions/a~1b~0c' } },
  { properties: { tree: { items: { $ref: '#' } } } },
  { items: [{ type: 'string' }], additionalItems: false },
  { items: [] },
  JSON.parse('{"allOf":[{"if":{"minimum":1},"then":{"maximum":9},"else":{}}],"not":{"enum":[null]}}'),
  { patternProperties: { '^x-': { minLength: 0 } }, dependencies: { a: ['b'], c: { required: ['d'] } } },
  { exclusiveMinimum: true, minimum: 0 },
  { 'x-ours': { type: 5 }, title: 7, examples: 'none' },
])('%j compiles', (schema) => {
  expect(schemaIssues(schema, [])).toEqual([]);
});

test.each([
  [5, ['']],
  [[], ['']],
  [{ type: 'text' }, ['type']],
  [{ type: [] }, ['type']],
  [{ type: ['string', 'string'] }, ['type']],
  [{ properties: [] }, ['properties']],
  [{ properties: { a: 'string' } }, ['properties.a']],
  [
    { properties: { a: { type: 'no' }, b: { required: ['x', 'x'] } } },
    ['properties.a.type', 'properties.b.required'],
  ],
  [{ required: 'a' }, ['required']],
  [{ required: [1] }, ['required']],
  [{ pattern: '(' }, ['pattern']],
  [{ pattern: '(?=a)' }, ['pattern']],
  [{ pattern: 5 }, ['pattern']],
  [{ patternProperties: { '(': {} } }, ['patternProperties.(']],
  [{ items: 'string' }, ['items']],
  [{ anyOf: [] }, ['anyOf']],
  [{ oneOf: {} }, ['oneOf']],
  [{ allOf: [{ minLength: -1 }] }, ['allOf.0.minLength']],
  [{ enum: 'a' }, ['enum']],
  [{ minimum: '1' }, ['minimum']],
  [{ multipleOf: 0 }, ['multipleOf']],
  [{ uniqueItems: 1 }, ['uniqueItems']],
  [{ $ref: 'https://example.net/schema' }, ['$ref']],
  [{ $ref: '#/$defs/none' }, ['$ref']],
  [{ $ref: 5 }, ['$ref']],
  [{ dependencies: { a: [1] } }, ['dependencies.a']],
  [{ additionalProperties: 'yes', not: 1 }, ['additionalProperties', 'not']],
])('%j does not, and the place is told: %j', (schema, told) => {
  expect(places(schema)).toEqual(told);
});

test('what is too deep or too much is refused, without walking it all', () => {
  let deep: unknown = { type: 'no' };
  for (let level = 0; level < 100; level++) deep = { items: deep };
  expect(schemaIssues(deep, []).map(({ message }) => message)).toEqual(['nests schemas deeper than 64']);
  const wide = { properties: Object.fromEntries([...Array(6000).keys()].map((name) => [`m${name}`, {}])) };
  expect(schemaIssues(wide, []).map(({ message }) => message)).toEqual(['holds more than 5000 schemas']);
  const wrong = { properties: Object.fromEntries([...Array(100).keys()].map((name) => [`m${name}`, 5])) };
  expect(schemaIssues(wrong, [])).toHaveLength(20);
});
