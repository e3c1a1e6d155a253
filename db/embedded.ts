import { setTimeout as sleep } from 'node:timers/promises';
import { type Binaries, findBinaries } from './embedded/binaries.ts';
import { clusterMajor, DATABASE, ensureCluster, serverSettings } from './embedded/cluster.ts';
import { type DataLocation, findPlace, programFolder } from './embedded/data-location.ts';
import { claimOwnership, hasOwner } from './embedded/owner.ts';
import {
  findPostmaster,
  isProcessAlive,
  killLeftovers,
  type Postmaster,
  removeStaleLocks,
  stopPostmaster,
} from './embedded/postmaster.ts';
import { prepareRole, ROLE, readPassword } from './embedded/role.ts';
import type { DatabaseLog } from './embedded/server-log.ts';
import { leaveSocketFolder, makeSocketFolder, socketFolderOf } from './embedded/socket-folder.ts';
import { type GuardedServer, startGuarded } from './embedded/watchdog.ts';

/** How to reach a database: a URL, or the folder of a Unix socket with database, role and password. */
export type Connection =
  | string
  | { host: string; port: number; database: string; username: string; password: string };

/** A running embedded PostgreSQL (docs/operations.md: DATA_DIR). */
export interface EmbeddedDatabase {
  connection: Exclude<Connection, string>;
  /** Whether this process runs the server now. Others on the same folder use it, and take over when this process ends. */
  isOwner: () => boolean;
  /** Stops the server if this process runs it, and resolves when all its processes have ended. */
  close: () => Promise<void>;
}

interface EmbeddedOptions {
  /** Holds the database; created when missing. */
  dataDir: string;
  log: DatabaseLog;
  /** Lets the role create further databases: for tests. */
  createsDatabases?: boolean;
  /** False disables what makes commits survive a power failure: for tests. */
  durable?: boolean;
}

/**
 * Runs a real PostgreSQL in `dataDir`, created at the first start and kept running until `close`. It listens on a private
 * Unix socket only and ends with this process, however that ends. Resolves when the server answers; the first start takes
 * about half a second. A second process on the same folder uses the running server.
 * @throws Error with one line that says what an operator has to correct
 */
export async function openEmbedded({
  dataDir,
  log,
  durable = true,
  createsDatabases = false,
}: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const place = await findPlace(dataDir);
  const binaries = await findBinaries({
    account: place.account,
    copyTo: () => programFolder(place),
    major: await clusterMajor(place.cluster),
  });
  const running = await findPostmaster(place.cluster);
  const sockets = running?.socketFolder ?? socketFolderOf(place);
  const keeper = keepAlive({ place, binaries, sockets, durable, createsDatabases, log });
  const slow = setTimeout(() => log('info', 'The embedded database is still starting'), SLOW_MS);
  const password = await keeper.ready
    .then(() => readPassword(place.folder))
    .catch(async (error) => {
      await keeper.close();
      throw error;
    })
    .finally(() => clearTimeout(slow));
  return {
    connection: { host: sockets, port: 5432, database: DATABASE, username: ROLE, password },
    isOwner: keeper.isOwner,
    close: keeper.close,
  };
}

interface Keeping {
  place: DataLocation;
  binaries: Binaries;
  sockets: string;
  durable: boolean;
  createsDatabases: boolean;
  log: DatabaseLog;
}

/** A start that takes longer is logged, in milliseconds: the database may have much to recover. */
const SLOW_MS = 5000;
/** Time between two attempts, or two looks at another process, in milliseconds. */
const PAUSE_MS = 100;
/** Time between two checks of a server that another process runs, and of that process, in milliseconds. */
const CHECK_MS = 1000;
const LONGEST_BACKOFF_MS = 2000;
/** A server without an owner is stopped after this time: a process that has just started it needs a moment to claim it. */
const OWNERLESS_MS = 3000;
/** A server that another process has asked to stop waits this long for its clients, and is then stopped without waiting. */
const LINGERING_MS = 2000;

/** Uses the cluster's server while another process runs it, and otherwise runs it, until closed. */
function keepAlive(keeping: Keeping) {
  const { place, sockets, log } = keeping;
  const { cluster } = place;
  const closing = new AbortController();
  const { signal } = closing;
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined);
  let server: GuardedServer | undefined;
  let isOwner = false;
  let wasReady = false;
  let announce: (failure?: Error) => void = () => undefined;
  const ready = new Promise<void>((resolve, reject) => {
    announce = (failure) => {
      if (failure) return reject(failure);
      wasReady = true;
      resolve();
    };
  });

  const own = async () => {
    // A disk that was unmounted leaves an empty folder: a new cluster there would replace the documents by none.
    if (wasReady && (await clusterMajor(cluster)) === undefined)
      throw new Error(`The embedded database is gone from ${cluster}: the service continues once it is back`);
    const started = await startServer(keeping, (guarded) => {
      server = guarded;
      if (signal.aborted) void guarded.stop();
    });
    // Another process was quicker.
    if (!started) return pause(PAUSE_MS * Math.random());
    const disown = await claimOwnership(sockets).catch(async (error) => {
      await started.stop();
      throw error;
    });
    isOwner = true;
    if (wasReady) log('info', 'The database responds again and is run by this process');
    announce();
    const stopCheck = setInterval(async () => {
      // The server may have ended by now.
      const found = await findPostmaster(cluster).catch(() => undefined);
      if (found?.status === 'stopping' && !signal.aborted) await started.stop();
    }, LINGERING_MS);
    const { how } = await started.ended;
    clearInterval(stopCheck);
    isOwner = false;
    await disown();
    if (signal.aborted) return;
    log('warn', `The database ended unexpectedly (${how}): starting it again`);
    await killLeftovers(cluster);
  };

  /** Returns whether the server of another process starts or has an owner; one that is ready is announced. */
  const isOwned = async ({ status }: Postmaster): Promise<boolean> => {
    if (status === 'starting') return true;
    if (!(await hasOwner(sockets))) return false;
    if (status === 'ready') announce();
    return true;
  };

  const follow = async ({ pid }: Postmaster) => {
    let ownedAt = Date.now();
    let lookedAt = 0;
    for (; !signal.aborted; await pause(PAUSE_MS)) {
      // Whether the process exists is cheap to ask; its files are read once a second.
      if (wasReady && Date.now() - lookedAt <= CHECK_MS && isProcessAlive(pid)) continue;
      const found = await findPostmaster(cluster);
      if (found?.pid !== pid) return;
      lookedAt = Date.now();
      if (await isOwned(found)) ownedAt = lookedAt;
      if (Date.now() - ownedAt <= OWNERLESS_MS) continue;
      log(
        'warn',
        'The process that ran the database has ended: stopping the database, to run it from this process',
      );
      await stopPostmaster(pid, cluster);
    }
  };

  const run = async () => {
    let failures = 0;
    while (!signal.aborted) {
      try {
        const found = await findPostmaster(cluster);
        await (found ? follow(found) : own());
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        const failure = error instanceof Error ? error : new Error(String(error));
        if (!wasReady) return announce(failure);
        log('error', failure.message);
        await pause(Math.min(PAUSE_MS * 2 ** failures, LONGEST_BACKOFF_MS));
        failures += 1;
      }
    }
    announce(new Error('The embedded database was closed while it started'));
  };
  const running = run();

  const close = async () => {
    closing.abort();
    await server?.stop();
    await running;
    await leaveSocketFolder(sockets, place);
  };
  return { ready, isOwner: () => isOwner, close };
}

/** How long to retry a start while processes of a killed server remain that this process cannot end, in milliseconds. */
const LEFTOVER_MS = 150_000;

/**
 * Starts the server and waits until it answers.
 * @returns undefined when another process was quicker
 * @throws Error with the reason why it does not start
 */
async function startServer(
  { place, binaries, sockets, durable, createsDatabases, log }: Keeping,
  onSpawn: (server: GuardedServer) => void,
): Promise<GuardedServer | undefined> {
  const { folder, cluster, account } = place;
  const options = { cluster, binaries, account, durable };
  await ensureCluster(options);
  await makeSocketFolder(sockets, place);
  await removeStaleLocks(cluster, sockets);
  const command = [binaries.postgres, ...(await serverSettings(options, sockets))];
  const end = Date.now() + LEFTOVER_MS;
  for (;;) {
    let failure = await prepareRole({ ...options, folder, createsDatabases });
    if (failure === undefined) {
      const server = await startGuarded(command, { cluster, account, log });
      onSpawn(server);
      void server.ended.then(({ reason }) => {
        failure = reason;
      });
      while (failure === undefined) {
        const found = await findPostmaster(cluster);
        if (found?.pid === server.pid && found.status === 'ready') return server;
        await sleep(5);
      }
    }
    if (/lock file .* already exists/.test(failure)) return undefined;
    if (!/pre-existing shared memory block/.test(failure) || Date.now() > end) {
      throw new Error(`The embedded database does not start: ${failure}`);
    }
    await killLeftovers(cluster);
    await sleep(PAUSE_MS);
  }
}
