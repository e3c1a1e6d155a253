import { afterAll, expect, test } from 'vitest';
import { NTP, openCampaigns } from '../../helpers/devices/campaigns.ts';
import { until } from '../../helpers/processes/processes.ts';
import { kill, openProcesses } from '../../helpers/processes/started.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const { manager, writer, approver, checked, reached } = await openCampaigns(service);
const processes = openProcesses('jobs-process');
afterAll(processes.end);

const startWorker = () => processes.start(JSON.stringify(service.connection), service.key.toString('hex'));
// The devices of this test have the address of this machine.
process.env.ALLOW_PRIVATE_TARGETS = '1';

const HANGS_MS = 600_000;

test('a device that a killed process was changing has failed, none is changed twice, and the stop rule counts it', async () => {
  const doomed = await startWorker();
  const { treeId, devices, names } = await checked(4, `hostname edge-r1\n<e/>${NTP}\n`);
  const { id } = await writer.createCampaign({ name: 'Killed', treeId, selection: { names }, waves: [2] });
  const { digest } = await reached(id, 'review', 'error');
  await approver.approveCampaign({ id, digest });
  const [, hanging] = devices;
  const hasHeard = () => hanging?.simulated.heard.includes(NTP);
  if (hanging)
    hanging.simulated.mood = {
      config: hanging.config,
      get delayMs() {
        return hasHeard() ? HANGS_MS : 0;
      },
    };
  await manager.startCampaign({ id });
  await until('the device has heard the line', async () => hasHeard() || undefined, 60);
  await kill(doomed);
  if (hanging) hanging.simulated.mood = { config: hanging.config };
  const heir = await startWorker();
  expect(await reached(id, 'stopped', 'complete', 'error')).toMatchObject({ status: 'stopped', wave: 1 });
  const { list } = await manager.listCampaignDevices({ id });
  expect(list[1]).toMatchObject({ status: 'failed' });
  expect(list.slice(2).map(({ status }) => status)).toEqual(['skipped', 'skipped']);
  expect(['applied', 'failed']).toContain(list[0]?.status);
  const changes = devices.map(
    ({ simulated }) => simulated.heard.filter((command) => command === 'configure terminal').length,
  );
  expect(changes.slice(1)).toEqual([1, 0, 0]);
  expect(changes[0]).toBeLessThanOrEqual(1);
  await kill(heir, 'SIGTERM');
}, 240_000);
