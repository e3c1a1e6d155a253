import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { missingForGit, openRepository, serveHttp } from '../../helpers/git/repositories.ts';
import { rejectionOf, unique } from '../../helpers/procedures.ts';
import { until } from '../../helpers/processes/processes.ts';
import { openService } from '../../helpers/service.ts';
import { openAuthority } from '../../lab/certificates.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-data-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
const service = await openService({ DATA_DIR: dataDir }, { works: true });
const { git, health, configurationManager } = await service.as('admin');

const remoteFor = async (url: string) =>
  (
    await git.createRemote({
      remote: {
        ...{ name: unique('Hostile'), url, branch: 'main', kinds: ['deviceBackups'], direction: 'both' },
        credential: { username: 'robot', token: 'a-token' },
      },
    })
  ).data._id;

const pull = async (id: string) => ended(await git.pull({ id }));
const push = async (id: string) => ended(await git.push({ id }));
const ended = ({ runId }: { runId: string }) =>
  until(
    `run ${runId} has ended`,
    async () => {
      const run = await git.getRun({ runId });
      return run.status === 'running' ? undefined : run;
    },
    120,
  );

/** Stores a backup of a device. @returns how it is deleted */
async function storeBackup(name: string) {
  await configurationManager.importBackups({ backups: [{ name, rawConfig: `hostname ${name}\n` }] });
  const { list } = await configurationManager.searchBackups({ options: { limit: 1 } });
  const backupIds = list.map(({ id }) => id);
  return () => configurationManager.deleteBackups({ backupIds });
}

/** The run failed with a message, the health view names the remote, and nothing was stored, here or on the disk. */
async function expectRejected(id: string, error: RegExp) {
  const run = await pull(id);
  expect(run).toMatchObject({ status: 'error', error: expect.stringMatching(error) });
  expect(JSON.stringify(run)).not.toContain('a-token');
  const { results } = await health.getConnections({});
  expect(results).toContainEqual(expect.objectContaining({ kind: 'git remote', id, state: 'FAILING' }));
  const { total } = await configurationManager.searchBackups({ options: { limit: 1 } });
  expect(total).toBe(0);
  expect(existsSync(join(dataDir, 'git')) ? readdirSync(join(dataDir, 'git')) : []).toEqual([]);
}

/** A repository with one commit of a tree that `git add` would not make. @param entries lines of `git mktree` */
function committed(repository: ReturnType<typeof openRepository>, tree: string) {
  const commit = repository.feed('hostile\n', 'commit-tree', tree);
  return repository.git('update-ref', 'refs/heads/main', commit);
}

describe.skipIf(missingForGit.length > 0)(
  `repositories that must do no harm${missingForGit.length > 0 ? ` (skipped: ${missingForGit.join(', ')} missing)` : ''}`,
  () => {
    const opened = async () => {
      const repository = openRepository();
      await repository.opened;
      const url = `${await serveHttp(repository.folder, 'robot', 'a-token')}/network/config.git`;
      const blob = repository.feed('hostname hostile\n', 'hash-object', '-w', '--stdin');
      const tree = (...entries: string[]) =>
        repository.feed(entries.map((one) => `${one}\n`).join(''), 'mktree', '--missing');
      return { repository, blob, tree, id: await remoteFor(url) };
    };

    test.each([
      ['.git', 'hasDotgit'],
      ['..', 'hasDotdot'],
      ['.GIT', 'hasDotgit'],
    ])(
      'a folder %s in a path fails the run with an error that names it, and nothing is stored',
      async (name, fault) => {
        const { repository, blob, tree, id } = await opened();
        const inner = tree(`100644 blob ${blob}\tedge.cfg`);
        const outer = tree(`040000 tree ${inner}\t${name}`);
        await committed(repository, tree(`040000 tree ${outer}\tdevice-backups`));
        await expectRejected(id, new RegExp(fault, 'i'));
      },
    );

    test('a URL of a submodule that begins with a dash fails the run with a named error', async () => {
      const { repository, tree, id } = await opened();
      const modules = repository.feed(
        '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch\n',
        'hash-object',
        '-w',
        '--stdin',
      );
      await committed(repository, tree(`100644 blob ${modules}\t.gitmodules`));
      await expectRejected(id, /gitmodules/i);
    });

    test('links, submodules and files that are too large are named and left out, and the rest is stored', async () => {
      const { repository, blob, tree, id } = await opened();
      const remarks = repository.feed('{"name":"good"}', 'hash-object', '-w', '--stdin');
      const link = repository.feed('/etc/passwd', 'hash-object', '-w', '--stdin');
      const large = repository.feed(Buffer.alloc(65 * 1024 * 1024, 'x'), 'hash-object', '-w', '--stdin');
      const folder = tree(
        `100644 blob ${blob}\tgood.cfg`,
        `100644 blob ${remarks}\tgood.json`,
        `100644 blob ${large}\tlarge.cfg`,
        `120000 blob ${link}\tlink.cfg`,
        `160000 commit ${'1'.repeat(40)}\tmodule.cfg`,
      );
      const hooks = tree(`100755 blob ${blob}\tpost-checkout`);
      await committed(
        repository,
        tree(`040000 tree ${folder}\tdevice-backups`, `040000 tree ${hooks}\thooks`),
      );
      const run = await pull(id);
      expect(run).toMatchObject({ status: 'complete', error: null });
      expect(run.documents.new.map(({ name }) => name)).toEqual(['good']);
      expect(run.issues).toEqual([
        { path: 'device-backups/large.cfg', message: 'is larger than 64 MiB' },
        { path: 'device-backups/link.cfg', message: 'is a symbolic link, which is not followed' },
        { path: 'device-backups/module.cfg', message: 'is a submodule, which is not fetched' },
      ]);
      const { list } = await configurationManager.searchBackups({ options: { limit: 10 } });
      expect(list.map(({ name }) => name)).toEqual(['good']);
      await configurationManager.deleteBackups({ backupIds: list.map(({ id: one }) => one) } as never);
    });

    test('names and contents that are not UTF-8, pointers of Git LFS and remarks alone are issues, and nothing of them is stored', async () => {
      const { repository, id } = await opened();
      const file = (path: string, content: string) =>
        `M 100644 inline "device-backups/${path}"\ndata ${content.length}\n${content}\n`;
      const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 9\n`;
      repository.feed(
        Buffer.from(
          [
            'commit refs/heads/main\ncommitter C <c@example.net> 1700000000 +0000\ndata 0\n',
            file('x\xe8.cfg', 'one\n'),
            file('x\xe9.cfg', 'two\n'),
            file('alone.json', '{"name":"alone"}'),
            file('latin.cfg', 'banner caf\xe9\n'),
            file('latin.json', '{"name":"latin"}'),
            file('pointer.cfg', pointer),
            file('pointer.json', '{"name":"pointer"}'),
          ].join(''),
          'latin1',
        ),
        'fast-import',
        '--quiet',
      );
      const run = await pull(id);
      expect(run).toMatchObject({ status: 'complete', error: null, documents: { new: [] } });
      const messages = run.issues.map(({ path, message }) => [path.replace('device-backups/', ''), message]);
      expect(Object.fromEntries(messages)).toEqual({
        'x%E8.cfg': 'has a name that is not UTF-8: rename it in the repository',
        'x%E9.cfg': 'has a name that is not UTF-8: rename it in the repository',
        'alone.cfg': expect.stringContaining('device-backups/alone.cfg is missing'),
        'latin.cfg': 'device-backups/latin.cfg is not UTF-8 text: convert it in the repository',
        'pointer.cfg': expect.stringContaining('device-backups/pointer.cfg is a pointer of Git LFS'),
      });
      expect(await configurationManager.searchBackups({ options: { limit: 1 } })).toMatchObject({ total: 0 });
    });

    test('links in place of a folder or a file of documents stay what they are when documents are pushed', async () => {
      const { repository, tree, id } = await opened();
      const name = unique('linked');
      const remove = await storeBackup(name);
      const link = repository.feed('/etc/passwd', 'hash-object', '-w', '--stdin');
      const folder = tree(`120000 blob ${link}\t${name}.cfg`);
      await committed(repository, tree(`040000 tree ${folder}\tdevice-backups`));
      const run = await push(id);
      expect(run).toMatchObject({ status: 'complete', commits: [] });
      expect(run.documents.conflicts.map((one) => one.name)).toEqual([name]);
      expect(run.issues.map(({ message }) => message)).toEqual(['is a symbolic link, which is not followed']);
      const path = run.documents.conflicts[0]?.path ?? '';
      expect(await rejectionOf(git.getConflict({ runId: run.runId, path }))).toMatchObject({
        code: 'UNPROCESSABLE_CONTENT',
        message: `${path} is a symbolic link, which is not followed`,
      });
      for (const [entry, kind] of [
        [`120000 blob ${link}`, 'a symbolic link'],
        [`160000 commit ${'1'.repeat(40)}`, 'a submodule'],
        [`100644 blob ${link}`, 'a file'],
      ]) {
        const at = tree(`${entry}\tdevice-backups`);
        await committed(repository, at);
        const error = expect.stringContaining(`device-backups is ${kind} in the repository`);
        expect(await push(id)).toMatchObject({ status: 'error', error });
        expect(await pull(id)).toMatchObject({ status: 'error', error });
        expect((await repository.git('rev-parse', 'main^{tree}')).trim()).toBe(at);
      }
      await remove();
    });

    test('a repository whose objects have SHA-256 ids fails the push with a named error', async () => {
      const repository = openRepository();
      await repository.git('init', '--bare', '--quiet', '--object-format=sha256', '../sha.git');
      await repository.git('--git-dir=../sha.git', 'config', 'http.receivepack', 'true');
      const url = `${await serveHttp(repository.folder, 'robot', 'a-token')}/network/sha.git`;
      const id = await remoteFor(url);
      const remove = await storeBackup(unique('sha'));
      const error = expect.stringMatching(/^the repository names its objects by another hash than SHA-1/);
      expect(await push(id)).toMatchObject({ status: 'error', error });
      await remove();
    });

    test('a repository with more documents than a run handles fails the run with a named error, and nothing is stored', async () => {
      const { repository, id } = await opened();
      const files = Array.from(
        { length: 20_001 },
        (_, n) => `M 100644 inline device-backups/edge-${n}.cfg\ndata 2\nx\n\n`,
      ).join('');
      repository.feed(
        `commit refs/heads/main\ncommitter C <c@example.net> 1700000000 +0000\ndata 0\n${files}\n`,
        'fast-import',
        '--quiet',
      );
      await expectRejected(id, /at most 20000 documents/);
    });

    test('a few objects that list millions of files fail the run with a named error', async () => {
      const { repository, blob, tree, id } = await opened();
      const names = Array.from({ length: 160 }, (_, n) => n.toString(36));
      let inner = tree(...names.map((name) => `100644 blob ${blob}\t${name}.cfg`));
      for (let level = 0; level < 2; level += 1)
        inner = tree(...names.map((name) => `040000 tree ${inner}\t${name}`));
      await committed(repository, tree(`040000 tree ${inner}\tdevice-backups`));
      await expectRejected(id, /ls-tree printed more than 64 MiB/);
    });

    test('a file of more values than an import may have is an issue of the run, and is not stored', async () => {
      const { repository, blob, tree, id } = await opened();
      const remarks = Buffer.from(`{"name":"many","notes":[${'0,'.repeat(1_000_000)}0]}`);
      const many = repository.feed(remarks, 'hash-object', '-w', '--stdin');
      const folder = tree(`100644 blob ${blob}\tmany.cfg`, `100644 blob ${many}\tmany.json`);
      await committed(repository, tree(`040000 tree ${folder}\tdevice-backups`));
      const run = await pull(id);
      expect(run.issues).toEqual([
        { path: expect.stringContaining('many'), message: expect.stringContaining('1,000,000 values') },
      ]);
      expect(await configurationManager.searchBackups({ options: { limit: 1 } })).toMatchObject({ total: 0 });
    });

    test('a file name that stands for characters which cannot be stored is an issue of the run', async () => {
      const { repository, blob, tree, id } = await opened();
      const remarks = repository.feed('{"name":"good"}', 'hash-object', '-w', '--stdin');
      const names = ['%00', '%ff', '%2e%2e%2fgood', '__proto__'];
      const folder = tree(
        ...names.flatMap((name) => [
          `100644 blob ${blob}\t${name}.cfg`,
          `100644 blob ${remarks}\t${name}.json`,
        ]),
      );
      await committed(repository, tree(`040000 tree ${folder}\tdevice-backups`));
      const run = await pull(id);
      expect(run).toMatchObject({ status: 'complete', error: null });
      expect(run.issues.map(({ path }) => path).toSorted()).toEqual(
        names.map((name) => `device-backups/${name}.cfg`).toSorted(),
      );
      expect(await configurationManager.searchBackups({ options: { limit: 1 } })).toMatchObject({ total: 0 });
    });

    test('a certificate of an unknown authority fails the run with a named error', async () => {
      const repository = openRepository();
      await repository.opened;
      const tls = openAuthority().issue({ names: ['127.0.0.1', 'localhost'] });
      const url = await serveHttp(repository.folder, 'robot', 'a-token', tls);
      await expectRejected(await remoteFor(`${url}/network/config.git`), /certificate/i);
    });

    test.each([
      [
        'half an answer',
        (text: string) => ({ head: 200, text: text.slice(0, 20), cut: true }),
        /git|remote|RPC|pack|end/i,
      ],
      [
        'a page instead of a repository',
        () => ({ head: 200, text: '<html>', cut: false }),
        /not valid|protocol|repository/i,
      ],
      [
        'a redirect',
        (text: string) => ({ head: 301, text, cut: false }),
        /^the server redirects to another address, which is not followed/,
      ],
    ])('a server that sends %s fails the run with a named error', async (_, answer, error) => {
      const server = createServer((_request, response) => {
        const { head, text, cut } = answer('001e# service=git-upload-pack\n000001');
        response.writeHead(head, {
          'Content-Type': 'application/x-git-upload-pack-advertisement',
          ...(cut && { 'Content-Length': '5000' }),
          ...(head === 301 && { Location: '/config.git/info/refs?service=git-upload-pack&again' }),
        });
        response.write(text);
        if (cut) setTimeout(() => response.destroy(), 50);
        else response.end();
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      afterAll(() => server.close());
      const { port } = server.address() as AddressInfo;
      await expectRejected(await remoteFor(`http://127.0.0.1:${port}/config.git`), error);
    });
  },
);
