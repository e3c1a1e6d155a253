import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openService } from '../helpers/service.ts';

const service = await openService();
const text = await readFile(new URL('../../docs/lists.md', import.meta.url), 'utf8');
const examples = [...text.matchAll(/\| `(GET|POST) (\S+?)(?: (\{.*\}))?` +\|/g)].map(
  ([, method = '', path = '', body]) => ({ method, path, body }),
);

test('the page has an example for each area', () => {
  expect(examples).toHaveLength(12);
});

test.each(examples)('the example $method $path runs as written', async ({ method, path, body }) => {
  const answer = await service.send('admin', method, path, undefined, body ? { raw: body } : {});
  expect(answer.status, answer.text).toBe(200);
});
