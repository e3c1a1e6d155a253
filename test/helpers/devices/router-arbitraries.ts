import fc from 'fast-check';

/** Characters that patterns, JSON, SQL and collations each treat differently. */
const letters = fc.constantFrom(
  ...'aAbBzZ019 -._%\\\'"/(*$:éÉßüÜñ日İ€'.split(''),
  '😀',
  '\u{10FFFD}',
  '\uFFFD',
  'e\u0301',
  '\t',
  '\u2028',
);

/** Short text, often alike, so that conditions meet documents. */
export const text = fc.oneof(
  fc.constantFrom('', 'core', 'Core', 'core-1', 'CORE_1', '10', '9', 'true', 'null', '100%', 'a\\b'),
  fc.array(letters, { maxLength: 6 }).map((parts) => parts.join('')),
);
export const number = fc.oneof(
  fc.integer({ min: -12, max: 12 }),
  fc.integer({ min: -20, max: 20 }).map((halves) => halves / 2),
  fc.constantFrom(9007199254740991, -2147483649, 1e15),
);

const value = fc.oneof(text, number, fc.boolean(), fc.constant(null));
/** Mostly what the schema says, sometimes another kind of value, sometimes nothing. */
const mostly = <Kind>(kind: fc.Arbitrary<Kind>) => fc.oneof({ weight: 5, arbitrary: kind }, value);

const members = fc.record(
  {
    name: mostly(text),
    started: mostly(fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z')),
    site: mostly(text),
    weight: mostly(number),
    height: mostly(number),
    active: mostly(fc.boolean()),
    spare: mostly(fc.boolean()),
    version: mostly(fc.oneof(text, number)),
    tags: mostly(fc.array(value, { maxLength: 3 })),
    ports: mostly(fc.array(value, { maxLength: 3 })),
    parts: mostly(
      fc.array(
        fc.record(
          { serial: mostly(text), made: mostly(fc.record({ year: mostly(number) })) },
          { requiredKeys: [] },
        ),
        { maxLength: 2 },
      ),
    ),
    metrics: mostly(fc.record({ owner: mostly(text), score: mostly(number) }, { requiredKeys: [] })),
    labels: mostly(fc.dictionary(fc.constantFrom('rack', 'a"b', "o'k", '%'), mostly(text), { maxKeys: 3 })),
  },
  { requiredKeys: [] },
);

/** Documents with ids of their own, in the order of these. */
export const documents = fc.array(members, { maxLength: 40 }).map((all) =>
  all.map((one, index) => ({
    ...one,
    _id: `65a0000000000000000${String(index).padStart(5, '0')}`,
  })),
);

const single = ['_id', 'name', 'started', 'site', 'version', 'metrics.owner', 'labels.rack', 'labels.a"b'];
const typed = ['weight', 'height', 'metrics.score', 'active', 'spare'];
const many = ['tags', 'ports', 'parts.serial', 'parts.made.year'];
export const sortField = fc.constantFrom(...single, ...typed);
const field = fc.constantFrom(...single, ...typed, ...many);
const BOOLEANS = ['active', 'spare'];
const NUMBERS = ['weight', 'height', 'metrics.score', 'ports', 'parts.made.year'];

/** A value that the field's type reads, as a query string or as JSON would carry it. */
const readable = (name: string): fc.Arbitrary<string | number | boolean> => {
  if (BOOLEANS.includes(name)) return fc.oneof(fc.boolean(), fc.constantFrom('true', 'false'));
  return NUMBERS.includes(name) ? fc.oneof(number, number.map(String)) : fc.oneof(text, number);
};

const condition = fc.oneof(
  fc
    .tuple(fc.constantFrom('equals', 'contains', 'starts-with', 'gt', 'gte', 'lt', 'lte'), field)
    .chain(([op, name]) => readable(name).map((one) => ({ op, name, given: one as unknown }))),
  fc
    .tuple(fc.constantFrom('in', 'not-in'), field)
    .chain(([op, name]) =>
      fc.array(readable(name), { maxLength: 4 }).map((given) => ({ op, name, given: given as unknown })),
    ),
);

/** Sound queries of the bracket dialect. */
export const bracket = fc
  .record({
    conditions: fc.array(condition, { maxLength: 3 }),
    page: fc.record(
      {
        skip: fc.nat({ max: 45 }),
        limit: fc.integer({ min: 1, max: 50 }),
        sort: sortField,
        order: fc.constantFrom(1, -1),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ conditions, page }) => {
    const query: Record<string, unknown> = { ...page };
    for (const { op, name, given } of conditions) {
      query[op] = { ...(query[op] as Record<string, unknown> | undefined), [name]: given };
    }
    return query;
  });

const anyField = fc.oneof(
  field,
  fc.constantFrom(
    'parts',
    'labels',
    'metrics',
    'labels.x',
    'labels.__proto__',
    'labels.constructor',
    'tags.0',
  ),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    '',
    '.',
    'a.b.c.d.e.f.g.h.i',
    'metrics.owner.x',
    'doc',
  ),
  fc.string({ unit: 'binary' }),
);
const anyValue = fc.oneof(
  text,
  number,
  fc.boolean(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '1e400',
    '-0',
    '1.',
    '0x1',
    'NaN',
    '\0',
    '\uD800',
    ' 1',
    '1e-400',
    '9'.repeat(60),
    'x'.repeat(5000),
  ),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -0, 5e-324, 1.7976931348623157e308),
  fc.array(fc.oneof(text, number, fc.boolean()), { maxLength: 3 }),
  fc.anything({ maxDepth: 2 }),
);
const PARAMETERS = [
  ...['equals', 'contains', 'starts-with', 'in', 'not-in', 'gt', 'gte', 'lt', 'lte', 'include', 'exclude'],
  ...['startsWith', 'greaterThan', 'greaterThanEquals', 'lessThan', 'lessThanEquals'],
  ...['multiEquals', 'multiContains', 'multiStartsWith', 'filter', 'regex', 'exactMatch', 'token'],
];
const pairFields = PARAMETERS.map((name) => `${name}Field`);

/** Queries of all dialects and none: one member of each kind, mostly with a field or value that might even fit. */
const wildMember = fc.oneof(
  fc.tuple(fc.constantFrom(...PARAMETERS), fc.dictionary(anyField, anyValue, { maxKeys: 3 })),
  fc.tuple(fc.constantFrom(...PARAMETERS, ...pairFields), fc.oneof(anyValue, anyField)),
  fc.tuple(
    fc.constantFrom('sort'),
    fc.oneof(sortField, anyField, fc.dictionary(anyField, fc.constantFrom(1, -1, 0))),
  ),
  fc.tuple(
    fc.constantFrom('order', 'skip', 'limit', 'start'),
    fc.oneof(fc.constantFrom(1, -1), number, anyValue),
  ),
  fc.tuple(fc.string(), anyValue),
);
const likelyField = fc.oneof({ weight: 4, arbitrary: field }, anyField);
const likelyValue = fc.oneof({ weight: 4, arbitrary: fc.oneof(text, number, fc.boolean()) }, anyValue);
const pair = fc
  .tuple(
    fc.constantFrom('equals', 'contains', 'startsWith', 'greaterThan', 'lessThanEquals'),
    likelyField,
    likelyValue,
  )
  .map(([name, one, given]) => ({ [name]: given, [`${name}Field`]: one }));
const OPERATORS = ['equals', 'contains', 'starts-with', 'in', 'not-in', 'gt', 'lte'];
const operator = fc
  .tuple(
    fc.constantFrom(...OPERATORS, 'multiEquals', 'multiContains', 'multiStartsWith'),
    likelyField,
    likelyValue,
  )
  .map(([name, one, given]) => ({ [name]: { [one]: given } }));
const search = fc.record(
  {
    filter: fc.dictionary(likelyField, likelyValue, { minKeys: 1, maxKeys: 2 }),
    sort: fc.dictionary(likelyField, fc.constantFrom(1, -1), { maxKeys: 2 }),
    regex: fc.boolean(),
    exactMatch: fc.boolean(),
    start: fc.oneof(number, fc.constant('3')),
  },
  { requiredKeys: ['filter'] },
);

export const wildQuery = fc.oneof(
  fc.array(wildMember, { maxLength: 3 }).map((members) => Object.fromEntries(members)),
  pair,
  operator,
  search,
  fc.anything(),
);

/** Documents whose members hold anything that JSON and PostgreSQL can. */
export const wildDocuments = fc
  .array(
    fc.dictionary(
      fc.constantFrom(...single, ...typed, ...many, 'parts', 'labels', 'metrics'),
      fc.jsonValue(),
    ),
    { maxLength: 8 },
  )
  .map((all) => all.map((one, index) => ({ ...storable(one), _id: String(index) })));

const storable = (document: object): object =>
  JSON.parse(JSON.stringify(document).replace(/\\u(0000|d[89a-f]..)/gi, ''));
