import { afterAll, expect, test } from 'vitest';
import { liveDevices } from '../../helpers/devices/live-devices.ts';
import { until } from '../../helpers/processes/processes.ts';
import { kill, openProcesses } from '../../helpers/processes/started.ts';
import { openService, requestsBelow } from '../../helpers/service.ts';
import { ACCOUNT } from '../../lab/devices/simulator.ts';

const service = await openService();
const { configurationManager: manager } = await service.as('admin');
const processes = openProcesses('jobs-process');
afterAll(processes.end);

const { done } = requestsBelow(service, '');
const device = liveDevices(done, service.platform.cli);
const startWorker = () => processes.start(JSON.stringify(service.connection), service.key.toString('hex'));

const FLEET = 25;
// The devices of this test have the address of this machine.
process.env.ALLOW_PRIVATE_TARGETS = '1';

test('a run whose process is killed is finished by another one, with one backup of each device', async () => {
  const { simulated } = await device(['hostname edge-1', 'ntp server 192.0.2.9']);
  const names = Array.from({ length: FLEET }, (_, n) => `killed-${n}`);
  for (const name of names) {
    await done('POST', '/automationgateway/inventory/cli', {
      host: {
        name,
        host: '127.0.0.1',
        port: simulated.port,
        device_type: 'cisco_ios',
        username: ACCOUNT.username,
        password: ACCOUNT.password,
        enablePassword: ACCOUNT.enable,
      },
    });
  }
  const { runId } = await manager.startFleetBackup({ selection: { pattern: 'killed-*' }, concurrency: 1 });
  const doomed = await startWorker();
  const before = await until(
    'some backups',
    async () => {
      const run = await manager.getBackupRun({ runId });
      if (run.failedCount > 0) throw new Error(JSON.stringify(run.failed));
      return run.stored > 1 ? run : undefined;
    },
    60,
  );
  await kill(doomed);
  expect(before).toMatchObject({ status: 'running' });
  expect(before.waiting).toBeGreaterThan(0);
  const heir = await startWorker();
  const ended = await until(
    'the end of the run',
    async () => {
      const run = await manager.getBackupRun({ runId });
      return run.status === 'running' ? undefined : run;
    },
    90,
  );
  expect(ended).toMatchObject({ status: 'complete', total: FLEET, waiting: 0, failed: [] });
  expect(ended.stored + ended.unchanged).toBe(FLEET);
  const { total } = await manager.searchBackups({ options: { filter: { name: 'killed-' } } } as never);
  expect(total).toBe(FLEET);
  await kill(heir, 'SIGTERM');
}, 240_000);
