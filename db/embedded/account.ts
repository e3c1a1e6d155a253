import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';

/** An account that PostgreSQL may run under; PostgreSQL does not run as root. */
export interface Account {
  uid: number;
  gid: number;
}

/** How a short-lived program ended: `code` is its exit status, or why it did not start (`ENOENT`, `EACCES`). */
export interface ProgramResult {
  code: number | string;
  output: string;
  errors: string;
}

/** The environment of the database's programs: it contains no secrets of this process and no PG* setting. */
export const programEnvironment = {
  PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/**
 * Runs a program to its end, as `account` if set, with `input` on its standard input. Never throws: see `code`.
 *
 * @param file path of the program
 * @param args its arguments
 */
export function runProgram(
  file: string,
  args: string[],
  account?: Account,
  input?: string,
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const options = { cwd: '/', env: programEnvironment, timeout: 120_000, ...account };
    const program = execFile(file, args, options, (error, output, errors) =>
      resolve({ code: error ? (error.code ?? error.signal ?? 1) : 0, output, errors }),
    );
    if (input === undefined || !program.stdin) return;
    // A program that ends before it has read all input reports that by its exit status.
    program.stdin.on('error', () => undefined);
    program.stdin.end(input);
  });
}

/**
 * Returns the account for the database: undefined (the current account) unless this process runs as root; as root the
 * owner of the existing cluster, else `postgres`, else `nobody`.
 * @throws Error when root finds none of them
 */
export async function databaseAccount(cluster: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(cluster).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const [uid, gid] = await Promise.all([runProgram('id', ['-u', name]), runProgram('id', ['-g', name])]);
    if (uid.code === 0 && gid.code === 0) return { uid: Number(uid.output), gid: Number(gid.output) };
  }
  throw new Error(
    'PostgreSQL does not run as root, and the accounts postgres and nobody do not exist: start as another user, or set DATABASE_URL',
  );
}
