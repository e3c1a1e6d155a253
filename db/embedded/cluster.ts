import { chown, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Account, runProgram } from './account.ts';
import type { Binaries } from './binaries.ts';
import { newDraft, removeOldDrafts } from './draft.ts';
import { syncFolder } from './durable-file.ts';

/** The embedded database's superuser, which cannot log in (role.ts). */
export const SUPERUSER = 'switchyard';
export const DATABASE = 'postgres';

/**
 * Returns the major version of PostgreSQL that created a cluster; undefined when it does not exist yet.
 *
 * @param cluster its data folder
 * @throws Error when the folder cannot be read
 */
export async function clusterMajor(cluster: string): Promise<number | undefined> {
  const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    },
  );
  return version ? Number.parseInt(version, 10) : undefined;
}

interface ClusterOptions {
  cluster: string;
  binaries: Binaries;
  account: Account | undefined;
  durable: boolean;
}

/**
 * Creates `cluster` when it is missing: completely or not at all, even when several processes try at once. It uses UTF-8
 * with simple, locale-independent rules for letters.
 * @throws Error with the message of initdb, in one line
 */
export async function ensureCluster({ cluster, binaries, account, durable }: ClusterOptions): Promise<void> {
  await removeOldDrafts(cluster);
  if (await clusterMajor(cluster)) return;
  const draft = await newDraft(cluster);
  try {
    if (account) await chown(draft, account.uid, account.gid);
    const shared = [
      '-D',
      draft,
      '-U',
      SUPERUSER,
      '-A',
      'trust',
      '-E',
      'UTF8',
      ...(durable ? [] : ['--no-sync']),
    ];
    let outcome = { code: 1 as number | string, output: '', errors: '' };
    for (const locale of localesOf(binaries)) {
      outcome = await runProgram(binaries.initdb, [...shared, ...locale], account);
      if (outcome.code === 0) break;
    }
    if (outcome.code !== 0)
      throw new Error(
        `The embedded database cannot be created: ${reasonOf(outcome.errors)}${remedyOf(outcome.errors)}`,
      );
    await rename(draft, cluster).catch(async (error) => {
      // Another process may have been quicker.
      if (!(await clusterMajor(cluster))) throw error;
    });
    if (durable) await syncFolder(dirname(cluster));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** PostgreSQL needs a name for the account that it runs as. Containers are often given a number that no file names. */
const remedyOf = (errors: string): string =>
  /could not look up effective user ID/.test(errors)
    ? ': add the account to /etc/passwd, or set DATABASE_URL'
    : '';

/**
 * Returns command-line settings for a service on a laptop or a small machine. Unix socket only.
 *
 * @param socketFolder path of the folder for its socket
 */
export async function serverSettings(options: ClusterOptions, socketFolder: string): Promise<string[]> {
  const { cluster, binaries, account, durable } = options;
  const lz4 = ['-c', 'default_toast_compression=lz4'];
  const probe = await runProgram(
    binaries.postgres,
    ['-D', cluster, '-C', 'default_toast_compression', ...lz4],
    account,
  );
  const settings = {
    cluster_name: 'switchyard',
    listen_addresses: '',
    unix_socket_directories: socketFolder,
    port: 5432,
    max_connections: 200,
    shared_buffers: '128MB',
    effective_cache_size: '512MB',
    work_mem: '8MB',
    random_page_cost: 1.1,
    jit: 'off',
    // Parallel workers need space in /dev/shm, which is small in containers, and do not help short queries.
    max_parallel_workers_per_gather: 0,
    // There are no replicas, so less is written.
    wal_level: 'minimal',
    max_wal_senders: 0,
    min_wal_size: '64MB',
    max_wal_size: '512MB',
    timezone: 'UTC',
    // stderr goes to the log of the service: the backend type and the message, never a statement or its values.
    logging_collector: 'off',
    log_destination: 'stderr',
    log_line_prefix: '%b|',
    log_min_messages: 'warning',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    lc_messages: 'C',
    ...(!durable && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  const pairs = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', cluster, ...pairs, ...(probe.code === 0 ? lz4 : [])];
}

/** Returns locale options for `initdb`, best first: before PostgreSQL 17 the system decides which locales exist. */
function localesOf({ major }: Binaries): string[][] {
  if (major >= 17) return [['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']];
  return [['--locale=C.UTF-8'], ['--locale=C']];
}

function reasonOf(errors: string): string {
  const lines = errors.split('\n').filter((line) => line.trim());
  const found =
    lines.find((line) => /error:|FATAL:|PANIC:/.test(line)) ?? lines.at(-1) ?? 'initdb gave no reason';
  // A server that initdb starts puts the time before its messages.
  return found.replace(/^\d{4}-.*? \[\d+\] /, '').trim();
}
