import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';

/*
 * Fails when db/tables and db/migrations disagree. It works on a copy, so that the work tree stays as it is. It fails for older
 * snapshots too: each is the whole schema, 240 KB, and only the newest is compared with.
 */

const tool = join(createRequire(import.meta.url).resolve('drizzle-kit'), '..', 'bin.cjs');

async function runTool(...args: string[]): Promise<string> {
  const all = [tool, ...args, '--dialect', 'postgresql'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, all);
  return `${stdout}${stderr}`;
}

const copy = await mkdtemp(join(tmpdir(), 'switchyard-migrations-'));
try {
  await cp('db/migrations', copy, { recursive: true });
  const snapshots = (await readdir(join(copy, 'meta')))
    .filter((name) => name.endsWith('_snapshot.json'))
    .sort();
  if (snapshots.length > 1) {
    throw new Error(`db/migrations/meta/ has older snapshots: delete ${snapshots.slice(0, -1).join(', ')}`);
  }
  // The tool puts ./ before every path, also an absolute one.
  const out = relative('.', copy);
  await runTool('check', '--out', out);
  const output = await runTool('generate', '--schema', './db/tables/**/*.ts', '--out', out);
  // The tool also exits with 0 where it wanted to ask a question: only this sentence means that nothing is missing.
  if (!output.includes('No schema changes')) {
    throw new Error('db/tables/ has changes without a migration: run npm run migrate:generate');
  }
} catch (error) {
  // The output of a failed program is in the message or in stdout.
  const { message, stdout = '' } = error as Error & { stdout?: string };
  console.error(`${message}\n${stdout}`.trim());
  process.exitCode = 1;
} finally {
  await rm(copy, { recursive: true, force: true });
}
