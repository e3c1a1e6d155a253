import { sql as drizzle, eq, inArray, type SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mayRead } from '#db/access.ts';
import { countOf, pageOf, textsOf, totalOf, whereOf } from '#db/list/compile.ts';
import { projectionOf } from '#db/list/project.ts';
import { readList } from '#db/list/read-list.ts';
import { sql, statementOf } from '#db/statement.ts';
import { backups } from '#db/tables/golden-config/configurations.ts';
import { accounts } from '#db/tables/identity/accounts.ts';
import { Routers } from '../../helpers/devices/routers.ts';

const dialect = new PgDialect();
const written = (query: SQL) => {
  const { sql: text, params } = dialect.sqlToQuery(query);
  return { text, params };
};

const NAMES = ['name', 'tags', 'labels.site', '_id'];
const name = fc.constantFrom(...NAMES);
const value = fc.string({ unit: 'grapheme', maxLength: 10 }).filter((text) => !/[\0.,]/.test(text));
const requested = fc.record(
  {
    equals: fc.dictionary(name, value, { noNullPrototype: true }),
    contains: fc.dictionary(name, value, { noNullPrototype: true }),
    in: fc.dictionary(name, value, { noNullPrototype: true }),
    sort: fc.constantFrom('name', 'labels.site', '_id'),
    order: fc.constantFrom(1, -1),
    skip: fc.nat(50),
    limit: fc.integer({ min: 1, max: 1000 }),
    include: fc.constantFrom('name', 'labels.site'),
  },
  { requiredKeys: [] },
);
const reader = fc.record({ roles: fc.constant(['apiread']), groups: fc.array(value) });

test('a list’s statements are written as Drizzle writes them, text and parameters', () => {
  fc.assert(
    fc.property(requested, fc.option(reader), fc.boolean(), (members, caller, counted) => {
      const query = readList(Routers, members);
      const access = caller ? mayRead(backups, caller) : undefined;
      const where = whereOf(Routers, query.where, access);
      const total = totalOf(Routers, query.where, access);
      const { shown } = projectionOf(query);
      for (const made of [
        pageOf(Routers, query, where, shown, { count: counted ? total : undefined }),
        countOf(total),
        textsOf(Routers, 'tags', where),
      ]) {
        expect(statementOf(made)).toEqual(written(made));
      }
    }),
  );
});

test('our tag builds the same SQL as Drizzle’s own, for any content', () => {
  const parts = [
    1,
    null,
    'a',
    true,
    undefined,
    backups,
    backups.id,
    new Date(0),
    ['a', 'b'],
    drizzle.raw('now()'),
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { minLength: 3, maxLength: 3 }), ([a, b, c]) => {
      const ours = sql`${a} one ${sql`two ${b}`}${sql.join([sql`${c}`, sql``, sql`x`], sql`, `)}`;
      const theirs = drizzle`${a} one ${drizzle`two ${b}`}${drizzle.join([drizzle`${c}`, drizzle``, drizzle`x`], drizzle`, `)}`;
      expect(written(ours)).toEqual(written(theirs));
      expect(statementOf(ours)).toEqual(written(theirs));
      expect(statementOf(theirs)).toEqual(written(theirs));
    }),
  );
});

test('statements that only Drizzle can write are written by Drizzle', () => {
  const query = sql`select ${sql.identifier('a"b')} where ${eq(accounts.id, 'x')} and ${inArray(accounts.id, ['y', 'z'])}`;
  expect(statementOf(query)).toEqual(written(query));
  expect(statementOf(query).params).toEqual(['x', 'y', 'z']);
});
