import { execFile } from 'node:child_process';
import { chmod, chown, cp, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import { databaseAccount } from '#db/embedded/account.ts';
import { findBinaries, packageFolder } from '#db/embedded/binaries.ts';
import { makeFolder } from '../../helpers/folder.ts';

const installed = packageFolder();
const isRoot = process.getuid?.() === 0;
let folder: string;
const copyTo = async () => folder;

beforeEach(async () => {
  folder = await makeFolder();
});

/** The package as npm leaves it when it runs no install scripts. */
async function installWithoutScripts(home: string): Promise<string> {
  if (!installed) throw new Error('no programs for this platform');
  const links = await readFile(join(installed, 'native', 'pg-symlinks.json'), 'utf8');
  await cp(installed, home, { recursive: true, verbatimSymlinks: true });
  for (const { target } of JSON.parse(links) as { target: string }[]) await rm(join(home, target));
  for (const name of ['postgres', 'initdb']) await chmod(join(home, 'native', 'bin', name), 0o644);
  return home;
}

test.runIf(installed)('the steps of an install script that npm skipped are done at the start', async () => {
  const home = await installWithoutScripts(join(folder, 'package'));
  const account = await databaseAccount(folder);
  const found = await findBinaries({ account, copyTo, major: undefined, home });
  expect(dirname(found.postgres)).toBe(join(home, 'native', 'bin'));
  expect(found.major).toBeGreaterThanOrEqual(14);
});

test.runIf(installed && isRoot)(
  'programs that only root can reach are copied to a folder that all accounts can reach',
  async () => {
    await mkdir(join(folder, 'home'), { mode: 0o700 });
    const home = await installWithoutScripts(join(folder, 'home', 'package'));
    const account = await databaseAccount(folder);
    const found = await findBinaries({ account, copyTo, major: undefined, home });
    expect(found.postgres.startsWith(join(folder, 'postgres-'))).toBe(true);
    const again = await findBinaries({ account, copyTo, major: undefined, home });
    expect(again).toEqual(found);
  },
);

test('a cluster of another major version is reported, with what to do', async () => {
  const account = await databaseAccount(folder);
  await expect(findBinaries({ account, copyTo, major: 9 })).rejects.toThrow(
    /^The embedded database was made by PostgreSQL 9, but only [\d, ]+ is here: install 9, or dump and restore$/,
  );
});

test.runIf(installed && isRoot)('an account without a name is reported, with what to do', async () => {
  const nameless = 54_321;
  await chown(folder, nameless, nameless);
  const account = ['--reuid', String(nameless), '--regid', String(nameless), '--clear-groups'];
  const program = ['--import', 'tsx', 'test/helpers/processes/owner-process.ts', folder, 'word'];
  const started = promisify(execFile)('setpriv', [...account, process.execPath, ...program], {
    env: { PATH: process.env.PATH, TMPDIR: folder },
  });
  await expect(started).rejects.toMatchObject({
    stderr: expect.stringMatching(
      /The embedded database cannot be created: .*user does not exist: add the account to \/etc\/passwd, or set DATABASE_URL/,
    ),
  });
});
