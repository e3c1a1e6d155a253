import { expect, test } from 'vitest';
import { compileSchema, SchemaError } from '#server/kernel/validation/json-schema.ts';

test('a value is reported with everything that is wrong with it, each fault by its path', () => {
  const check = compileSchema({
    type: 'object',
    required: ['site', 'vlan'],
    properties: {
      site: { type: 'string', pattern: '^[a-z]+$' },
      vlan: { type: 'integer', maximum: 4094 },
      ports: { type: 'array', items: { type: 'string' } },
    },
    additionalProperties: false,
  });
  expect(check({ site: 'north', vlan: 7 })).toEqual([]);
  const issues = check({ site: 'North', ports: ['a', 1], colour: 'red' });
  expect(issues.map(({ path, code }) => [path.join('.'), code]).sort()).toEqual([
    ['colour', 'additionalProperties'],
    ['ports.1', 'type'],
    ['site', 'pattern'],
    ['vlan', 'required'],
  ]);
});

test('a schema whose $id occurs twice, or in another schema, is used', () => {
  const part = { $id: 'array', type: 'array' };
  const check = compileSchema({
    $schema: 'http://json-schema.org/draft-04/schema#',
    properties: { a: part, b: part, $id: { type: 'number' } },
  });
  expect(check({ a: [], b: 1, $id: 'x' }).map(({ path }) => path)).toEqual([['b'], ['$id']]);
});

test('a schema that cannot be used is rejected with the reason', () => {
  expect(() => compileSchema({ type: 'strange' })).toThrow(SchemaError);
  expect(() => compileSchema({ $ref: 'http://192.0.2.1/other.json' })).toThrow(/reference/);
  expect(() => compileSchema({ type: 'string', pattern: '(?=a)b' })).toThrow(SchemaError);
});

test('an expression that would backtrack is answered quickly', () => {
  const check = compileSchema({ type: 'string', pattern: '^(a+)+$' });
  expect(check(`${'a'.repeat(50_000)}!`)).toHaveLength(1);
});

test('a schema whose references lead to each other in a circle is rejected in plain words', () => {
  const circle = { a: { $ref: '#/definitions/b' }, b: { $ref: '#/definitions/a' } };
  expect(() => compileSchema({ definitions: circle, $ref: '#/definitions/a' })('x')).toThrow(
    'refers to itself without end',
  );
});
