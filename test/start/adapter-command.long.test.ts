import { execFile } from 'node:child_process';
import { access, cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { makeFolder } from '../helpers/folder.ts';

const run = promisify(execFile);
const FIXTURE = join(import.meta.dirname, '../fixtures/adapters/warehouse');

const folder = await makeFolder();
const env = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  DATA_DIR: join(folder, 'data'),
  LOG_LEVEL: 'error',
};

/** Runs `npm run adapter` with these arguments. @returns its exit status, and what it printed */
const adapter = (...args: string[]) =>
  run(process.execPath, ['server/app/launch.cjs', 'adapter', ...args], { env }).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  );

test('the program has its former name as well, which units of earlier versions have', async () => {
  const { stdout } = await run(process.execPath, ['server/app/launch.mjs', 'adapter', '--help'], { env });
  expect(stdout).toContain('npm run adapter -- COMMAND');
});

test('adds, lists and removes packages from a folder and from an archive, and runs none of their scripts', async () => {
  expect((await adapter('--help')).stdout).toContain('npm run adapter -- COMMAND');
  expect(await adapter('add')).toMatchObject({ code: 64, stderr: expect.stringContaining('SOURCE') });
  const checked = await adapter('check', FIXTURE);
  expect(checked.stdout).toMatch(/7 tasks \(2 read, 2 repeatable, 3 not repeatable\), 1 with mock data/);
  expect(checked.stdout).toContain('secrets: authentication.password, authentication.signature');

  const added = await adapter('add', FIXTURE);
  expect(added.stdout).toContain('added Warehouse 1.2.0 to');
  const home = join(env.DATA_DIR, 'adapters/Warehouse');
  expect(await readdir(home)).toEqual(['1.2.0']);

  // Another version takes the place of the first, here as the archive that npm makes.
  const next = join(folder, 'package');
  await cp(FIXTURE, next, { recursive: true });
  await writeFile(
    join(next, 'package.json'),
    JSON.stringify({
      name: '@example/adapter-warehouse',
      version: '2.0.0',
      scripts: { preinstall: `touch ${folder}/ran` },
    }),
  );
  await run('tar', ['-czf', join(folder, 'next.tgz'), '-C', folder, 'package']);
  expect((await adapter('add', join(folder, 'next.tgz'))).stdout).toContain('added Warehouse 2.0.0');
  expect(await readdir(home)).toEqual(['2.0.0']);
  await expect(access(join(folder, 'ran'))).rejects.toThrow();
  expect((await adapter('list')).stdout).toMatch(
    /^Warehouse 2\.0\.0 {2}@example\/adapter-warehouse {2}7 tasks {2}ready$/m,
  );

  await writeFile(join(home, '2.0.0/extra.js'), '');
  expect((await adapter('list')).stdout).toContain('its files are not those that were added');
  expect((await adapter('remove', 'Warehouse')).stdout).toContain('removed Warehouse 2.0.0');
  expect(await adapter('remove', 'Warehouse')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Package Warehouse does not exist'),
  });
  expect((await adapter('list')).stdout).toContain('no packages');
});

test('stores a catalogue of a type without a package, once', async () => {
  const file = join(FIXTURE, 'pronghorn.json');
  expect((await adapter('catalogue', file)).stdout).toContain(
    'stored the catalogue of Warehouse with 7 tasks',
  );
  expect(await adapter('catalogue', file)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Warehouse'),
  });
  expect(await adapter('catalogue', join(FIXTURE, 'adapter.js'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not JSON'),
  });
});

test('rejects a file that is no package and leaves no files behind', async () => {
  const empty = join(folder, 'empty');
  await mkdir(empty);
  expect(await adapter('check', empty)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no pronghorn.json'),
  });
  await writeFile(join(folder, 'no.tgz'), 'no archive');
  expect(await adapter('check', join(folder, 'no.tgz'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('unpacked'),
  });
  expect(await adapter('check', '--registry=http://x y')).toMatchObject({ code: 1 });
  const left = await readdir(join(env.DATA_DIR, 'adapters'));
  expect(left.filter((name) => name.startsWith('.draft'))).toEqual([]);
});
