import { expect, test } from 'vitest';
import { parseObject } from '../../web/src/ui/form/parse-object.ts';
import { commaParts, namesIn, unquoted } from '../../web/src/ui/inputs/lines.ts';

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
