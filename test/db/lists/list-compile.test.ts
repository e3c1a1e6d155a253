import { PgDialect } from 'drizzle-orm/pg-core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageOf, totalOf, whereOf } from '#db/list/compile.ts';
import { projectionOf } from '#db/list/project.ts';
import { readList } from '#db/list/read-list.ts';
import { Routers } from '../../helpers/devices/routers.ts';

const dialect = new PgDialect();
const compile = (query: ReturnType<typeof readList>) =>
  dialect.sqlToQuery(
    pageOf(Routers, query, whereOf(Routers, query.where), projectionOf(query).shown, {
      count: totalOf(Routers, query.where),
    }),
  );

test('no name or value of a caller appears in the SQL: the text depends on the shape alone', () => {
  const operator = fc.constantFrom('equals', 'contains', 'starts-with', 'in', 'not-in', 'gt', 'lt');
  const said = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !/[\0.,]/.test(text));
  fc.assert(
    fc.property(operator, said, said, (op, key, value) => {
      const label = `labels.k${key}`;
      const alike = value === '' ? '' : /^[\0-\x7f]*$/.test(value) ? 'a' : 'é';
      const requested = { [op]: { [label]: value, name: value, tags: value }, sort: label, include: label };
      const plain = {
        [op]: { 'labels.k': alike, name: alike, tags: alike },
        sort: 'labels.k',
        include: 'labels.k',
      };
      expect(compile(readList(Routers, requested)).sql).toBe(compile(readList(Routers, plain)).sql);
    }),
  );
});

test('a condition that was not compiled, or on an unknown field, throws as a defect of the platform', () => {
  expect(() => whereOf(Routers, [{ field: 'nothing', op: 'eq', values: ['x'] }])).toThrow(TypeError);
  expect(() => whereOf(Routers, [{ field: 'name', op: 'matches', values: ['x'] }])).toThrow(TypeError);
});
