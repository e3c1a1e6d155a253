import { expect, test } from 'vitest';
import { commaParts, unquoted } from '../../web/src/ui/inputs/lines.ts';

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
