import { expect, test } from 'vitest';
import { makeFolder } from '../../helpers/folder.ts';
import { missingForGit, openRepository, serveHttp } from '../../helpers/git/repositories.ts';
import { createPerson, sendAs, signIn } from '../../helpers/people.ts';
import { NOBODY, rejectionOf, unique } from '../../helpers/procedures.ts';
import { until } from '../../helpers/processes/processes.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService({ DATA_DIR: await makeFolder() }, { works: true });
const { git, configurationManager } = await service.as('admin');
const lacks = missingForGit.length > 0;

const store = (rawConfig: string, day: number, name = 'quay-1') =>
  configurationManager.importBackups({
    backups: [{ name, rawConfig, date: `2026-03-0${day}T00:00:00.000Z` }],
  });

const ended = ({ runId }: { runId: string }) =>
  until(
    `run ${runId} has ended`,
    async () => {
      const run = await git.getRun({ runId });
      return run.status === 'running' ? undefined : run;
    },
    120,
  );

const PATH = 'device-backups/quay-1.cfg';

const decide = (configurationSecrets: string) =>
  service.send('admin', 'PUT', '/authorization/access_default', {
    unlisted: 'readers',
    configurationSecrets,
  });

/** The conflict as an account reads it that has these permissions alone. */
async function sidesFor(runId: string, ...permissions: string[]) {
  const name = unique('role');
  const allowedMethods = permissions.map((permission) => {
    const [provenance = '', method = ''] = permission.split('.');
    return { provenance, name: method };
  });
  const role = await service.send('admin', 'POST', '/authorization/roles', {
    role: { name, allowedMethods, allowedViews: [] },
  });
  expect(role.status, role.text).toBe(200);
  const token = await signIn(service, await createPerson(service, [name]));
  const path = `/git/runs/${runId}/conflict?path=${encodeURIComponent(PATH)}`;
  return (await sendAs(service, token, 'GET', path)).json;
}

test.skipIf(lacks)(
  'both sides of a conflict are read as they are now, and runs count conflicts',
  async () => {
    const repository = openRepository();
    await repository.opened;
    const url = `${await serveHttp(repository.folder, 'robot', 'a-token-of-git')}/network/config.git`;
    const credential = { username: 'robot', token: 'a-token-of-git' };
    const kinds = ['deviceBackups' as const];
    const { data } = await git.createRemote({
      remote: { name: 'Quays', url, branch: 'main', kinds, direction: 'both', path: 'lab', credential },
    });
    const id = data._id;
    await store('one\n', 1);
    await store('one\n', 1, 'quay-2');
    expect(await ended(await git.push({ id }))).toMatchObject({ error: null });
    await store('snmp-server community Lantern7\n', 2);
    await repository.change({ [`lab/${PATH}`]: 'there\n', 'lab/device-backups/quay-2.cfg': 'two\n' });
    const { runId, documents } = await ended(await git.pull({ id }));
    expect(documents.conflicts).toMatchObject([{ path: PATH }]);
    const { results } = await git.listRuns({ id });
    expect(results.map(({ counts }) => counts)).toEqual([
      { changes: 1, conflicts: 1, issues: 0 },
      { changes: 2, conflicts: 0, issues: 0 },
    ]);

    const shown = await git.getConflict({ runId, path: PATH });
    expect(shown).toMatchObject({ kind: 'deviceBackups', name: 'quay-1', path: PATH, branch: 'main' });
    expect(shown.files).toMatchObject([
      { path: PATH, here: 'snmp-server community Lantern7\n', there: 'there\n', isShortened: false },
      { path: 'device-backups/quay-1.json' },
    ]);
    const answer = await service.send(
      'admin',
      'GET',
      `/git/runs/${runId}/conflict?path=${encodeURIComponent(PATH)}`,
    );
    expect(answer.json).toEqual(shown);

    // What the other side gets meanwhile is shown, a long text is shortened, and a side that is gone is null.
    await repository.change({ [`lab/${PATH}`]: 'x'.repeat(1_000_001) });
    const [long] = (await git.getConflict({ runId, path: PATH })).files;
    expect(long).toMatchObject({ isShortened: true, there: 'x'.repeat(1_000_000) });
    await repository.change({ [`lab/${PATH}`]: null, 'lab/device-backups/quay-1.json': null } as never);
    expect((await git.getConflict({ runId, path: PATH })).files[0]).toMatchObject({
      path: PATH,
      there: null,
    });

    expect((await rejectionOf(git.getConflict({ runId, path: 'device-backups/quay-2.cfg' }))).code).toBe(
      'NOT_FOUND',
    );
    expect((await rejectionOf(git.getConflict({ runId: NOBODY, path: PATH }))).code).toBe('NOT_FOUND');
    const { git: reader } = await service.as('apiread');
    expect((await rejectionOf(reader.getConflict({ runId, path: PATH }))).code).toBe('FORBIDDEN');

    // Who reads configurations with masks reads both sides with masks, and nobody reads kinds that they may not read.
    await repository.change({ [`lab/${PATH}`]: 'snmp-server community Lantern8\n' });
    expect((await decide('masked')).status).toBe(200);
    expect(await sidesFor(runId, 'Git.getConflict', 'ConfigurationManager.getBackup')).toMatchObject({
      files: [
        { path: PATH, here: 'snmp-server community ********\n', there: 'snmp-server community ********\n' },
        {},
      ],
    });
    expect(JSON.stringify(await sidesFor(runId, 'Git.getConflict'))).toContain('may not read deviceBackups');
    expect((await decide('shown')).status).toBe(200);

    await git.updateRemote({ id, remote: { credential: { username: 'robot', token: 'another-token' } } });
    const refused = await rejectionOf(git.getConflict({ runId, path: PATH }));
    expect(refused.code).toBe('BAD_GATEWAY');
    expect(refused.message).toContain('the server does not accept the credential');
    expect(refused.message).not.toContain('another-token');
    await git.updateRemote({ id, remote: { enabled: false } });
    expect((await rejectionOf(git.getConflict({ runId, path: PATH }))).code).toBe('CONFLICT');
    expect(service.logged.join('')).not.toContain('Lantern7');
  },
);
