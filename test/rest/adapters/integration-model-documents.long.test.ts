import { afterAll, expect, test } from 'vitest';
import { getTaskSchemas } from '#server/domains/integrations/index.ts';
import { countOperations, publicDocuments } from '../../helpers/integrations/openapi-documents.ts';
import { sampled } from '../../helpers/long.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const { send, db } = service;
const documents = publicDocuments();
const imports = documents.map((one, index) => ({ ...one, index }));

let imported = 0;
let reported = 0;
afterAll(() => {
  process.stdout.write(`documents: ${imported} of ${imports.length} imported, ${reported} operations\n`);
});

test.each(imports)(
  '$file is imported with every operation, or the reason why one is not',
  async ({ document, index }) => {
    const model = { ...document, info: { ...document.info, title: `${document.info.title} ${index}` } };
    const checked = await send('admin', 'PUT', '/integration-models/validation', { model });
    expect(checked.status, checked.text).toBe(200);
    const { warnings } = checked.json as { warnings: { message: string }[] };
    const leftOut = warnings.filter(({ message }) => message.startsWith('is left out: ')).length;
    const created = await send('admin', 'POST', '/integration-models', { model });
    expect(created.status, created.text).toBe(200);
    imported += 1;
    const { versionId } = (created.json as { data: { versionId: string } }).data;
    const at = `/integration-models/${encodeURIComponent(versionId)}`;
    const { total } = (await send('apiread', 'GET', `${at}/tasks`)).json as { total: number };
    expect(total + leftOut).toBe(countOperations(document));
    reported += total + leftOut;
    const roles = await send(
      'apiread',
      'GET',
      `/authorization/roles?equalsField=provenance&equals=${encodeURIComponent(versionId)}`,
    );
    const [admin] = (roles.json as { results: { allowedMethods: unknown[] }[] }).results;
    expect(admin?.allowedMethods).toHaveLength(total);
    expect((await send('apiread', 'GET', `${at}/export`)).json).toEqual(model);
  },
);

test('the schemas of every task of a public document can be read, whatever refers to itself', async () => {
  const { rows } = await import('#db/client.ts');
  const { sql } = await import('drizzle-orm');
  const tasks = await rows<{ model: string; name: string }>(
    db,
    sql`select model, name from integration_operations where model like 'Circular%' or model like '%circular%'`,
  );
  expect(tasks.length).toBeGreaterThan(3);
  for (const { model, name } of tasks) {
    expect(await getTaskSchemas(db, model, name)).toMatchObject({
      outgoing: { response: { type: 'object' } },
    });
  }
});

const HEAD = 'openapi: 3.0.3\ninfo: {title: Hostile, version: "1"}\npaths: {}\n';
const nested = (levels: number) => {
  let schema: object = { type: 'string' };
  for (let level = 0; level < levels; level++) schema = { properties: { a: schema } };
  return schema;
};
const withSchema = (schema: unknown) => ({
  openapi: '3.0.3',
  info: { title: 'Hostile', version: '1' },
  paths: { '/a': { get: { parameters: [{ name: 'a', in: 'query', schema }] } } },
});
const bomb = Array.from(
  { length: 9 },
  (_, at) =>
    `b${at}: &b${at} [${Array.from({ length: 9 }, () => (at === 0 ? 'x' : `*b${at - 1}`)).join(', ')}]`,
);

test.each(
  sampled<[string, string, number]>(
    [
      // The parser takes a second for 100,000 of them.
      ['very many aliases', `${HEAD}x: &a [1]\ny: [${'*a,'.repeat(900_000)}*a]\n`, 400],
      ['a million aliases and more', `${HEAD}x: &a [1]\ny: [${'*a,'.repeat(1_100_000)}*a]\n`, 413],
      ['aliases of aliases', `${HEAD}${bomb.join('\n')}\n`, 400],
      ['an alias of itself', `${HEAD}x: &a [*a]\n`, 400],
      ['YAML that nests 100,000 deep', `${HEAD}x: ${'['.repeat(100_000)}`, 400],
      ['JSON that nests 900,000 deep', `{"openapi":${'['.repeat(900_000)}${']'.repeat(900_000)}}`, 400],
      ['five million empty lists', `{"openapi":"3.0.3","x":[${'[],'.repeat(5_000_000)}[]]}`, 413],
      ['a schema that nests 180 deep', JSON.stringify(withSchema(nested(90))), 200],
      ['a schema that nests 2,000 deep', JSON.stringify(withSchema(nested(1000))), 400],
      [
        '__proto__ as a member',
        '{"openapi":"3.0.3","__proto__":{"a":1},"info":{"title":"a","version":"1"},"paths":{}}',
        400,
      ],
      ['a NUL character', JSON.stringify(withSchema({ description: 'a\0b' })), 400],
      ['a number that no double holds', `${HEAD}x: .inf\n`, 400],
    ],
    5,
  ),
)('%s is answered in time, and others are answered meanwhile', async (_, raw, expected) => {
  const answer = send('admin', 'PUT', '/integration-models/validation', undefined, {
    raw,
    headers: { 'Content-Type': 'application/yaml' },
  });
  const began = performance.now();
  expect((await send('admin', 'GET', '/integration-models?limit=1')).status).toBe(200);
  const waited = performance.now() - began;
  const { status, text } = await answer;
  expect(status, text.slice(0, 500)).toBe(expected);
  expect(waited).toBeLessThan(5000);
});
