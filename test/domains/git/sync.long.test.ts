import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { severityOf } from '#server/domains/notifications/rules/severity.ts';
import { withCutOn } from '../../helpers/cut-statement.ts';
import { missingForGit, openRepository, serveHttp, serveSsh } from '../../helpers/git/repositories.ts';
import { eventsOfRun } from '../../helpers/jobs/events.ts';
import { isLong } from '../../helpers/long.ts';
import { rejectionOf, unique } from '../../helpers/procedures.ts';
import { until } from '../../helpers/processes/processes.ts';
import { openService } from '../../helpers/service.ts';
import { workflowOf } from '../../helpers/workflows.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-data-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
// Relative to the folder in which the service was started, as the default is.
const DATA_DIR = relative(process.cwd(), dataDir);
const service = await openService({ DATA_DIR }, { works: true });
const { git, health, configurationManager, mop, automationStudio } = await service.as('admin');
const admin = (await service.callerWith('admin')).caller;

const lacks = missingForGit.length > 0;
const title = (text: string) => `${text}${lacks ? ` (skipped: ${missingForGit.join(', ')} missing)` : ''}`;
const KINDS = ['goldenTrees', 'commandTemplates', 'workflows', 'projects', 'deviceBackups'] as const;
type Kind = (typeof KINDS)[number];

const remoteFor = async (url: string, more: object = {}, kinds: readonly Kind[] = KINDS) =>
  (
    await git.createRemote({
      remote: { name: unique('Remote'), url, branch: 'main', kinds: [...kinds], direction: 'both', ...more },
    })
  ).data._id;

const ended = ({ runId }: { runId: string }) =>
  until(
    `run ${runId} has ended`,
    async () => {
      const run = await git.getRun({ runId });
      return run.status === 'running' ? undefined : run;
    },
    120,
  );
const push = async (id: string, more: object = {}) => ended(await git.push({ id, ...more }));
const pull = async (id: string, more: object = {}) => ended(await git.pull({ id, ...more }));
const names = (documents: readonly { name: string }[]) => documents.map(({ name }) => name);

/** A document of each kind. */
async function storeOneOfEach() {
  const name = unique('Each');
  await configurationManager.createTree({ name, deviceType: 'cisco-ios' });
  await mop.createTemplate({
    mop: {
      name,
      os: 'cisco-ios',
      passRule: true,
      ignoreWarnings: false,
      commands: [{ command: 'show version', passRule: true, rules: [] }],
    },
  } as never);
  await automationStudio.createWorkflow({ automation: { ...workflowOf(name, {}) } } as never);
  await automationStudio.createProject({ name } as never);
  await configurationManager.importBackups({
    backups: [
      { name, rawConfig: `hostname ${name}\n!\nend\n`, notes: 'first', date: '2026-02-03T04:05:06.000Z' },
    ],
  });
  return name;
}

test.skipIf(lacks)(
  title('documents of every kind go to a repository over HTTP and come back the same'),
  async () => {
    const repository = openRepository();
    await repository.opened;
    const url = `${await serveHttp(repository.folder, 'robot', 'a-token')}/network/config.git`;
    const name = await storeOneOfEach();
    const id = await remoteFor(url, { path: 'lab', credential: { username: 'robot', token: 'a-token' } });
    const dry = await push(id, { dryRun: true });
    expect(dry).toMatchObject({ status: 'complete', error: null });
    expect(dry.documents.new).toHaveLength(5);
    expect(await repository.git('branch', '--list')).toBe('');
    const first = await push(id);
    expect(first).toMatchObject({ status: 'complete', error: null });
    expect(first.commits).toHaveLength(5);
    expect(first.issues).toEqual([]);
    const paths = await repository.paths();
    expect(paths.sort()).toEqual(
      [
        `lab/command-templates/commands/${name}.json`,
        `lab/device-backups/${name}.cfg`,
        `lab/device-backups/${name}.json`,
        `lab/golden-trees/${name}.json`,
        `lab/projects/${name}.json`,
        `lab/workflows/${name}.json`,
      ].sort(),
    );
    expect(await repository.text(`lab/device-backups/${name}.cfg`)).toBe(`hostname ${name}\n!\nend\n`);
    expect((await repository.log()).every((line) => line.startsWith(`${admin.username}|`))).toBe(true);
    const texts = await Promise.all(paths.map((path) => repository.text(path)));
    expect(await push(id)).toMatchObject({ status: 'complete', commits: [], unchanged: 5 });

    // Another platform pulls them, and would push the very same files.
    const other = await openService({ DATA_DIR });
    const there = (await other.as('admin')).git;
    const { data } = await there.createRemote({
      remote: {
        ...{ name: 'Other', url, branch: 'main', kinds: [...KINDS], direction: 'both', path: 'lab' },
        credential: { username: 'robot', token: 'a-token' },
      },
    });
    const { perform } = await import('#server/domains/git/runs/perform.service.ts');
    const { readRun } = await import('#server/domains/git/runs/runs.service.ts');
    const performed = async (start: Promise<{ runId: string }>) => {
      const { runId } = await start;
      const run = await readRun(other.db, runId);
      if (!run) throw new Error('the run does not exist');
      const result = await perform(other.db, other.platform, run);
      const { endRun } = await import('#server/domains/git/runs/runs.service.ts');
      await endRun(other.db, runId, { result });
      return result;
    };
    const pulled = await performed(there.pull({ id: data._id }));
    expect(pulled.issues).toEqual([]);
    expect(names(pulled.documents.new)).toEqual([name, name, name, name, name]);
    await there.updateRemote({ id: data._id, remote: { branch: 'second' } });
    const again = await performed(there.push({ id: data._id }));
    expect(again.documents.new).toHaveLength(5);
    expect(await Promise.all(paths.map((path) => repository.text(path, 'second')))).toEqual(texts);
  },
);

test.skipIf(!isLong || lacks)(
  title('a change here is pushed, a change there is pulled, and both are a conflict that nothing overwrites'),
  async () => {
    const repository = openRepository();
    await repository.opened;
    const ssh = await serveSsh();
    const id = await remoteFor(
      `${ssh.url}${repository.bare}`,
      { credential: { privateKey: ssh.privateKey }, hostKeys: [ssh.hostKey] },
      ['deviceBackups'],
    );
    const [mine, theirs, both] = [unique('mine'), unique('theirs'), unique('both')];
    const store = (name: string, text: string, date: string) =>
      configurationManager.importBackups({
        backups: [{ name, rawConfig: text, date: `2026-03-0${date}T00:00:00.000Z` }],
      });
    for (const name of [mine, theirs, both]) await store(name, 'one\n', '1');
    expect(await push(id)).toMatchObject({ status: 'complete', error: null });
    await store(mine, 'two\n', '2');
    await store(both, 'here\n', '2');
    const file = (name: string) => `device-backups/${name}.cfg`;
    await repository.change({ [file(theirs)]: 'two\n', [file(both)]: 'there\n' }, (clone) =>
      symlinkSync('/etc/passwd', join(clone, 'device-backups', 'link.cfg')),
    );
    const dry = await pull(id, { dryRun: true });
    expect(names(dry.documents.changed)).toEqual([theirs]);
    const pulled = await pull(id);
    const [, end] = await eventsOfRun(service, pulled.runId, ['apiread', 'designer']);
    expect(end).toMatchObject({
      topic: 'gitRunFinished',
      payload: { status: 'complete', conflicts: 1, issues: 1 },
    });
    expect(severityOf('gitRunFinished', end?.payload ?? {})).toBe('warning');
    expect(pulled.issues).toEqual([
      { path: 'device-backups/link.cfg', message: 'is a symbolic link, which is not followed' },
    ]);
    expect(names(pulled.documents.changed)).toEqual([theirs]);
    expect(pulled.documents.conflicts).toMatchObject([
      { name: both, reason: 'both sides changed it since they were last the same' },
    ]);
    const { list } = await configurationManager.searchBackups({
      options: { filter: { name: theirs }, limit: 1 },
    });
    expect(await configurationManager.getBackup({ id: list[0]?.id ?? '' })).toMatchObject({
      rawConfig: 'two\n',
    });
    const pushed = await push(id);
    expect(names(pushed.documents.changed)).toEqual([mine]);
    expect(names(pushed.documents.conflicts)).toEqual([both]);
    expect(await repository.text(file(both))).toBe('there\n');
    const settled = await push(id, { overwrite: [file(both)] });
    expect(names(settled.documents.changed)).toEqual([both]);
    expect(await repository.text(file(both))).toBe('here\n');
    expect((await pull(id)).documents).toEqual({ new: [], changed: [], removed: [], conflicts: [] });
    expect(existsSync(join(dataDir, 'git')) ? readdirSync(join(dataDir, 'git')) : []).toEqual([]);

    await store(mine, 'three\n', '3');
    const proposal = await push(id, { branch: 'proposals/three' });
    expect(proposal).toMatchObject({ status: 'complete', branch: 'proposals/three' });
    expect(await repository.text(file(mine), 'proposals/three')).toBe('three\n');
    expect(await repository.text(file(mine))).toBe('two\n');
    await store(mine, 'four\n', '4');
    expect(await push(id, { branch: 'proposals/three' })).toMatchObject({
      status: 'error',
      error: expect.stringContaining('has other commits in the repository already'),
    });
    expect(await repository.text(file(mine), 'proposals/three')).toBe('three\n');

    await git.updateRemote({ id, remote: { hostKeys: [ssh.wrongHostKey] } });
    const failed = await push(id);
    expect(failed).toMatchObject({
      status: 'error',
      error: expect.stringContaining('none of the host keys that the remote trusts'),
    });
    const { results } = await health.getConnections({});
    expect(results).toContainEqual(expect.objectContaining({ kind: 'git remote', id }));
    expect(service.logged.join('')).not.toContain('PRIVATE KEY');
  },
);

test.skipIf(!isLong || lacks)(
  title('a token that the server repeats is masked, and a removed file stays here'),
  async () => {
    const repository = openRepository();
    await repository.opened;
    const url = `${await serveHttp(repository.folder, 'robot', 'right')}/network/config.git`;
    const wrong = { credential: { username: 'robot', token: 'wrong-token-1' } };
    const id = await remoteFor(url, wrong, ['deviceBackups']);
    const failed = await push(id);
    expect(failed.status).toBe('error');
    expect(JSON.stringify(failed)).not.toContain('wrong-token-1');
    expect(JSON.stringify(failed)).not.toContain(Buffer.from('robot:wrong-token-1').toString('base64'));
    await git.updateRemote({ id, remote: { credential: { token: 'right' } } });
    expect((await push(id)).status).toBe('complete');
    const [path = ''] = (await repository.paths()).filter((one) => one.endsWith('.cfg'));
    await repository.change({ [path]: null, [path.replace('.cfg', '.json')]: null });
    const pulled = await pull(id);
    expect(pulled.documents.removed).toMatchObject([{ path }]);
    expect((await push(id)).documents.new).toEqual([]);
  },
);

/** Two command templates that a colleague has changed in a repository, both with `show theirs`. */
async function changedTemplates() {
  const repository = openRepository();
  await repository.opened;
  const url = `${await serveHttp(repository.folder, 'robot', 'meanwhile')}/network/config.git`;
  const credential = { username: 'robot', token: 'meanwhile' };
  const id = await remoteFor(url, { credential }, ['commandTemplates']);
  const [first, second] = [unique('Meanwhile a'), unique('Meanwhile b')];
  const template = (name: string, command: string) => ({
    ...{ name, os: 'cisco-ios', passRule: true, ignoreWarnings: false },
    commands: [{ command, passRule: true, rules: [] }],
  });
  for (const name of [first, second]) await mop.createTemplate({ mop: template(name, 'show one') } as never);
  expect(await push(id)).toMatchObject({ status: 'complete', error: null });
  const file = (name: string) => `command-templates/commands/${name}.json`;
  // As an editor may leave it: an import stores other bytes than those of the file.
  const theirs = JSON.stringify(
    JSON.parse((await repository.text(file(first))).replace('show one', 'show theirs')),
  );
  await repository.change({ [file(first)]: theirs, [file(second)]: theirs.replaceAll(first, second) });
  const update = (name: string, command: string) =>
    mop.updateTemplate({ mopID: name, mop: template(name, command) } as never);
  const shown = async (name: string) => JSON.stringify(await mop.listATemplate({ name }));
  return { repository, id, first, second, template, file, theirs, update, shown };
}

/** Pulls, and calls `act` before the run reads the files of the document of this number, from 0. */
async function pullWhile(id: string, act: (at: number) => Promise<unknown>) {
  const port = service.platform.git;
  const { use } = port;
  let at = 0;
  port.use = (request, work) =>
    use(request, (copy) =>
      work({
        ...copy,
        read: async (ids) => {
          await act(at++);
          return copy.read(ids);
        },
      }),
    );
  try {
    return await pull(id);
  } finally {
    port.use = use;
  }
}

test.skipIf(lacks)(title('a pull does not overwrite what a user changes here while it runs'), async () => {
  const { repository, id, first, second, template, file, theirs, update, shown } = await changedTemplates();
  const made = unique('Meanwhile c');
  await repository.change({ [file(made)]: theirs.replaceAll(first, made) });
  const pulled = await pullWhile(id, async (at) => {
    if (at > 0) return;
    await update(second, 'show mine');
    await mop.createTemplate({ mop: template(made, 'show mine') } as never);
  });
  expect(names(pulled.documents.changed)).toEqual([first]);
  expect(names(pulled.documents.conflicts)).toEqual([second, made]);
  for (const name of [second, made]) expect(await shown(name)).toContain('show mine');
});

test.skipIf(lacks)(
  title('what a user changes after a running pull has stored it is a change that the next pull shows'),
  async () => {
    const { repository, id, first, second, file, theirs, update, shown } = await changedTemplates();
    const pulled = await pullWhile(id, async (at) => {
      if (at === 1) await update(first, 'show mine');
    });
    expect(names(pulled.documents.changed)).toEqual([first, second]);
    await repository.change({ [file(first)]: theirs.replace('show theirs', 'show newer') });
    expect(names((await pull(id)).documents.conflicts)).toEqual([first]);
    expect(await shown(first)).toContain('show mine');
  },
);

test.skipIf(lacks)(title('a pull that was cut short continues without conflicts'), async () => {
  const { id, second, shown } = await changedTemplates();
  const cut = await pullWhile(id, async (at) => {
    if (at === 1) throw new Error('the process is lost');
  });
  expect(cut.status).toBe('error');
  const { documents } = await pull(id);
  expect([names(documents.changed), documents.conflicts]).toEqual([[second], []]);
  expect(await shown(second)).toContain('show theirs');
});

test.skipIf(lacks)(
  title('a remote runs with the rights of its account, which may have lost them'),
  async () => {
    const repository = openRepository();
    await repository.opened;
    const url = `${await serveHttp(repository.folder, 'robot', 'right')}/network/config.git`;
    const id = await remoteFor(url, {}, ['deviceBackups']);
    const reader = (await service.callerWith('other')).caller;
    const { sql } = await import('#db/statement.ts');
    await service.db.execute(
      sql`update git_remotes set doc = jsonb_set(doc, '{runAs}', to_jsonb(${reader.id}::text)) where id = ${id}`,
    );
    expect(await push(id)).toMatchObject({
      status: 'error',
      error: expect.stringContaining('may not push deviceBackups'),
    });
    expect((await rejectionOf(git.push({ id, branch: '--upload-pack=touch' }))).code).toBe('BAD_REQUEST');
  },
);

test.skipIf(lacks)(title('a run whose connection to the database is cut is carried out again'), async () => {
  const repository = openRepository();
  await repository.opened;
  const url = `${await serveHttp(repository.folder, 'robot', 'a-token')}/network/config.git`;
  const name = await storeOneOfEach();
  const id = await remoteFor(url, { credential: { username: 'robot', token: 'a-token' } }, ['workflows']);
  const started = await withCutOn(service.db, 'workflows', () => git.push({ id }));
  const run = await ended(started);
  expect(run).toMatchObject({ status: 'complete', error: null });
  expect(names(run.documents.new)).toContain(name);
});
