import { expect, test } from 'vitest';
import { csvOf } from '#server/kernel/text/csv.ts';

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1+1', '＋1', '－1', '＠SUM(A1)'])(
  'a text that a spreadsheet would evaluate begins with an apostrophe: %j',
  (text) => {
    expect(csvOf(null, [[text]])).toMatch(/^"?'/);
  },
);

test('a text with a separator of any spreadsheet is one quoted cell, so that no formula begins within it', () => {
  expect(csvOf(null, [['a;=1+1', 'b\t=1+1', 'c,=1+1', 'd\n=1+1']])).toBe(
    '"a;=1+1","b\t=1+1","c,=1+1","d\n=1+1"\r\n',
  );
});

test('numbers, empty cells and plain texts stay as they are', () => {
  expect(
    csvOf(
      ['Name', 'n'],
      [
        ['edge-1', -1],
        [null, true],
      ],
    ),
  ).toBe('Name,n\r\nedge-1,-1\r\n,true\r\n');
});
