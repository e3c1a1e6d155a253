import { createHash } from 'node:crypto';
import {
  access,
  chmod,
  constants,
  lstat,
  mkdir,
  readFile,
  realpath,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { type Account, databaseAccount, runProgram } from './account.ts';

/** The location of the embedded database and the account that runs it. */
export interface DataLocation {
  /** Holds the cluster and, while they are created, the cluster's draft and a copy of the programs. */
  folder: string;
  /** PGDATA. */
  cluster: string;
  /** Undefined: the current account. */
  account: Account | undefined;
}

/** Holds clusters and programs when the service runs as root and the database's account cannot enter root's folders. */
const STATE = '/var/lib/switchyard';
/** Returns a short name for a path. */
export const hashOf = (path: string) => createHash('sha256').update(path).digest('hex').slice(0, 12);

/**
 * Returns the location for `dataDir`, which is created when missing: `dataDir/postgres`. When the service runs as root
 * and the database's account cannot enter `dataDir`, it is `/var/lib/switchyard/<hash>/postgres`, recorded in a file in
 * `dataDir`.
 * @throws Error when the cluster belongs to another account
 */
export async function findPlace(dataDir: string): Promise<DataLocation> {
  const isRoot = process.getuid?.() === 0;
  const own = await makeDataDir(dataDir, isRoot ? 0o711 : 0o700);
  const note = join(own, 'postgres.location');
  const remembered = await readFile(note, 'utf8').catch(() => '');
  let folder = remembered.trim() || own;
  let account = await databaseAccount(join(folder, 'postgres'));
  if (account && !(await canEnter(folder, account))) {
    if (await stat(join(folder, 'postgres')).catch(() => undefined)) {
      throw new Error(`Account ${account.uid} runs the embedded database, but may not enter ${folder}`);
    }
    folder = join(await rootFolder(), hashOf(own));
    account = await databaseAccount(join(folder, 'postgres'));
    await mkdir(folder, { recursive: true, mode: 0o711 });
    await chmod(folder, 0o711);
    await writeFile(note, `${folder}\n`, { mode: 0o644 });
  }
  // the cluster may be a link to a disk with more space
  const cluster = await realpath(join(folder, 'postgres')).catch(() => join(folder, 'postgres'));
  const owner = await stat(cluster).catch(() => undefined);
  if (owner && !isRoot && owner.uid !== process.getuid?.()) {
    throw new Error(
      `The embedded database in ${cluster} belongs to account ${owner.uid}: start as that account, or set another DATA_DIR`,
    );
  }
  return { folder, cluster, account };
}

async function makeDataDir(dataDir: string, mode: number): Promise<string> {
  try {
    const made = await mkdir(dataDir, { recursive: true, mode });
    if (made) await chmod(dataDir, mode);
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(dataDir);
  } catch (error) {
    throw new Error(`DATA_DIR ${dataDir} cannot be used: ${(error as Error).message}`);
  }
}

/** Returns the folder for a copy of the programs, used when they cannot run where npm installed them. */
export async function programFolder(place: DataLocation): Promise<string> {
  return place.account ? rootFolder() : place.folder;
}

/** Returns root's folder; rejects one that others can write to, because programs are run from it. */
async function rootFolder(): Promise<string> {
  if (await mkdir(STATE, { recursive: true })) await chmod(STATE, 0o755);
  const found = await lstat(STATE);
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
    throw new Error(`${STATE} must be a folder of root that no one else can write to`);
  }
  return STATE;
}

async function canEnter(folder: string, account: Account): Promise<boolean> {
  // tested by the system itself: mode bits do not cover ACLs and mounts
  const { code } = await runProgram('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], account);
  return code === 0;
}
