import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { inTransaction } from '#db/client.ts';
import { insert } from '#db/collection.ts';
import { publish } from '#db/connections/publish.ts';
import { adapters } from '#db/tables/integrations/adapters.ts';
import { storeDevices } from '#server/domains/network/adapters/sync.service.ts';
import { missingForGit, openRepository, serveHttp } from '../helpers/git/repositories.ts';
import { openReceiver } from '../helpers/notifications/receivers.ts';
import { unique } from '../helpers/procedures.ts';
import { until } from '../helpers/processes/processes.ts';
import { openService } from '../helpers/service.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-data-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
const service = await openService({ DATA_DIR: dataDir }, { works: true });
const { audit, automationgateway, configurationManager, git, notifications } = await service.as('admin');

test('a receiver that answers with a NUL character does not block the channel', async () => {
  const receiver = await openReceiver((at) =>
    at === 0 ? { status: 500, text: 'no \u0000 way' } : { status: 204 },
  );
  const { data: channel } = await notifications.createChannel({
    channel: {
      name: unique('Hook'),
      type: 'webhook',
      url: receiver.url,
      secret: 'a-key-of-at-least-16-characters',
    },
  });
  await notifications.createRule({
    rule: { name: unique('Rule'), topics: ['adapterDown'], channels: [channel._id] },
  });
  const payload = { name: 'a', model: 'm', state: 'STOPPED', connection: 'OFFLINE', detail: 'no answer' };
  const event = {
    source: '@vendor/adapters',
    topic: 'adapterDown',
    subjects: ['a'] as [string],
    kind: 'adapter',
    payload,
  };
  await inTransaction(service.db, (tx) => publish(tx, [event]));
  const failed = await until(
    'the failure is recorded',
    async () => {
      const { list } = await notifications.listDeliveries({ queryOptions: { channel: channel._id } });
      return list.find(({ attempts }) => attempts > 0);
    },
    60,
  );
  expect(failed.lastError).toMatch(/^answered 500: no . way$/);
  expect(failed.lastError).not.toContain('\u0000');
});

test.skipIf(missingForGit.length > 0)(
  'files of a repository that cannot be stored are reported one by one, and do not hold up the others',
  async () => {
    const repository = openRepository();
    await repository.opened;
    const url = `${await serveHttp(repository.folder, 'robot', 'a-token')}/network/config.git`;
    const backup = (name: string, more = '') => `{"name":"${name}"${more}}`;
    const deep = `,"deep":${'['.repeat(300)}${']'.repeat(300)}`;
    await repository.git('symbolic-ref', 'HEAD', 'refs/heads/main');
    await repository.change({
      'device-backups/good.json': backup('good'),
      'device-backups/good.cfg': 'hostname good\n',
      'device-backups/nul.json': backup('nul'),
      'device-backups/nul.cfg': 'hostname nul\u0000\n',
      'device-backups/escaped.json': backup('escaped', ',"notes":"a\\u0000b"'),
      'device-backups/escaped.cfg': 'hostname escaped\n',
      'device-backups/half.json': backup('half', ',"notes":"\\ud800"'),
      'device-backups/half.cfg': 'hostname half\n',
      'device-backups/proto.json': backup('proto', ',"__proto__":{"polluted":true}'),
      'device-backups/proto.cfg': 'hostname proto\n',
      'device-backups/deep.json': backup('deep', deep),
      'device-backups/deep.cfg': 'hostname deep\n',
    });
    const { data } = await git.createRemote({
      remote: {
        ...{ name: unique('Remote'), url, branch: 'main', kinds: ['deviceBackups'], direction: 'both' },
        credential: { username: 'robot', token: 'a-token' },
      },
    });
    const { runId } = await git.pull({ id: data._id });
    const run = await until(
      'the end of the run',
      async () => {
        const found = await git.getRun({ runId });
        return found.status === 'running' ? undefined : found;
      },
      120,
    );
    expect(run).toMatchObject({ status: 'complete', error: null });
    expect(run.documents.new.map(({ name }) => name)).toEqual(['good']);
    expect(run.issues.map(({ path }) => path).sort()).toEqual(
      ['deep', 'escaped', 'half', 'nul', 'proto'].map((name) => `device-backups/${name}.cfg`),
    );
    const { list } = await configurationManager.searchBackups({ options: {} });
    expect(list.map(({ name }) => name)).toEqual(['good']);
    expect(existsSync(join(dataDir, 'git', runId))).toBe(false);
  },
);

test('devices that another system describes with texts that cannot be stored are left out', async () => {
  const name = unique('Source');
  await insert(service.db, adapters, name, { name, properties: { type: 'Orchestrator' } } as never);
  const device = { address: '192.0.2.1', port: null, nedId: '', platform: '' };
  const found = [
    { ...device, name: 'good' },
    { ...device, name: 'nul', address: '192.0.2.1\u0000' },
    { ...device, name: 'half', platform: '\ud800' },
    { ...device, name: 'half-\udfff' },
  ];
  const counts = await inTransaction(service.db, (tx) => storeDevices(tx, name, found, 'adapter'));
  expect(counts).toMatchObject({ added: 1 });
});

test('a command that is cut in the middle of a character stays in the history and in the audit trail', async () => {
  const host = unique('edge');
  await automationgateway.createHost({
    kind: 'cli',
    host: { name: host, host: '127.0.0.1', port: 9, device_type: 'cisco_ios', username: 'u', password: 'p' },
  } as never);
  for (const before of ['', 'x']) {
    const answer = await service.send('admin', 'POST', '/automationgateway/cli/send_command', {
      cliSendCommandParameters: {
        host,
        commands: [`show ${before}${'😀'.repeat(450)}`],
        connection_options: { device_type: 'cisco_ios' },
      },
    });
    // Nobody answers there: that is an error of the device, and none of this service.
    expect(answer.status, answer.text).toBe(502);
  }
  const { results } = await automationgateway.listHistory({
    queryOptions: { equals: host, equalsField: 'host' },
  } as never);
  expect(results).toHaveLength(2);
  expect(service.logged.join('')).not.toContain('could not be added to the history');
  const trail = await audit.listEntries({ queryOptions: { limit: 50 } } as never);
  expect(JSON.stringify(trail)).not.toMatch(/\\ud[89a-f]/i);
});
