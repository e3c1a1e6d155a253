import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { withoutSecrets } from '#server/domains/git/remotes/remote-rules.ts';
import { scheduledGitRuns } from '#server/domains/git/runs/scheduled-runs.service.ts';
import { startDue } from '#server/kernel/schedules/scheduler.ts';
import { issuePathsOf, NOBODY, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { git, audit } = await service.as('admin');
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
});
const HOST_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJX8dqgkuS7YAbPUTTzj2tFTUOsTTf9E1q3qwD3eeRIM';

const remote = (more: object = {}) => ({
  name: unique('Remote'),
  url: 'https://git.example.net/network/config.git',
  branch: 'main',
  kinds: ['workflows'],
  direction: 'both',
  credential: { token: 'a-secret-token' },
  ...more,
});
const create = (given: object) => git.createRemote({ remote: given } as never);

test('a remote is stored with its secrets sealed, read back with masks, changed and deleted', async () => {
  const given = remote();
  const { data } = await create(given);
  expect(data).toMatchObject({ credential: { token: '********' }, url: given.url });
  const { data: updated } = await git.updateRemote({
    id: data._id,
    remote: { branch: 'config/lab', credential: { token: '********', username: 'robot' } },
  });
  expect(updated).toMatchObject({
    branch: 'config/lab',
    credential: { token: '********', username: 'robot' },
  });
  expect(await git.getRemote({ id: data._id })).toEqual(updated);
  const { total } = await git.listRemotes({ queryOptions: { equals: given.name, equalsField: 'name' } });
  expect(total).toBe(1);
  expect((await rejectionOf(create(given))).code).toBe('CONFLICT');
  await git.deleteRemote({ id: data._id });
  expect((await rejectionOf(git.getRemote({ id: data._id }))).code).toBe('NOT_FOUND');
  expect(service.logged.join('')).not.toContain('a-secret-token');
});

test.each([
  [{ url: 'ext::sh -c touch% /tmp/x' }, ['remote.url']],
  [{ url: 'file:///etc' }, ['remote.url']],
  [{ url: '/etc/passwd' }, ['remote.url']],
  [{ url: '--upload-pack=touch' }, ['remote.url']],
  [{ url: 'ssh://-oProxyCommand=touch/x' }, ['remote.url']],
  [{ url: 'https://robot:secret@git.example.net/x.git' }, ['remote.url']],
  [{ url: 'https://git.example.net/x.git?a=b' }, ['remote.url']],
  [{ url: 'https://169.254.169.254/x.git' }, ['remote.url']],
  [{ branch: '-f' }, ['remote.branch']],
  [{ branch: 'a..b' }, ['remote.branch']],
  [{ branch: 'x.lock' }, ['remote.branch']],
  [{ path: '../up' }, ['remote.path']],
  [{ path: '.git/hooks' }, ['remote.path']],
  [{ kinds: ['workflows', 'workflows'] }, ['remote.kinds']],
  [
    { url: 'git@git.example.net:network/config.git', credential: undefined },
    ['remote.credential.privateKey', 'remote.hostKeys'],
  ],
  [
    { url: 'git@git.example.net:a.git', credential: { privateKey: 'no key' }, hostKeys: ['x', HOST_KEY] },
    ['remote.credential.privateKey', 'remote.hostKeys.0'],
  ],
  [{ credential: { privateKey } }, ['remote.credential.privateKey']],
  [{ credential: { token: '********' } }, ['remote.credential.token']],
])('a remote that git must not get is rejected and every field named: %j', async (more, paths) => {
  expect((await issuePathsOf(create(remote(more)))).sort()).toEqual(paths);
});

test('a secret does not follow a remote to another host, and a key for SSH is accepted', async () => {
  const { data } = await create(
    remote({ url: 'git@git.example.net:a.git', credential: { privateKey }, hostKeys: [HOST_KEY] }),
  );
  expect(data.credential).toEqual({ privateKey: '********' });
  const move = (credential?: object) =>
    git.updateRemote({
      id: data._id,
      remote: { url: 'git@other.example.net:a.git', ...(credential && { credential }) },
    });
  expect(await issuePathsOf(move())).toEqual(['remote.credential.privateKey']);
  expect((await move({ privateKey })).status).toBe('OK');
});

test('a message of git that repeats a secret is masked', () => {
  const text = `remote: bad ${btoa('git:a-token')} and a-token`;
  expect(withoutSecrets(text, { credential: { token: 'a-token' } })).toBe(
    'remote: bad ******** and ********',
  );
});

test('a run is rejected for the other direction, for a disabled remote, and while another run is under way', async () => {
  const { data } = await create(remote({ direction: 'pull' }));
  const id = data._id;
  expect((await rejectionOf(git.push({ id }))).code).toBe('CONFLICT');
  const { runId } = await git.pull({ id, dryRun: true });
  expect(await git.getRun({ runId })).toMatchObject({
    action: 'pull',
    dryRun: true,
    status: 'running',
    commits: [],
    documents: { new: [], changed: [], removed: [], conflicts: [] },
  });
  expect(await git.listRuns({ id })).toMatchObject({ results: [{ runId }], total: 1 });
  expect((await rejectionOf(git.pull({ id }))).message).toContain('under way');
  await git.updateRemote({ id, remote: { enabled: false } });
  expect((await rejectionOf(git.pull({ id }))).message).toContain('disabled');
  expect((await rejectionOf(git.pull({ id: NOBODY }))).code).toBe('NOT_FOUND');
  expect((await rejectionOf(git.getRun({ runId: NOBODY }))).code).toBe('NOT_FOUND');
});

test('a schedule starts a run of its remote for the account of the remote, and says why it could not', async () => {
  const schedule = { calendar: { every: 'day', at: '02:30' }, timeZone: 'Europe/Berlin' };
  const { data } = await create(remote({ schedule, scheduledAction: 'pull' }));
  const due = data.nextRunAt ?? 0;
  expect(due).toBeGreaterThan(0);
  const { platform, db } = service;
  const at = (now: number) => ({ db, log: platform.log, now: () => new Date(now) });
  expect(await startDue(at(due + 1000), scheduledGitRuns(platform))).toBe(1);
  expect(await startDue(at(due + 1000), scheduledGitRuns(platform))).toBe(0);
  const { results } = await git.listRuns({ id: data._id });
  expect(results).toMatchObject([{ action: 'pull', dryRun: false }]);
  expect((await git.getRun({ runId: results[0]?.runId ?? '' })).startedBy).toBe(data.runAs);
  const after = await git.getRemote({ id: data._id });
  expect(after).toMatchObject({ lastResult: '' });
  expect(after.nextRunAt).toBeGreaterThan(due);
  // The run has not ended: nothing carries it out here.
  await startDue(at((after.nextRunAt ?? 0) + 1000), scheduledGitRuns(platform));
  expect((await git.getRemote({ id: data._id })).lastResult).toContain('under way');
  const { data: off } = await git.updateRemote({ id: data._id, remote: { enabled: false } });
  expect(off.nextRunAt).toBeNull();
  const paths = (more: object) => issuePathsOf(create(remote(more)));
  expect(await paths({ schedule: { cron: '61 * * * *' } })).toEqual(['remote.schedule.cron']);
  expect(await paths({ direction: 'push', scheduledAction: 'pull' })).toEqual(['remote.scheduledAction']);
});

test('only an admin uses Git, and the audit trail has the writes', async () => {
  const id = NOBODY;
  expect(await rolesThatMay(service, (as) => as.git.listRemotes({}))).toEqual(['admin']);
  expect(await rolesThatMay(service, (as) => as.git.push({ id }))).toEqual(['admin']);
  expect(await rolesThatMay(service, (as) => as.git.pull({ id }))).toEqual(['admin']);
  expect(await rolesThatMay(service, (as) => as.git.getRun({ runId: id }))).toEqual(['admin']);
  const { results } = await audit.listEntries({
    queryOptions: { equals: 'git.createRemote', equalsField: 'operation', limit: 100 },
  });
  expect(results).toContainEqual(expect.objectContaining({ outcome: 'ok' }));
});
