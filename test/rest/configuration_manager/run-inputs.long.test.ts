import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { issuesOf } from '../../helpers/configuration.ts';
import { openFleet } from '../../helpers/devices/fleet.ts';
import { isLong } from '../../helpers/long.ts';

const { backUp, db, done, run, send, tree } = await openFleet();

const check = (at: object, configuration: string) =>
  send('POST', '/compliance_reports/config', { options: { ...at, deviceName: 'x', configuration } });

test.skipIf(!isLong)(
  'a configuration of 100 MB is rejected with the limit, one that is no text by its place',
  async () => {
    const long = await send('POST', '/import/backups', {
      backups: [{ name: 'b', rawConfig: 'x'.repeat(100_000_000) }],
    });
    expect([long.status, ...issuesOf(long)]).toEqual([
      400,
      'backups.0.rawConfig: must be at most 64 MiB: no device has a longer configuration',
    ]);
    const { at } = await tree('hostname x\n');
    const binary = await check(at('base'), '\u007fELF\u0001\u0000\u0000');
    const backup = await send('POST', '/import/backups', { backups: [{ name: 'b', rawConfig: 'a\u0000b' }] });
    expect([binary.status, ...issuesOf(binary)]).toEqual([
      400,
      'options.configuration: contains a NUL character, which cannot be stored',
    ]);
    expect([backup.status, ...issuesOf(backup)]).toEqual([
      400,
      'backups.0.rawConfig: contains a NUL character, which cannot be stored',
    ]);
  },
);

test('a tree whose parser was deleted cannot be run, and the rejection names the parser', async () => {
  await done('POST', '/configurations/parser', { name: 'gone-parser', template: 'cisco-ios' });
  const { at } = await tree('hostname x\n', {}, 'gone-parser');
  await db.execute(sql`delete from parsers where name = 'gone-parser'`);
  for (const answer of [
    await send('POST', '/compliance_reports', { options: at('base') }),
    await check(at('base'), 'hostname x\n'),
  ]) {
    expect([answer.status, (answer.json as { message: string }).message]).toEqual([
      422,
      expect.stringContaining('No parser is named gone-parser'),
    ]);
  }
});

test('a proposal uses the same facts of the device and variables of its nodes as the run', async () => {
  const { at, place } = await tree('hostname {{ device.name }}\nntp server {{ ntp }}\n', {
    device: { name: 'sample' },
    ntp: '192.0.2.9',
  });
  await place('base', ['own-1']);
  await backUp({ 'own-1': 'hostname other\n' });
  const [report] = await run({ ...at('base'), variables: { ntp: '192.0.2.7' } });
  const { data } = await done<{ data: { config: string; predicted: object }[] }>('POST', '/remediations', {
    options: { reportIds: [report?.id] },
  });
  expect(data).toMatchObject([
    {
      config: 'hostname own-1\nntp server 192.0.2.7',
      predicted: { totals: { warnings: 0, passes: 2 }, score: 100 },
    },
  ]);
});
