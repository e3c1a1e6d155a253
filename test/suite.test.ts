import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.test.ts'),
);
const isOfLongForm = (name: string) => name.endsWith('.long.test.ts');

/** `rest/identity` or `domains/git`; elsewhere the first folder. */
const areaOf = (name: string) => {
  const [first = '', second = ''] = name.split('/');
  return ['rest', 'domains'].includes(first) ? join(first, second) : first;
};

test('every area with tests of the long form has tests of the short form', () => {
  const short = new Set(files.filter((name) => !isOfLongForm(name)).map(areaOf));
  const long = files.filter(isOfLongForm);
  expect(long.length).toBeGreaterThan(0);
  expect(long.filter((name) => !short.has(areaOf(name)))).toEqual([]);
});
