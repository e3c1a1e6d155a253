import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { Connection } from '#db/embedded.ts';

/** The role and the database of the service, on every server that a trial starts. */
const ROLE = 'switchyard';
const PASSWORD = 'a-password-for-trials';

/** A PostgreSQL of Debian's packages, as a process of this one. */
export type Server = {
  port: number;
  folder: string;
  /** `HOST:PORT` of its address. */
  address: string;
  start: () => Promise<void>;
  /** Ends it: `SIGINT` as an operator does; `SIGKILL` with all of its processes, as the loss of the machine does. */
  stop: (signal: 'SIGINT' | 'SIGKILL') => Promise<void>;
  /** Makes a standby the primary. */
  promote: () => void;
};

/** Returns the URL of the database on these servers. */
export const urlOf = (...servers: readonly { address: string }[]): string =>
  `postgres://${ROLE}:${PASSWORD}@${servers.map(({ address }) => address).join(',')}/${ROLE}`;

/** Returns the programs of the newest PostgreSQL that is installed. @throws Error when there is none */
function programs(): string {
  const root = '/usr/lib/postgresql';
  const [newest] = readdirSync(root).sort((one, other) => Number(other) - Number(one));
  if (newest === undefined) throw new Error('install postgresql');
  return join(root, newest, 'bin');
}

/** The account that the servers run as: they refuse to run as root. */
export function postgresAccount(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (which: string) => Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Makes an empty folder that the servers may write to. */
function ownFolder(folder: string): string {
  mkdirSync(folder, { mode: 0o700 });
  const { uid, gid } = postgresAccount();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}

const run = (program: string, args: readonly string[]) =>
  execFileSync(join(programs(), program), args, {
    ...postgresAccount(),
    env: { ...process.env, PGPASSWORD: PASSWORD },
    stdio: ['ignore', 'ignore', 'pipe'],
  });

/** Creates a server with the role and the database of the service, and starts it. */
export async function newServer(
  folder: string,
  port: number,
  settings: readonly string[] = [],
): Promise<Server> {
  ownFolder(folder);
  const file = join(folder, '..', `password-${port}`);
  writeFileSync(file, PASSWORD);
  run('initdb', [
    '-D',
    folder,
    '-U',
    ROLE,
    '-A',
    'scram-sha-256',
    '--pwfile',
    file,
    '-E',
    'UTF8',
    '--locale=C',
  ]);
  appendFileSync(
    join(folder, 'postgresql.conf'),
    [
      '',
      "listen_addresses = '127.0.0.1'",
      `port = ${port}`,
      "unix_socket_directories = ''",
      'max_connections = 300',
      'max_wal_senders = 8',
      'shared_buffers = 128MB',
      ...settings,
      '',
    ].join('\n'),
  );
  const server = serverOf(folder, port);
  await server.start();
  await ask(urlOf(server).replace(/\/[^/]*$/, '/postgres'), `create database ${ROLE}`);
  return server;
}

/** Adds a streaming replica, and makes the primary wait for it before it acknowledges a commit. */
export async function newStandby(primary: Server, folder: string, port: number): Promise<Server> {
  ownFolder(folder);
  run('pg_basebackup', [
    ...['-D', folder, '-h', '127.0.0.1', '-p', String(primary.port), '-U', ROLE],
    ...['-X', 'stream', '-R', '-c', 'fast', '-w'],
  ]);
  appendFileSync(join(folder, 'postgresql.conf'), `\nport = ${port}\n`);
  appendFileSync(
    join(folder, 'postgresql.auto.conf'),
    `\nprimary_conninfo = 'host=127.0.0.1 port=${primary.port} user=${ROLE} password=${PASSWORD} application_name=standby'\n`,
  );
  const standby = serverOf(folder, port);
  await standby.start();
  await ask(urlOf(primary), "alter system set synchronous_standby_names = 'standby'");
  await ask(urlOf(primary), 'select pg_reload_conf()');
  for (;;) {
    const [row] = await ask<{ sync_state: string }>(
      urlOf(primary),
      'select sync_state from pg_stat_replication',
    );
    if (row?.sync_state === 'sync') return standby;
    await sleep(100);
  }
}

function serverOf(folder: string, port: number): Server {
  let child: ChildProcess | undefined;
  const address = `127.0.0.1:${port}`;
  return {
    port,
    folder,
    address,
    async start() {
      child = spawn(join(programs(), 'postgres'), ['-D', folder], {
        ...postgresAccount(),
        stdio: 'ignore',
        env: { PATH: process.env.PATH, PGDATA: folder, LANG: 'C' },
      });
      const started = child;
      for (let tries = 0; ; tries += 1) {
        if (started.exitCode !== null)
          throw new Error(`PostgreSQL in ${folder} ended with ${started.exitCode}`);
        const url = urlOf({ address }).replace(/\/[^/]*$/, '/postgres');
        if (
          await ask(url, 'select 1').then(
            () => true,
            () => false,
          )
        )
          return;
        if (tries > 200) throw new Error(`PostgreSQL in ${folder} does not answer`);
        await sleep(100);
      }
    },
    async stop(signal) {
      const ending = child;
      if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
      const ended = once(ending, 'exit');
      const pids = signal === 'SIGKILL' ? childrenOf(ending.pid ?? 0) : [];
      ending.kill(signal);
      for (const pid of pids) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It ended meanwhile.
        }
      }
      await ended;
    },
    promote: () => void run('pg_ctl', ['promote', '-D', folder, '-W']),
  };
}

const childrenOf = (pid: number): number[] =>
  execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .split('\n')
    .map(Number)
    .filter(Boolean);

/** Runs one statement on a connection of its own. */
export async function ask<Row extends object = Record<string, unknown>>(
  connection: Connection,
  statement: string,
): Promise<Row[]> {
  const settings = { max: 1, connect_timeout: 3, fetch_types: false, onnotice: () => undefined };
  const client =
    typeof connection === 'string'
      ? postgres(connection, settings)
      : postgres({ ...connection, ...settings });
  try {
    return (await client.unsafe(statement)) as unknown as Row[];
  } finally {
    await client.end({ timeout: 1 });
  }
}
