import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { fieldNamesOf, fieldOf } from '#db/list/fields.ts';

type Tree = { name: string; branches: Tree[]; parent?: Tree | undefined };
const Tree: z.ZodType<Tree> = z.lazy(() =>
  z.object({ name: z.string(), branches: z.array(Tree), parent: Tree.optional() }),
);

const Document = z.looseObject({
  _id: z.string(),
  count: z.number().int().nullish(),
  ratio: z.literal([1, 2]),
  enabled: z.boolean().default(true),
  state: z.enum(['up', 'down']),
  since: z.iso.datetime().optional(),
  either: z.union([z.string(), z.number(), z.null()]),
  reason: z.union([z.string(), z.object({ text: z.string() })]),
  sizes: z.array(z.number()),
  rules: z.array(z.tuple([z.string(), z.string()])),
  hosts: z.array(z.object({ address: z.string(), ports: z.array(z.number()) })),
  oneOrMany: z.union([z.string(), z.array(z.string())]),
  metrics: z.object({ owner: z.string() }).readonly().optional(),
  labels: z.record(z.string(), z.boolean()),
  properties: z.record(z.string(), z.unknown()),
  anything: z.json(),
  tree: Tree,
  trigger: z.discriminatedUnion('type', [
    z.object({ type: z.literal('manual'), formId: z.string() }),
    z.object({ type: z.literal('schedule'), every: z.number() }),
  ]),
  both: z.intersection(z.object({ left: z.string() }), z.object({ right: z.number() })),
  typed: z.object({}).catchall(z.number()),
  read: z.preprocess((value) => value, z.number()),
  reported: z.string().transform((text) => text.length),
  nothing: z.null(),
  constructor: z.string(),
});

test.each([
  ['_id', 'text'],
  ['count', 'number'],
  ['ratio', 'number'],
  ['enabled', 'boolean'],
  ['state', 'text'],
  ['since', 'text'],
  ['either', 'text'],
  ['reason', 'text'],
  ['reason.text', 'text'],
  ['metrics', 'object'],
  ['metrics.owner', 'text'],
  ['labels.any key', 'boolean'],
  ['properties.host', 'text'],
  ['properties.host.deeper', 'text'],
  ['tree.parent.parent.name', 'text'],
  ['trigger.formId', 'text'],
  ['trigger.every', 'number'],
  ['both.left', 'text'],
  ['both.right', 'number'],
  ['typed.x', 'number'],
  ['read', 'number'],
  ['reported', 'text'],
  ['constructor', 'text'],
])('the field %s has the type %s', (name, type) => {
  expect(fieldOf(Document, name)).toMatchObject({ name, type, path: name.split('.'), many: false });
});

test.each([
  ['sizes', 'number', '$."sizes"[*]'],
  ['rules', 'text', '$."rules"[*][*]'],
  ['hosts', 'object', '$."hosts"[*]'],
  ['hosts.address', 'text', '$."hosts"[*]."address"'],
  ['hosts.ports', 'number', '$."hosts"[*]."ports"[*]'],
  ['oneOrMany', 'text', '$."oneOrMany"[*]'],
  ['anything.at', 'text', '$."anything"[*]."at"[*]'],
  ['tree.branches.name', 'text', '$."tree"."branches"[*]."name"'],
])('%s holds many of %s, at %s', (name, type, jsonpath) => {
  expect(fieldOf(Document, name)).toMatchObject({ type, many: true, jsonpath });
});

test.each([
  'unknown',
  '',
  '.',
  'count.below',
  'metrics.',
  'metrics.unknown',
  '__proto__',
  'toString',
  'labels.__proto__',
  'labels.constructor',
  'properties.prototype',
  'typed.__proto__',
  'metrics.constructor',
  'sizes.0.x',
  'nothing',
  'labels.\0',
  'labels.\uD800',
  'anything.b.c.d.e.f.g.h.i',
  `labels.${'x'.repeat(600)}`,
])('%j is not accepted as a field', (name) => {
  expect(fieldOf(Document, name)).toBeUndefined();
});

test('a key of a record is quoted in the path, whatever it holds', () => {
  expect(fieldOf(Document, 'labels.a"b\\')?.jsonpath).toBe('$."labels"."a\\"b\\\\"');
});

test('a name is resolved alike however often and in whatever order it is looked up', () => {
  const names = fc.array(fc.oneof(fc.string(), fc.constantFrom('labels.x', 'count', '__proto__')), {
    minLength: 1,
  });
  fc.assert(
    fc.property(names, (requested) => {
      for (const name of requested) expect(fieldOf(Document, name)).toEqual(fieldOf(Document.clone(), name));
    }),
  );
});

test('the field names of a union include those of each option', () => {
  const options = z.discriminatedUnion('type', [
    z.object({ type: z.literal('a'), x: z.string() }),
    z.object({ type: z.literal('b'), y: z.string() }),
  ]);
  expect(fieldNamesOf(options).toSorted()).toEqual(['type', 'x', 'y']);
});
