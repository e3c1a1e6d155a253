import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import type { BackupItem } from '#db/schemas/golden-config/backup.ts';
import { openConfiguration } from '../../helpers/configuration.ts';
import { lawRuns } from '../../helpers/long.ts';

const { count, db, done, send } = await openConfiguration();

const text = fc.string({ unit: 'grapheme' });

/** Backups that share few texts and few ids, some with none. */
const items = fc.array(
  fc.record(
    {
      id: fc.nat({ max: 4 }),
      name: fc.constantFrom('edge-1', 'edge-2'),
      rawConfig: fc.oneof(fc.constantFrom('a', 'b', 'c'), text),
      date: fc.constantFrom('2026-02-03T04:05:06Z', '2026-02-03T04:05:06.789Z'),
      notes: text,
      gbac: fc.constantFrom({}, { write: ['g'] }, { read: ['g'], write: ['g'] }),
      'x rack': fc
        .jsonValue({ maxDepth: 2, stringUnit: 'grapheme' })
        .filter((v) => !JSON.stringify(v).includes('__proto__')),
    },
    { requiredKeys: ['name', 'rawConfig'] },
  ),
  { maxLength: 12 },
);

const stored = () =>
  rows<{ id: string; doc: string }>(db, sql`select id, doc::text as doc from backups order by id`);

/** Every backup has its text, and every text a backup. */
async function assertTextsFit() {
  const hashes = sql`select sha256 from backups`;
  expect(await count(sql`from raw_configs where sha256 not in (${hashes})`)).toBe(0);
  expect(
    await count(sql`from backups b where not exists (select from raw_configs r where r.sha256 = b.sha256)`),
  ).toBe(0);
}

test('a repeated import and a rejected import change nothing', async () => {
  await fc.assert(
    fc.asyncProperty(items, async (given) => {
      const ids = Array.from({ length: 5 }, () => newId());
      const backups = given.map(({ id, ...item }) => ({ ...item, ...(id !== undefined && { id: ids[id] }) }));
      const before = await stored();
      const first = await send('POST', '/import/backups', { backups });
      const after = await stored();
      if (first.status === 409) {
        expect(after).toEqual(before);
      } else {
        expect(first.status).toBe(200);
        const named = backups.filter(({ id }) => id !== undefined);
        expect((await send('POST', '/import/backups', { backups: named })).status).toBe(200);
        expect((await send('POST', '/import/backups', { backups: named.toReversed() })).status).toBe(200);
        expect(await stored()).toEqual(after);
      }
      await assertTextsFit();
    }),
    lawRuns(60),
  );
});

test('concurrent imports and deletions of the same texts leave no backup without its text', async () => {
  const texts = Array.from({ length: 6 }, (_, at) => `shared ${at} ${newId()}\n`);
  const worker = async (seed: number) => {
    for (let round = 0; round < 12; round++) {
      const backups: BackupItem[] = texts.map((rawConfig) => ({ id: newId(), name: 'edge', rawConfig }));
      if ((seed + round) % 2) backups.reverse();
      await done('POST', '/import/backups', { backups });
      const { status } = await send('DELETE', '/backups', { backupIds: backups.map(({ id }) => id) });
      expect(status).toBe(200);
      await done('POST', '/import/backups', { backups: backups.slice(0, round % 3) });
    }
  };
  await Promise.all([1, 2, 3, 4].map(worker));
  await assertTextsFit();
});

test('of imports of one id at the same moment, those with the same content pass and the others are rejected', async () => {
  for (let round = 0; round < 10; round++) {
    const id = newId();
    const item = { id, name: 'edge', rawConfig: `a ${id}` };
    const other = { ...item, rawConfig: `b ${id}` };
    const answers = await Promise.all(
      [item, item, other, item, other].map(async (one) => ({
        one,
        status: (await send('POST', '/import/backups', { backups: [one] })).status,
      })),
    );
    const winner = answers.find(({ status }) => status === 200)?.one;
    for (const { one, status } of answers) expect(status).toBe(one === winner ? 200 : 409);
  }
  await assertTextsFit();
});

test('a call of many backups is stored as a whole', async () => {
  const backups = Array.from({ length: 1200 }, (_, at) => ({
    id: newId(),
    name: `edge-${at}`,
    rawConfig: `hostname edge-${at % 1000}\n`.repeat(200),
  }));
  expect(await done('POST', '/import/backups', { backups })).toMatchObject({
    message: 'Imported 1200 backups',
  });
  const hashes = sql`select sha256 from backups where id in ${backups.map(({ id }) => id)}`;
  expect(await count(sql`from raw_configs where sha256 in (${hashes})`)).toBe(1000);
  expect(await done('POST', '/import/backups', { backups })).toMatchObject({
    message: 'Imported 1200 backups',
  });
});
