import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';

/** Fails when the tables (db/*tables.ts) and db/migrations disagree. Works on a copy: the work tree stays as it is. */
const tool = join(createRequire(import.meta.url).resolve('drizzle-kit'), '..', 'bin.cjs');

async function runTool(...args: string[]): Promise<string> {
  const all = [tool, ...args, '--dialect', 'postgresql'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, all);
  return `${stdout}${stderr}`;
}

const copy = await mkdtemp(join(tmpdir(), 'switchyard-migrations-'));
try {
  await cp('db/migrations', copy, { recursive: true });
  // the tool puts ./ before whatever it is given
  const out = relative('.', copy);
  await runTool('check', '--out', out);
  const said = await runTool('generate', '--schema', './db/tables/**/*.ts', '--out', out);
  // the tool also ends well when it wanted to ask something: only this sentence means that nothing is missing
  if (!said.includes('No schema changes')) {
    throw new Error('db/tables/ has changes without a migration: run npm run migrate:generate');
  }
} catch (error) {
  // a failed child's output is in its message or on its streams
  const { message, stdout = '' } = error as Error & { stdout?: string };
  console.error(`${message}\n${stdout}`.trim());
  process.exitCode = 1;
} finally {
  await rm(copy, { recursive: true, force: true });
}
