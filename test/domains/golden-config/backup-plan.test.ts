import { expect, test } from 'vitest';
import type { BackupItem } from '#db/schemas/golden-config/backup.ts';
import { backupPlanner } from '#server/domains/golden-config/backups/backup-plan.ts';

const ID = '65f0c1d2e3a4b5c6d7e8f901';
const now = new Date('2026-02-03T04:05:06.789Z');
const plannerOf = () =>
  backupPlanner(
    now,
    () => 'made',
    (text) => `hash of ${text}`,
  );
const plan = (...items: BackupItem[]) => plannerOf()(items);
const item: BackupItem = { id: ID, name: 'edge-1', rawConfig: 'hostname edge-1\n' };

test('a backup without an id gets one, without a date that of now', () => {
  const { given, made } = plan({ name: 'edge-1', rawConfig: 'x' });
  expect(given).toEqual([]);
  expect(made[0]?.doc).toEqual({
    id: 'made',
    _id: 'made',
    name: 'edge-1',
    date: now.toISOString(),
    gbac: { read: [], write: [] },
    lastUpdated: now.toISOString(),
  });
});

test('keeps the given fields and ignores computed fields of the request', () => {
  const { given } = plan({ ...item, date: '2026-01-01T00:00Z', sha256: 'no', size: 1, rack: { unit: 7 } });
  expect(given[0]?.doc).toMatchObject({ id: ID, _id: ID, date: '2026-01-01T00:00Z', rack: { unit: 7 } });
  expect(given[0]?.doc).not.toHaveProperty('sha256');
  expect(given[0]?.doc).not.toHaveProperty('rawConfig');
  expect(given[0]?.content).toEqual({ name: 'edge-1', date: '2026-01-01T00:00Z', rack: { unit: 7 } });
});

test.each<{ why: string; again: Partial<BackupItem>; same: boolean }>([
  { why: 'the same', again: {}, same: true },
  { why: 'the same id by its other name', again: { _id: ID }, same: true },
  { why: 'an access list that lets everyone in', again: { gbac: {} }, same: true },
  { why: 'another text', again: { rawConfig: 'y' }, same: false },
  { why: 'another device', again: { name: 'edge-2' }, same: false },
  { why: 'a remark that the first has not', again: { notes: 'n' }, same: false },
  { why: 'a date that the first has not', again: { date: '2026-01-01T00:00:00.000Z' }, same: false },
  { why: 'an access list', again: { gbac: { write: ['g'] } }, same: false },
])('twice in one call, the second with $why: same content is $same', ({ again, same }) => {
  const { given, conflicting } = plan(item, { ...item, ...again });
  expect(given).toHaveLength(1);
  expect(conflicting).toEqual(same ? [] : [{ at: 1, id: ID }]);
});

test('a repetition in a later piece is compared with the backup of an earlier piece', () => {
  const planned = plannerOf();
  expect(planned([item]).given).toHaveLength(1);
  expect(planned([item])).toMatchObject({ given: [], made: [], conflicting: [] });
  expect(planned([{ ...item, rawConfig: 'y' }]).conflicting).toEqual([{ at: 2, id: ID }]);
});

test('all mistakes are reported together', () => {
  const { issues } = plan(
    { ...item, _id: '65f0c1d2e3a4b5c6d7e8f902' },
    { ...item, name: 'x'.repeat(256) },
    { ...item, date: `2026-01-01T00:00:00.${'0'.repeat(40)}Z` },
    { ...item, gbac: { read: ['g'] } },
  );
  expect(issues.map(({ path }) => path)).toEqual([
    ['backups', 0, '_id'],
    ['backups', 1, 'name'],
    ['backups', 2, 'date'],
    ['backups', 3, 'gbac', 'write'],
  ]);
});
