import { expect, test } from 'vitest';
import { z } from 'zod';
import { boundIssues } from '#server/kernel/validation/bounded-validation.ts';

const schemaOf = () =>
  z.strictObject({
    items: z.array(z.strictObject({ name: z.string().trim(), size: z.int().default(1) })).max(1000),
    byName: z.record(z.string().max(10), z.union([z.array(z.int()), z.array(z.string())])).optional(),
  });

const plain = schemaOf();
const bounded = schemaOf();
boundIssues(bounded);

const items = (count: number, wrong: readonly number[] = []) =>
  Array.from({ length: count }, (_, at) => ({ name: wrong.includes(at) ? at : ` item ${at} ` }));

test.each([
  ['a short array', { items: items(10) }],
  ['a long array', { items: items(1000) }],
  ['an array over its limit', { items: items(1001) }],
  ['wrong elements in several slices', { items: items(400, [0, 63, 64, 200, 399]) }],
  [
    'a long record',
    { items: [], byName: Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`name${at}`, [at]])) },
  ],
  [
    'a long option of a union that fits only as the second',
    { items: [], byName: { a: Array.from({ length: 500 }, (_, at) => String(at)) } },
  ],
  [
    'wrong names and values of a record',
    { items: [], byName: { aLongNameThatIsWrong: [1], b: [true], ...Object.fromEntries([['c', 'x']]) } },
  ],
  ['something that is no array', { items: 'none', byName: [] }],
])('%s is validated as without a bound', (_, value) => {
  const expected = plain.safeParse(value);
  const found = bounded.safeParse(value);
  expect(found.data).toEqual(expected.data);
  expect(found.error?.issues).toEqual(expected.error?.issues);
});

test('validation ends soon after the issue that is one too many', () => {
  let validated = 0;
  const counting = z.object({
    rows: z.array(
      z.array(
        z.string().refine(() => {
          validated += 1;
          return false;
        }),
      ),
    ),
  });
  boundIssues(counting);
  const rows = Array.from({ length: 500 }, () => Array.from({ length: 500 }, () => 'x'));
  const { error } = counting.safeParse({ rows });
  expect(error?.issues).toHaveLength(101);
  // 64 rows, of each no more than two slices.
  expect(validated).toBeLessThanOrEqual(64 * 128);
});

test('fields of any name and value are not copied: an object with very many costs what its text costs', () => {
  const schema = z.object({ data: z.record(z.string(), z.unknown()).optional() });
  const plain = z.object({ data: z.record(z.string(), z.unknown()).optional() });
  boundIssues(schema);
  const data = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`field ${at}`, { at }]));
  expect(schema.parse({ data }).data).toBe(data);
  for (const value of [data, [], null, 'text', new Date(0), undefined]) {
    expect(schema.safeParse({ data: value })).toEqual(plain.safeParse({ data: value }));
  }
});

test('names and values of a record that are checked or changed are those of the schema, however many fields it has', () => {
  const records = [
    z.record(z.string().trim(), z.unknown()),
    z.record(z.string().max(5), z.unknown()),
    z.record(z.uuid(), z.unknown()),
    z.record(
      z.string(),
      z.unknown().refine((value) => value !== 7),
    ),
    z.record(z.string(), z.unknown().transform(String)),
    z.record(z.string(), z.unknown().optional()),
  ];
  const values = [{ ' a ': 1 }, { tooLong: 2 }, { a: 7 }, { a: undefined }];
  const parsed = () => records.map((record) => values.map((value) => record.safeParse(value)));
  const expected = parsed();
  for (const record of records) boundIssues(record);
  expect(parsed()).toEqual(expected);
});
