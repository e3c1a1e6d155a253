import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareWorld, startLoad } from './load.ts';
import { ask, newServer, urlOf } from './postgres.ts';
import { freePort, programIn, startProcess, startService, stopProcess, until } from './processes.ts';

type Print = (line: string) => void;

const JOURNAL = 'db/migrations/meta/_journal.json';
/** Documents that the trial stores: enough for a backup to be interrupted. */
const DOCUMENTS = 60_000;

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();

/** Checks out the version before: the commit that BEFORE names, or the last one before the newest migration. */
export function versionBefore(folder: string): { checkout: string; commit: string; remove: () => void } {
  const commit = process.env.BEFORE || `${git('log', '-1', '--format=%H', '--', JOURNAL)}~1`;
  const checkout = join(folder, 'before');
  git('worktree', 'add', '--detach', '--force', checkout, commit);
  symlinkSync(resolve('node_modules'), join(checkout, 'node_modules'));
  return {
    checkout,
    commit: git('rev-parse', '--short', commit),
    remove: () => void git('worktree', 'remove', '--force', checkout),
  };
}

type Tables = Readonly<Record<string, string>>;
/** Returns the number of rows of what users store. */
const countsOf = async (url: string): Promise<Tables> => {
  const [row] = await ask<Record<string, string>>(
    url,
    `select (select count(*) from workflows) as workflows, (select count(*) from jobs) as jobs,
      (select count(*) from backups) as backups, (select count(*) from accounts) as accounts,
      (select md5(string_agg(doc::text, '' order by id)) from workflows where id not like 'many%') as texts`,
  );
  return row ?? {};
};

function command(where: string, args: readonly string[], env: NodeJS.ProcessEnv, host: string) {
  // Another name of the host, as on another machine.
  const done = spawnSync(
    'unshare',
    ['--uts', 'sh', '-c', `hostname ${host} && exec "$0" "$@"`, process.execPath, programIn(where), ...args],
    {
      cwd: where,
      encoding: 'utf8',
      timeout: 300_000,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, LOG_LEVEL: 'warn', ...env },
    },
  );
  return { status: done.status, said: `${done.stdout}${done.stderr}`.trim() };
}

const expect = (holds: boolean, what: string) => {
  if (!holds) throw new Error(what);
};

/**
 * Upgrades a database of the version before, goes back with its backup, and interrupts a backup and a restore: nothing may be
 * lost or half done.
 */
export async function upgrade(folder: string, print: Print): Promise<void> {
  const here = process.cwd();
  const { checkout, commit, remove } = versionBefore(folder);
  try {
    const server = await newServer(join(folder, 'postgres'), await freePort());
    const url = urlOf(server);
    const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');
    const env = { DATABASE_URL: url, SECRET_KEY, DATA_DIR: join(folder, 'data') };
    const old = await startService(folder, await freePort(), { ...env, WORKERS: '4' }, checkout);
    const world = await prepareWorld(old.url);
    const load = await startLoad(old.url, world);
    await sleep(3000);
    await load.stop();
    await old.stop();
    const before = await countsOf(url);
    const file = join(folder, 'before.backup');
    const made = command(checkout, ['backup', file], env, 'one');
    expect(made.status === 0, `the backup of the version before failed: ${made.said}`);
    print(`version before (${commit}): ${JSON.stringify(before)}`);

    const upgraded = await startService(folder, await freePort(), { ...env, WORKERS: '4' });
    const after = await countsOf(url);
    expect(
      JSON.stringify(after) === JSON.stringify(before),
      `the upgrade changed data: ${JSON.stringify(after)}`,
    );
    const next = await startLoad(upgraded.url, world);
    await sleep(3000);
    await next.stop();
    await world.device.stop();
    const { failures, written, jobs } = next.ledger;
    expect(failures.length === 0, `requests failed after the upgrade: ${failures[0]?.reason}`);
    await upgraded.stop();
    print(`upgraded: the same data, then ${written.size} writes and ${jobs.size} jobs, 0 failed`);

    const rejected = command(checkout, [], { ...env, PORT: '0' }, 'one');
    expect(
      rejected.status === 1 && rejected.said.includes('newer version'),
      `the version before started: ${rejected.said}`,
    );
    print(
      `the version before on the new tables: status ${rejected.status}: ${rejected.said.split('\n').at(-1)}`,
    );
    const full = command(checkout, ['restore', file], env, 'two');
    expect(full.status === 1, 'a restore into a database with data succeeded');
    print(`restore into a database with data: ${full.said.split('\n').at(-1)}`);
    const newest = join(folder, 'newest.backup');
    expect(command(here, ['backup', newest], env, 'one').status === 0, 'the backup failed');
    await ask(url.replace(/\/[^/]*$/, '/postgres'), 'create database going_back');
    const back = { ...env, DATABASE_URL: url.replace(/\/[^/]*$/, '/going_back') };
    const newer = command(checkout, ['restore', newest], back, 'two');
    expect(newer.status === 1, 'the version before restored a newer backup');
    print(`the version before on a newer backup: ${newer.said.split('\n').at(-1)}`);
    const gone = command(checkout, ['restore', file], back, 'two');
    expect(gone.status === 0, `the way back failed: ${gone.said}`);
    expect(
      JSON.stringify(await countsOf(back.DATABASE_URL)) === JSON.stringify(before),
      'the restored data differ',
    );
    const again = await startService(folder, await freePort(), back, checkout);
    await again.stop();
    print('downgraded by its backup on a host of another name: the same data, and the service starts');

    await interrupt(here, folder, { ...env, DATABASE_URL: back.DATABASE_URL }, print);
    await server.stop('SIGINT');
  } finally {
    remove();
  }
}

/** Kills a backup and a restore in their middle, and repeats them. */
async function interrupt(
  here: string,
  folder: string,
  env: { DATABASE_URL: string } & Record<string, string>,
  print: Print,
) {
  const url = env.DATABASE_URL;
  await ask(
    url,
    `insert into workflows (id, doc) select 'many' || lpad(n::text, 20, '0'),
      jsonb_set(doc, '{name}', to_jsonb('many ' || n)) || jsonb_build_object('_id', 'many' || lpad(n::text, 20, '0'))
      from generate_series(1, ${DOCUMENTS}) n, (select doc from workflows where id not like 'many%' limit 1) as one`,
  );
  const counts = await countsOf(url);
  const file = join(folder, 'killed.backup');
  const run = (args: string[], more: Record<string, string>, output: string) =>
    startProcess(process.execPath, ['server/app/launch.cjs', ...args], {
      output: join(folder, output),
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env, ...more },
    });
  const backup = run(['backup', file], {}, 'backup.log');
  await until('a part of the backup', () => existsSync(`${file}.partial`));
  await sleep(50);
  await stopProcess(backup, 'SIGKILL');
  expect(!existsSync(file), 'a backup that was killed left its file');
  const made = command(here, ['backup', file], env, 'one');
  expect(made.status === 0, `the next backup failed: ${made.said}`);
  print('kill -9 in a backup: no file is left under its name; the next one succeeds');

  const target = url.replace(/\/[^/]*$/, '/killed_restore');
  await ask(url.replace(/\/[^/]*$/, '/postgres'), 'create database killed_restore');
  const restore = run(['restore', file], { DATABASE_URL: target }, 'restore.log');
  const isWriting = async () =>
    (
      await ask<{ n: string }>(
        target,
        "select count(*) as n from pg_stat_activity where application_name = 'switchyard backup' and query ilike 'copy%'",
      )
    )[0]?.n !== '0';
  await until('the restore writes', isWriting, 60);
  await stopProcess(restore, 'SIGKILL');
  await sleep(1000);
  const tables = await ask(target, "select 1 from pg_tables where tablename = 'workflows'");
  print(
    `kill -9 in a restore: ${tables.length === 0 ? 'the database is as empty as before' : 'its tables are empty'}`,
  );
  if (tables.length > 0)
    expect((await countsOf(target)).workflows === '0', 'a restore that was killed left data');
  const done = command(here, ['restore', file], { ...env, DATABASE_URL: target }, 'three');
  expect(done.status === 0, `the next restore failed: ${done.said}`);
  expect(JSON.stringify(await countsOf(target)) === JSON.stringify(counts), 'the restored data differ');
  print(`the next restore succeeds: ${JSON.stringify(counts)}`);
}
