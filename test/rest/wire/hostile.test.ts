import fc from 'fast-check';
import { expect, test } from 'vitest';
import { operations } from '#server/http/operations.ts';
import { lawRuns, sampled } from '../../helpers/long.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService({ BODY_LIMIT_MIB: '1', IMPORT_LIMIT_MIB: '2' });

/** Texts that have broken other services: types, sizes, NUL, surrogates, prototypes, traversal, injection, patterns. */
const nasty = fc.constantFrom(
  '',
  ' ',
  'a\u0000b',
  '\ud800',
  '\u202e\ufffe',
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  "'; DROP TABLE accounts;--",
  "name') OR ('1'='1",
  '%_.*\\',
  '$..*',
  '(a+)+$',
  '(?=a)',
  '[',
  `{{7*7}}\${7*7}`,
  '1e400',
  '-0',
  'NaN',
  'x'.repeat(70_000),
  '65a000000000000000000000',
  '9'.repeat(30),
);
const word = fc.oneof(nasty, fc.string({ maxLength: 30 }), fc.string({ unit: 'binary', maxLength: 10 }));
const scalar = fc.oneof(word, fc.integer(), fc.double(), fc.boolean(), fc.constant(null));

/** JSON of any shape, with the endpoint's own member names here and there, so that schemas are entered. */
const valueWith = (names: string[]) =>
  fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      scalar,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(fc.constantFrom(...names), word), tie('value'), { maxKeys: 5 }),
    ),
  })).value;

/** Every member name that occurs in a schema, some levels down. */
function namesIn(schema: unknown, depth = 0): string[] {
  const definition = (schema as { _zod?: { def: Record<string, unknown> } })._zod?.def;
  if (!definition || depth > 5) return [];
  const shape = (definition.shape ?? {}) as Record<string, unknown>;
  const inner = [definition.innerType, definition.element, definition.valueType, definition.in].filter(
    Boolean,
  );
  return [
    ...Object.entries(shape).flatMap(([name, member]) => [name, ...namesIn(member, depth + 1)]),
    ...[...inner, ...((definition.options ?? []) as unknown[])].flatMap((one) => namesIn(one, depth + 1)),
  ];
}

const encode = (text: string) =>
  encodeURIComponent(text.isWellFormed() ? text : '%ff').replaceAll('.', '%2e');

function assertHeld(answer: Awaited<ReturnType<typeof service.send>>, reported: string) {
  expect(answer.status, `${reported}: ${answer.text.slice(0, 300)}`).toBeLessThan(500);
  for (const leak of ['node_modules', '    at ', 'select ', 'PostgresError', 'ECONN']) {
    expect(
      answer.text.includes(leak),
      `${reported} tells of inner workings: ${answer.text.slice(0, 300)}`,
    ).toBe(false);
  }
  if (answer.status < 400 || answer.status === 431) return;
  expect(answer.json, reported).toMatchObject({
    code: expect.stringMatching(/^[A-Z_]+$/),
    message: expect.any(String),
  });
  expect((answer.json as { requestId: string }).requestId).toBe(answer.headers['x-request-id']);
}

test.each([
  ['/profiles/default', 'PUT', 'bodies of one object'],
  ['/configuration_manager/import/groups', 'POST', 'imports'],
  ['/configuration_manager/import/backups', 'POST', 'imports of lists'],
  ['/trpc/profiles.updateProfile', 'POST', 'calls of tRPC'],
])('%s rejects an object of more than 50,000 fields before it is parsed: %s, %s', async (path, method) => {
  const fields = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`;
  const around = (object: string) =>
    path.endsWith('/backups') ? `{"backups":[{"name":"x","rawConfig":"y","of":${object}}]}` : object;
  const many = await service.send('admin', method, path, undefined, { raw: around(fields(50_001)) });
  expect([many.status, many.text]).toEqual([413, expect.stringContaining('more than 50,000 fields')]);
  const lists = `{"a":{${`"b":${fields(30_000)},"c":[${'1,'.repeat(60_000)}1]`}}}`;
  const few = await service.send('admin', method, path, undefined, { raw: around(lists) });
  expect([200, 400]).toContain(few.status);
});

// A valid request for an event stream does not end: test/rest/operations/events.test.ts covers it.
const ending = operations.filter(({ resumes }) => !resumes);

test.each(
  sampled(ending, 30).map((operation) => ({ operation, at: `${operation.method} ${operation.path}` })),
)('no request to $at makes the service fail', async ({ operation }) => {
  const names = [...new Set([...namesIn(operation.input), 'limit', 'x'])].slice(0, 60);
  const value = valueWith(names);
  const body = fc.oneof(
    fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 6 }).map((members) => JSON.stringify(members)),
    value.map((any) => JSON.stringify(any)),
    fc.constantFrom(
      '',
      '[]',
      '"x"',
      'null',
      '{',
      '{"a":1e400}',
      `${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`,
    ),
    fc.constant('{"__proto__":{"polluted":true}}'),
  );
  const query = fc
    .array(
      fc.tuple(
        fc.oneof(fc.constantFrom(...names), word),
        fc.constantFrom('', '[a]', '[]', '[__proto__]'),
        word,
      ),
      {
        maxLength: 4,
      },
    )
    .map((pairs) =>
      pairs.map(([name, bracket, text]) => `${encode(name)}${bracket}=${encode(text)}`).join('&'),
    )
    .filter((text) => text.length < 12_000);
  const path = fc
    .array(word, { minLength: operation.parameters.length, maxLength: operation.parameters.length })
    .map((texts) =>
      operation.parameters.reduce(
        (filled, name, i) => filled.replace(`:${name}`, encode(texts[i] || 'x').slice(0, 4000)),
        operation.path,
      ),
    );
  const reads = operation.method === 'GET';
  await fc.assert(
    fc.asyncProperty(path, query, body, fc.boolean(), async (where, requested, text, withQuery) => {
      const url = requested && (withQuery || reads) ? `${where}?${requested}` : where;
      const options = reads || text === '' ? {} : { raw: text };
      assertHeld(
        await service.send('admin', operation.method, url, undefined, options),
        `${operation.method} ${url}`,
      );
    }),
    lawRuns(8),
  );
});

test('a body is never coerced: the text of a number or boolean is rejected as what it is', async () => {
  const answer = await service.send('admin', 'POST', '/login', { username: 5, password: true });
  expect(answer).toMatchObject({ status: 400, json: { code: 'BAD_REQUEST' } });
  const { issues } = answer.json as { issues: { path: string[] }[] };
  expect(issues.map(({ path }) => path.join('.'))).toEqual(['username', 'password']);
});

test('nothing that was sent has reached the prototype of anything', () => {
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
