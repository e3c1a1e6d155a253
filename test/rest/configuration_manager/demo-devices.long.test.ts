import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import type { Remediation } from '#db/schemas/golden-config/remediation.ts';
import type { Role } from '#server/kernel/roles.ts';
import { openService } from '../../helpers/service.ts';
import { configuredDevice } from '../../lab/devices/configured-device.ts';
import { ACCOUNT, type Device, openDevice } from '../../lab/devices/simulator.ts';
import { GOLDEN_RULES, NTP_SERVER } from '../../lab/golden-rules.ts';
import { DEVICE_TYPES, nameOf } from '../../lab/world.ts';

const service = await openService({}, { works: true });
const PATH = '/configuration_manager';
const done = async <Body>(
  method: string,
  path: string,
  body?: unknown,
  as: Role = 'admin',
): Promise<Body> => {
  const answer = await service.send(as, method, path, body);
  if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
  return answer.json as Body;
};

const devices: Device[] = [];
afterAll(async () => {
  await service.platform.cli.close();
  await Promise.all(devices.map((device) => device.close()));
});

/** A device of the demo in the inventory of the service. */
async function addDevice(device_type: string) {
  const name = nameOf(device_type);
  const configured = configuredDevice(device_type, name);
  const simulated = await openDevice(configured.script, { configured });
  devices.push(simulated);
  await done('POST', '/automationgateway/inventory/cli/import', {
    hosts: [
      {
        name,
        host: '127.0.0.1',
        port: simulated.port,
        device_type,
        username: ACCOUNT.username,
        password: ACCOUNT.password,
        enablePassword: ACCOUNT.enable,
      },
    ],
    options: { overwrite: true },
  });
  return { name, configured, simulated };
}

/** A golden tree for a kind of device with the device on it. @returns its id */
async function addTree(device_type: string, name: string): Promise<string> {
  const rules = GOLDEN_RULES.find((one) => one.device_type === device_type);
  if (!rules) throw new Error(`no rules for ${device_type}`);
  const { id } = await done<{ id: string }>('POST', `${PATH}/configs`, {
    name: `Tree of ${name}`,
    deviceType: rules.ostype,
  });
  await done('PUT', `${PATH}/node/config`, {
    treeId: id,
    treeVersion: 'initial',
    nodePath: 'base',
    updateVariables: true,
    data: { template: rules.template, variables: { ntp: NTP_SERVER } },
  });
  await done('POST', `${PATH}/configs/${id}/initial/base/devices`, { devices: [name] });
  return id;
}

type Report = { id: string; status: string; error?: string; totals: { errors: number; warnings: number } };

/** The report of a run over the device of a tree. */
async function check(treeId: string): Promise<Report> {
  const { batchId } = await done<{ batchId: string }>('POST', `${PATH}/compliance_reports`, {
    options: { treeId, version: 'initial', nodePath: 'base' },
  });
  const batch = `${PATH}/compliance_reports/batch/${batchId}`;
  while ((await done<{ status: string }>('GET', `${batch}/status`)).status === 'running') await sleep(50);
  const [report] = await done<Report[]>('GET', batch);
  if (report?.status !== 'complete') throw new Error(JSON.stringify(report));
  return report;
}

test.each(DEVICE_TYPES)(
  'the configuration of a %s device of the demo is read and backed up',
  async (type) => {
    const { name, configured } = await addDevice(type);
    const { config } = await done<{ config: string }>('GET', `${PATH}/devices/${name}/configuration`);
    const printed = configured.running().join('\n');
    expect(config.split('\n').length).toBeGreaterThan(40);
    expect(config).toContain(printed);
    const { id } = await done<{ id: string }>('POST', `${PATH}/devices/backups`, { name });
    expect(await done('GET', `${PATH}/backups/${id}`)).toMatchObject({ name, rawConfig: config });
  },
);

test.each(DEVICE_TYPES)(
  'a %s device of the demo is checked, fixed over SSH and checked again',
  async (type) => {
    const { name, configured } = await addDevice(type);
    const treeId = await addTree(type, name);
    await done('POST', `${PATH}/devices/backups`, { name });
    const before = await check(treeId);
    expect(before.totals.errors + before.totals.warnings).toBeGreaterThan(0);

    const { data } = await done<{ data: Remediation[] }>(
      'POST',
      `${PATH}/remediations`,
      { options: { reportIds: [before.id], removeDisallowed: true } },
      'apiwrite',
    );
    const [{ id, configSha256, risk, predicted, config, manual }] = data as [Remediation];
    expect({ risk, manual, predicted: predicted.totals }, config).toMatchObject({
      risk: '',
      manual: [],
      predicted: { errors: 0, warnings: 0 },
    });
    expect(await done('GET', `${PATH}/remediations/${id}/preview`)).toMatchObject({ comparedWith: 'device' });
    const approval = { configSha256, comment: 'as in the golden configuration' };
    await done('POST', `${PATH}/remediations/${id}/approve`, approval, 'engineering');
    const unchanged = configured.running();
    const { message } = await done<{ message: string }>('POST', `${PATH}/remediations/${id}/apply`, {
      configSha256,
    });
    const lines = config.split('\n').filter((line) => line.trim() !== '').length;
    expect(message).toMatch(lines === 1 ? /^Pushed 1 line to / : /^Pushed \d+ lines to /);
    expect(configured.running()).not.toEqual(unchanged);

    const applied = await done<Remediation>('GET', `${PATH}/remediations/${id}`);
    expect(applied, configured.running().join('\n')).toMatchObject({
      status: 'applied',
      result: { verified: true },
    });
    expect((await check(treeId)).totals).toMatchObject({ errors: 0, warnings: 0 });
  },
);
