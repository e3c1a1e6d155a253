import { afterAll, expect, test } from 'vitest';
import { liveDevices } from '../../helpers/devices/live-devices.ts';
import { unique } from '../../helpers/procedures.ts';
import { until } from '../../helpers/processes/processes.ts';
import { kill, openProcesses } from '../../helpers/processes/started.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const { configurationManager: manager } = await service.as('admin');
const { configurationManager: writer } = await service.as('apiwrite');
const { configurationManager: approver } = await service.as('engineering');
const processes = openProcesses('jobs-process');
afterAll(processes.end);

const done = async (method: string, path: string, body?: unknown) => {
  const answer = await service.send('admin', method, path, body);
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.json;
};
const device = liveDevices(done, service.platform.cli);
const startWorker = () => processes.start(JSON.stringify(service.connection), service.key.toString('hex'));
// The devices of this test have the address of this machine.
process.env.ALLOW_PRIVATE_TARGETS = '1';

const NTP = 'ntp server 192.0.2.9';
const HANGS_MS = 600_000;

test('a device that a killed process was changing has failed, none is changed twice, and the stop rule counts it', async () => {
  const doomed = await startWorker();
  const { id: treeId } = await manager.createTree({ name: unique('Edge'), deviceType: 'cisco-ios' });
  const base = { treeId, version: 'initial', nodePath: 'base' };
  const data = { template: `hostname edge-r1\n<e/>${NTP}\n`, variables: {} };
  await manager.setNodeConfig({
    treeId,
    treeVersion: 'initial',
    nodePath: 'base',
    data,
    updateVariables: true,
  } as never);
  const devices = [];
  for (let n = 0; n < 4; n += 1) devices.push(await device(['hostname edge-r1']));
  const names = devices.map(({ name }) => name);
  for (const name of names) await manager.backUpDevice({ name } as never);
  await manager.addNodeDevices({ ...base, devices: names } as never);
  const { batchId } = await manager.runCompliance({ options: base } as never);
  await until(
    'the end of the batch',
    async () => ((await manager.getBatchStatus({ batchId })).status === 'running' ? undefined : true),
    60,
  );
  const { id } = await writer.createCampaign({ name: 'Killed', treeId, selection: { names }, waves: [2] });
  const reached = (...statuses: string[]) =>
    until(
      `a campaign that is ${statuses.join(' or ')}`,
      async () => {
        const campaign = await manager.getCampaign({ id });
        return statuses.includes(campaign.status) ? campaign : undefined;
      },
      90,
    );
  const { digest } = await reached('review', 'error');
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
  expect(await reached('stopped', 'complete', 'error')).toMatchObject({ status: 'stopped', wave: 1 });
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
