import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseObject } from '../../web/src/ui/form/parse-object.ts';
import { commaParts, namesIn, unquoted } from '../../web/src/ui/inputs/lines.ts';
import { durationText, shareText } from '../../web/src/ui/quantities.ts';

test.each([
  ['a, b ,c', ['a', 'b', 'c']],
  ['"Hall 4, rack 2", pier', ['Hall 4, rack 2', 'pier']],
  ['"Hall 4, ra', ['Hall 4, ra']],
  ['"the ""old"" hall, left"', ['the "old" hall, left']],
  ['5" panel, 3" panel', ['5" panel', '3" panel']],
  ['"', ['']],
  ['""', ['']],
  ['"a""', ['a"']],
  ['a,', ['a', '']],
])('a list of values typed as %s means %j', (text, values) => {
  expect(commaParts(text).map(unquoted)).toEqual(values);
});

test('commands that a word processor has typeset lose their no-break spaces', () => {
  expect(namesIn('show\u00a0version\u00a0\n\u00a0\nshow ip route')).toEqual([
    'show version',
    'show ip route',
  ]);
});

test('JSON with typographic quotes says which characters it needs', () => {
  expect(parseObject('{“name”: 1}').problem).toMatch(/typographic quotes or no-break spaces.*JSON needs "/);
  expect(parseObject('{name: 1}').problem).not.toContain('typographic');
});

test('a field whose choices are read names the query in `from`, so that it says when that fails', async () => {
  const names = (await readdir('web/src', { recursive: true })).filter((name) => name.endsWith('.tsx'));
  expect(names.length).toBeGreaterThan(100);
  const found: string[] = [];
  for (const name of names) {
    const text = await readFile(join('web/src', name), 'utf8');
    const fields = [...text.matchAll(/<(?:SelectField|CheckList|TextField|TokensField)\b.*?\n? *\/>/gs)];
    const isSilent = ([field]: RegExpMatchArray) => /\.data\b/.test(field) && !/\bfrom=/.test(field);
    if (fields.some(isSilent)) found.push(`${name}: a field`);
    if (text.includes('<datalist') && !/\bfrom\b/.test(text)) found.push(`${name}: completions`);
  }
  expect(found).toEqual([]);
});

test.each([
  [0, '0 %'],
  [33, '< 1 %'],
  [352, '4 %'],
  [9999, '> 99 %'],
  [10_000, '100 %'],
])('a share that is neither none nor all is not shown as that: %i of 10,000 is %s', (part, text) => {
  expect(shareText(part, 10_000)).toBe(text);
});

test.each([
  [999, '999 ms'],
  [65_000, '1 min 5 s'],
  [47 * 3_600_000, '47 h 0 min'],
  [73 * 3_600_000 + 60_000, '3 d 1 h'],
])('a duration has two units at most: %i ms is %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
