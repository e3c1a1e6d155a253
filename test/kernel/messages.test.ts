import { expect, test } from 'vitest';
import { z } from 'zod';
import { issuesOf } from '#server/kernel/validation/zod-issues.ts';

const messageFor = (schema: z.ZodType, value: unknown) => {
  const read = schema.safeParse(value);
  return read.success ? 'accepted' : issuesOf(read.error).map(({ message }) => message);
};

const Kinds = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('mail'), to: z.string() }),
  z.object({ kind: z.literal('webhook'), url: z.url() }),
]);

test.each<[string, z.ZodType, unknown, string]>([
  ['an absent field', z.string(), undefined, 'is required'],
  ['an absent choice', z.enum(['strict', 'lenient']), undefined, 'is required'],
  ['an absent value of several forms', z.union([z.string(), z.number()]), undefined, 'is required'],
  ['a number for a string', z.string(), 5, 'must be a string, not a number'],
  ['null for an object', z.object({}), null, 'must be an object, not null'],
  ['an array for an object', z.record(z.string(), z.string()), [], 'must be an object, not an array'],
  ['an object for an array', z.array(z.string()), {}, 'must be an array, not an object'],
  ['true for a number', z.number(), true, 'must be a number, not true'],
  ['a string for a truth value', z.boolean(), 'yes', 'must be true or false, not a string'],
  ['text for a number of a query', z.coerce.number(), 'ten', 'must be a number'],
  ['a fraction for an integer', z.int(), 1.5, 'must be an integer'],
  ['an unknown choice', z.enum(['strict', 'lenient']), 'loose', 'must be one of "strict", "lenient"'],
  ['another value than the only one', z.literal(2), 3, 'must be 2'],
  ['an unknown kind', Kinds, { kind: 'fax' }, 'must be one of "mail", "webhook"'],
  [
    'a value of none of several forms',
    z.union([z.literal(1), z.literal(-1), z.string()]),
    7,
    'must be 1, or must be -1, or must be a string, not a number',
  ],
  ['an incomplete form', z.union([z.string(), z.object({ name: z.string() })]), {}, 'is required'],
  ['an empty string', z.string().min(1), '', 'must not be empty'],
  ['an empty array', z.array(z.string()).min(1), [], 'must not be empty'],
  ['a short string', z.string().min(8), 'short', 'must have at least 8 characters'],
  ['a long string', z.string().max(1), 'ab', 'must have at most 1 character'],
  ['a string of the wrong length', z.string().length(24), 'ab', 'must have exactly 24 characters'],
  ['a long array', z.array(z.number()).max(2), [1, 2, 3], 'must have at most 2 elements'],
  ['a small number', z.number().min(1), 0, 'must be at least 1'],
  ['a number that is not positive', z.number().positive(), 0, 'must be more than 0'],
  ['a large number', z.number().max(65_535), 70_000, 'must be at most 65535'],
  ['a number between two steps', z.number().multipleOf(5), 7, 'must be a multiple of 5'],
  ['text that is no URL', z.url(), 'quay', 'must be a URL'],
  ['text that is no address', z.email(), 'quay', 'must be an email address'],
  ['text with another start', z.string().startsWith('/'), 'quay', 'must start with "/"'],
  ['text outside a pattern', z.string().regex(/^[a-z]+$/), '5', 'must match /^[a-z]+$/'],
  ['a check without a message', z.string().refine(() => false), 'quay', 'is not valid'],
  ['a check with a message', z.string().min(1, 'needs a name'), '', 'needs a name'],
  ['an unknown field', z.strictObject({}), { colour: 'red' }, 'unknown field "colour"'],
])('the issue of %s says what the value must be', (_, schema, value, message) => {
  expect(messageFor(schema, value)).toEqual([message]);
});
