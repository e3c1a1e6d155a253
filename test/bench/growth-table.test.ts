import { expect, test } from 'vitest';
import { measuredTable } from '../../bench/growth-table.ts';

const of = (kind: string, size: number, page: number) => ({
  ...{ kind, size, page },
  ...{ filtered: null, get: null, create: null },
});

test('kinds that were measured replace their rows in place, and the others keep theirs', () => {
  const first = measuredTable([of('jobs', 10, 1), of('jobs', 1000, 2), of('accounts', 10, 3)], '');
  const second = measuredTable([of('jobs', 1_000_000, 7.25), of('backups', 10, 4)], `\n${first}\n`);
  const cells = second.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, 4)
      .map((cell) => cell.trim()),
  );
  expect(cells.slice(2)).toEqual([
    ['jobs', '1,000,000', '7.3'],
    ['accounts', '10', '3.0'],
    ['backups', '10', '4.0'],
  ]);
  expect(new Set(second.split('\n').map(({ length }) => length)).size).toBe(1);
});
