import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';
import { freePort } from '../processes/free-port.ts';
import { until } from '../processes/processes.ts';

const run = promisify(execFile);
const SSHD = '/usr/sbin/sshd';

const has = (program: string, ...args: string[]) => {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Programs that the tests of Git need and this machine lacks. */
export const missingForGit = [
  ...(has('git', '--version') ? [] : ['git']),
  ...(has('ssh', '-V') ? [] : ['openssh-client']),
  ...(existsSync(SSHD) ? [] : ['openssh-server']),
];

/** A bare repository in a folder of its own, and what a colleague does there; removed after the test file. */
export function openRepository() {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-git-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const bare = join(folder, 'network', 'config.git');
  const clone = join(folder, 'clone');
  mkdirSync(bare, { recursive: true });
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Colleague',
    GIT_AUTHOR_EMAIL: 'colleague@example.net',
    GIT_COMMITTER_NAME: 'Colleague',
    GIT_COMMITTER_EMAIL: 'colleague@example.net',
  };
  const git = async (cwd: string, ...args: string[]) => (await run('git', args, { cwd, env })).stdout;
  const opened = (async () => {
    await git(bare, 'init', '--bare', '--quiet', '--initial-branch=main');
    await git(bare, 'config', 'http.receivepack', 'true');
  })();
  return {
    folder,
    bare,
    opened,
    git: async (...args: string[]) => {
      await opened;
      return git(bare, ...args);
    },
    /** Runs git in the repository with an input. @returns what it prints, without the line end */
    feed: (input: string | Buffer, ...args: string[]) =>
      execFileSync('git', args, { cwd: bare, env, input, maxBuffer: 1 << 28 })
        .toString()
        .trim(),
    /** Changes files of the branch as a colleague does, in a clone; null deletes one. */
    change: async (files: Record<string, string | null>, prepare?: (clone: string) => void) => {
      rmSync(clone, { recursive: true, force: true });
      await git(folder, 'clone', '--quiet', bare, clone);
      for (const [path, text] of Object.entries(files)) {
        if (text === null) rmSync(join(clone, path));
        else {
          mkdirSync(dirname(join(clone, path)), { recursive: true });
          writeFileSync(join(clone, path), text);
        }
      }
      prepare?.(clone);
      await git(clone, 'add', '--all');
      await git(clone, 'commit', '--quiet', '-m', 'change');
      await git(clone, 'push', '--quiet', 'origin', 'HEAD:main');
    },
    /** The text of a file on a branch. */
    text: (path: string, branch = 'main') => git(bare, 'show', `${branch}:${path}`),
    paths: async (branch = 'main') =>
      (await git(bare, 'ls-tree', '-r', '--name-only', '-z', branch)).split('\0').filter(Boolean),
    log: async (branch = 'main') =>
      (await git(bare, 'log', '--reverse', '--format=%an|%ae|%s', branch)).split('\n').filter(Boolean),
  };
}

/**
 * Serves repositories over HTTP with `git http-backend`, to one account.
 *
 * @param tls certificate and key in PEM; absent: plain HTTP
 */
export async function serveHttp(
  root: string,
  username: string,
  password: string,
  tls?: { cert: string; key: string },
) {
  const expected = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers.authorization !== expected) {
      response
        .writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' })
        .end(`bad ${request.headers.authorization}`);
      return;
    }
    answerCgi(root, request, response);
  };
  const server = tls ? createHttpsServer(tls, listener) : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http${tls ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answerCgi(root: string, request: IncomingMessage, response: ServerResponse) {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
      HTTP_GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_USER: 'robot',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin);
  const parts: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => parts.push(part));
  child.once('close', () => {
    const all = Buffer.concat(parts);
    const end = all.indexOf('\r\n\r\n');
    const headers = all.toString('latin1', 0, end).split('\r\n');
    let status = 200;
    for (const header of headers) {
      const [name = '', value = ''] = header.split(/: (.*)/s);
      if (name === 'Status') status = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.writeHead(status).end(all.subarray(end + 4));
  });
}

/**
 * Starts OpenSSH on a free port of this machine, for the account that runs the tests and one key.
 *
 * @param command runs instead of what a client asks for; absent: what it asks for
 */
export async function serveSsh(command?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-sshd-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const key = async (name: string) => {
    const path = join(folder, name);
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', path]);
    return { path, text: readFileSync(path, 'utf8'), pub: readFileSync(`${path}.pub`, 'utf8').split(' ') };
  };
  const [host, client, other] = [await key('host'), await key('client'), await key('other')];
  const authorized = join(folder, 'authorized_keys');
  writeFileSync(authorized, `${command ? `command="${command}" ` : ''}${client.pub.join(' ')}`);
  chmodSync(authorized, 0o600);
  const port = await freePort();
  const config = join(folder, 'sshd_config');
  writeFileSync(
    config,
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${host.path}`,
      `AuthorizedKeysFile ${authorized}`,
      'StrictModes no',
      'UsePAM no',
      'PermitRootLogin yes',
      'PasswordAuthentication no',
      'PidFile none',
      '',
    ].join('\n'),
  );
  // The folder that the program insists on when root starts it.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const child = spawn(SSHD, ['-D', '-e', '-f', config], { stdio: 'ignore' });
  afterAll(() => void child.kill('SIGKILL'));
  await until('sshd answers', () => answers(port));
  const lineOf = ([type, text]: string[]) => `${type} ${text}`.trim();
  return {
    url: `ssh://${userInfo().username}@127.0.0.1:${port}`,
    privateKey: client.text,
    otherKey: other.text,
    hostKey: lineOf(host.pub),
    wrongHostKey: lineOf(other.pub),
  };
}

const answers = (port: number) =>
  new Promise<true | undefined>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => resolve(true));
    socket.once('error', () => resolve(undefined));
    socket.setTimeout(2000, () => resolve(undefined));
  });
