import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, request as requestHttp } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { repositoryArgument, repositoryUrl } from '#server/domains/git/remotes/remote-rules.ts';
import { openGit } from '#server/southbound/git/git.ts';
import { missingForGit, openRepository, serveHttp, serveSsh } from '../../helpers/git/repositories.ts';
import { issuePathsOf, unique } from '../../helpers/procedures.ts';
import { freePort } from '../../helpers/processes/free-port.ts';
import { until } from '../../helpers/processes/processes.ts';
import { openService } from '../../helpers/service.ts';
import { openAuthority } from '../../lab/certificates.ts';

const MIB = 1024 * 1024;
const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-data-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
const service = await openService({ DATA_DIR: dataDir }, { works: true });
Object.assign(service.platform, {
  git: openGit({
    allowPrivateTargets: true,
    limits: { mostBytes: 4 * MIB, silentSeconds: 2, listBytes: 32 * MIB },
  }),
});
const { git, health, configurationManager } = await service.as('admin');

async function portOf(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** Adds a remote and pulls from it. @returns its id and the run, once it has ended */
async function pulled(url: string, more: object) {
  const remote = { name: unique('Remote'), url, branch: 'main', kinds: ['deviceBackups'], direction: 'both' };
  const { _id: id } = (await git.createRemote({ remote: { ...remote, ...more } } as never)).data;
  const { runId } = await git.pull({ id });
  const run = await until(
    `run ${runId} has ended`,
    async () => {
      const found = await git.getRun({ runId });
      return found.status === 'running' ? undefined : found;
    },
    120,
  );
  return { id, run };
}

const stored = async () => (await configurationManager.searchBackups({ options: { limit: 1 } })).total;
const failing = async () => (await health.getConnections({})).results;

/** A repository whose files are larger than the limit; random bytes, which nothing makes smaller. */
async function largeRepository() {
  const repository = openRepository();
  await repository.opened;
  const files = Array.from({ length: 100 }, (_, at) => {
    const text = Buffer.from(crypto.getRandomValues(new Uint8Array(60 * 1024))).toString('base64');
    return `M 100644 inline device-backups/edge-${at}.cfg\ndata ${text.length}\n${text}\n`;
  });
  repository.feed(
    `commit refs/heads/main\ncommitter C <c@example.net> 1700000000 +0000\ndata 0\n${files.join('')}\n`,
    'fast-import',
    '--quiet',
  );
  return repository.bare;
}

type Ssh = Awaited<ReturnType<typeof serveSsh>>;
const at = (ssh: Ssh, path = '/config.git', more: object = {}) => ({
  url: `${ssh.url}${path}`,
  credential: { privateKey: ssh.privateKey },
  hostKeys: [ssh.hostKey],
  ...more,
});
/** The account and key of a working server, for one of a test at a port that speaks no SSH. */
const atPort = async (port: number) => ({
  ...at(await serveSsh()),
  url: `ssh://git@127.0.0.1:${port}/a.git`,
});

/** The faults of an SSH server, with the error that names each. */
const FAULTS: Record<string, [open: () => Promise<{ url: string }>, error: RegExp]> = {
  'cannot be reached': [async () => atPort(await freePort()), /^the server cannot be reached\n/],
  'is silent': [
    async () => atPort(await portOf(createServer(() => undefined))),
    /^the server (does not answer in time|ended the connection)[:\n]/,
  ],
  'is silent after the sign-in': [
    async () => at(await serveSsh('sleep 60')),
    /^the server does not answer in time[:\n]/,
  ],
  'is silent in the middle of a file': [
    async () => {
      // It sends the list of branches, and the first part of the files.
      const first =
        'eval $SSH_ORIGINAL_COMMAND | { dd bs=1 count=3000 status=none; test $(wc -c) -gt 0 && sleep 120; }';
      return at(await serveSsh(first), await largeRepository());
    },
    /^the server does not answer in time: nothing arrived for 4 s$/,
  ],
  'has another host key': [
    async () => {
      const ssh = await serveSsh();
      return at(ssh, undefined, { hostKeys: [ssh.wrongHostKey] });
    },
    /^the server has none of the host keys that the remote trusts; store its key .*\n/,
  ],
  'does not know the private key': [
    async () => {
      const ssh = await serveSsh();
      return at(ssh, undefined, { credential: { privateKey: ssh.otherKey } });
    },
    /^the server does not accept the private key; store another one .*\n/,
  ],
  'ends in the middle of an answer': [
    async () => at(await serveSsh('printf 003f1111')),
    /^the server ended the connection\n/,
  ],
  'answers with something else without an end': [
    async () => at(await serveSsh('cat /dev/zero')),
    /^the answer is not that of a Git server\n/,
  ],
  'lists branches without an end': [
    async () => at(await serveSsh(`yes 003d${'1'.repeat(40)} refs/heads/main`)),
    /^the answer is too large: git needs more than 32 MiB of memory$/,
  ],
  'has no such repository': [
    async () => at(await serveSsh(), '/nothing/here.git'),
    /^the server has no such repository\n/,
  ],
  'has a repository above the limit': [
    async () => at(await serveSsh(), await largeRepository()),
    /^the repository is larger than 4 MiB$/,
  ],
};

describe.skipIf(missingForGit.length > 0)(
  `Git servers with faults${missingForGit.length > 0 ? ` (skipped: ${missingForGit.join(', ')} missing)` : ''}`,
  () => {
    test.each(Object.entries(FAULTS))(
      'an SSH server that %s fails the run with a named error, in the health view too, and nothing is stored',
      async (_, [open, error]) => {
        const { url, ...more } = await open();
        const { id, run } = await pulled(url, more);
        expect(run).toMatchObject({ status: 'error', documents: { new: [], changed: [], removed: [] } });
        expect(run.error).toMatch(error);
        expect(JSON.stringify(run)).not.toContain('PRIVATE KEY');
        expect(await failing()).toContainEqual(
          expect.objectContaining({ kind: 'git remote', id, lastError: run.error }),
        );
        expect(await stored()).toBe(0);
      },
    );

    test.each([
      ['a page', 200, 'text/html', '<html>Sign in</html>'],
      ['a page of several lines', 200, 'text/html', '<html>\n<p>Sign in</p>\n</html>\n'],
      ['nothing', 200, 'text/plain', ''],
      ['no content', 204, 'text/plain', ''],
      ['nothing as a list of branches', 200, 'application/x-git-upload-pack-advertisement', ''],
    ])(
      'an HTTP server that answers with %s fails the run: it has no Git repository',
      async (_, status, type, text) => {
        const server = createHttpServer((__, response) =>
          response.writeHead(status, { 'content-type': type }).end(text),
        );
        const { run } = await pulled(`http://127.0.0.1:${await portOf(server)}/network/config.git`, {});
        expect(run).toMatchObject({ status: 'error', documents: { new: [], changed: [], removed: [] } });
        expect(run.error).toMatch(
          /^the (answer is not that of a Git server|server ended the connection)[:\n]/,
        );
      },
    );

    test('a pull of a repository without a commit is complete, over HTTP and SSH', async () => {
      const repository = openRepository();
      await repository.opened;
      const url = `${await serveHttp(repository.folder, 'robot', 'a-token')}/network/config.git`;
      const ssh = await serveSsh();
      const remotes = [
        [url, { credential: { username: 'robot', token: 'a-token' } }],
        [`${ssh.url}${repository.bare}`, at(ssh)],
      ] as const;
      for (const [from, more] of remotes) {
        const { run } = await pulled(from, { ...more, url: from });
        expect(run).toMatchObject({ status: 'complete', error: null, documents: { new: [] } });
      }
    });

    test('a path after user@host begins in the home folder of the user, and that of a URL at the root', async () => {
      const repository = openRepository();
      await repository.opened;
      await repository.change({ 'device-backups/edge.cfg': 'hostname edge\n' });
      const { url, privateKey, hostKey } = await serveSsh();
      const { username, host } = new URL(url);
      const listed = (address: string) => {
        const target = { url: `${url}/unused`, repository: address, privateKey, hostKeys: [hostKey] };
        const folder = join(dataDir, unique('a copy at 100%h "here"'));
        return service.platform.git.use(
          { target, branch: 'main', folder, signal: AbortSignal.timeout(60_000) },
          async (copy) => (await copy.list('device-backups')).files.map(({ path }) => path),
        );
      };
      // The port is in the URL alone, as is the address to connect to.
      const written = `${username}@${host.split(':')[0]}:${relative(userInfo().homedir, repository.bare)}`;
      expect(repositoryArgument(written)).toBe(written);
      expect(await listed(written)).toEqual(['device-backups/edge.cfg']);
      expect(repositoryArgument(`git@host.example.net:/srv/x.git`)).toBe('git@host.example.net:/srv/x.git');
      expect(repositoryUrl('git@host.example.net:/srv/x.git')).toBe('ssh://git@host.example.net/srv/x.git');
      expect(repositoryArgument('ssh://git@host.example.net/srv/x.git')).toBe(
        'ssh://git@host.example.net/srv/x.git',
      );
      for (const rejected of ['git@host:-x', 'git@-host:x', '-u@host:x', 'git@host:a\nb', 'git@host:'])
        expect(repositoryArgument(rejected), rejected).toBeNull();
    });

    test('a certificate of a private authority is accepted with `ca`, and text that is no certificate is rejected', async () => {
      const repository = openRepository();
      await repository.opened;
      await repository.change({
        'device-backups/own.cfg': 'hostname own\n',
        'device-backups/own.json': '{"name":"own"}',
      });
      const authority = openAuthority();
      const tls = authority.issue({ names: ['127.0.0.1', 'localhost'] });
      const url = `${await serveHttp(repository.folder, 'robot', 'a-token', tls)}/network/config.git`;
      const credential = { username: 'robot', token: 'a-token' };
      const { run } = await pulled(url, { credential, ca: openAuthority('Another').ca });
      expect(run.error).toMatch(/^TLS failed\n/);
      expect(await issuePathsOf(pulled(url, { credential, ca: 'no certificate' }))).toEqual(['remote.ca']);
      const { id, run: accepted } = await pulled(url, { credential, ca: authority.ca });
      expect(accepted).toMatchObject({ status: 'complete', documents: { new: [{ name: 'own' }] } });
      expect((await git.getRemote({ id })).ca).toBe(authority.ca);
      const { list } = await configurationManager.searchBackups({ options: { limit: 1 } });
      await configurationManager.deleteBackups({ backupIds: list.map((one) => one.id) } as never);
    });

    test('a run reaches a server that fails twice at its third attempt, and the remote is healthy', async () => {
      const repository = openRepository();
      await repository.opened;
      await repository.change({
        'device-backups/edge.cfg': 'hostname edge\n',
        'device-backups/edge.json': '{"name":"edge"}',
      });
      const behind = await serveHttp(repository.folder, 'robot', 'a-token');
      let failures = 2;
      const front = createHttpServer((request, response) => {
        failures -= 1;
        if (failures >= 0) return void response.writeHead(503).end();
        const { method, headers } = request;
        const passed = requestHttp(`${behind}${request.url}`, { method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        });
        request.pipe(passed);
      });
      const url = `http://127.0.0.1:${await portOf(front)}/network/config.git`;
      const { id, run } = await pulled(url, { credential: { username: 'robot', token: 'a-token' } });
      expect(run).toMatchObject({ status: 'complete', error: null, documents: { new: [{ name: 'edge' }] } });
      expect(failures).toBeLessThan(0);
      expect((await failing()).map((one) => one.id)).not.toContain(id);
    });
  },
);
