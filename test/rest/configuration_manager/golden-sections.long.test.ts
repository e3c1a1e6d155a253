import { expect, test } from 'vitest';
import type { TreeVersion } from '#db/schemas/golden-config/golden-tree.ts';
import { openFleet } from '../../helpers/devices/fleet.ts';
import { cliHost } from '../../helpers/gateway.ts';
import { isLong } from '../../helpers/long.ts';

const { backUp, done, run, service, tree } = await openFleet();

const MAIN = 'hostname {/.+/}\n<e/>ntp server 192.0.2.9\n';
const JUNOS = 'system {\n    <e/>ntp {\n        <e/>server {{ ntp }};\n    }\n}\n';
const EOS = '<e/>ntp server 192.0.2.9\n<e/>{d/}ip http server\n';
const DEVICES = { ios: 'cisco_ios', junos: 'juniper_junos', eos: 'arista_eos', nokia: 'nokia_sros' };

/** A tree with rules for three platforms, and a device of each and of one more; their names begin with `prefix`. */
async function fleetOf(prefix: string) {
  for (const [name, device_type] of Object.entries(DEVICES)) {
    const host = cliHost({ name: `${prefix}-${name}`, device_type });
    const answer = await service('admin', 'POST', '/automationgateway/inventory/cli', { host });
    expect(answer.status, answer.text).toBe(200);
  }
  const made = await tree(MAIN);
  const put = (data: object) =>
    service('admin', 'PUT', '/configuration_manager/node/config', {
      treeId: made.id,
      treeVersion: 'initial',
      nodePath: 'base',
      data: { template: MAIN, variables: { ntp: '192.0.2.9' }, ...data },
      updateVariables: true,
    });
  const sections = { 'juniper-junos': { template: JUNOS }, 'arista-eos': { template: EOS } };
  const answer = await put({ sections });
  expect(answer.status, answer.text).toBe(200);
  return { ...made, put, sections };
}

test('each device is checked with the rules for its platform, and a device of a platform without rules is not applicable', async () => {
  const { at, id } = await fleetOf('sec');
  const devices = Object.keys(DEVICES).map((name) => `sec-${name}`);
  const placed = await service('admin', 'POST', `/configuration_manager/configs/${id}/initial/base/devices`, {
    devices,
  });
  expect(placed.json).toMatchObject({
    warnings: [expect.stringContaining('sec-nokia is of the platform nokia-sros')],
  });
  await backUp({
    'sec-ios': 'hostname a\nntp server 192.0.2.9\n',
    'sec-junos': 'system {\n    ntp {\n        server 192.0.2.1;\n    }\n}\n',
    'sec-eos': 'hostname c\nip http server\n',
    'sec-nokia': 'configure\n',
  });
  const reports = Object.fromEntries((await run(at('base'))).map((one) => [one.deviceName, one]));
  expect(reports['sec-ios']).toMatchObject({ status: 'complete', deviceType: 'cisco-ios', evaluated: 2 });
  expect(reports['sec-junos']).toMatchObject({
    status: 'complete',
    deviceType: 'juniper-junos',
    totals: { errors: 1 },
  });
  expect(reports['sec-eos']).toMatchObject({
    status: 'complete',
    deviceType: 'arista-eos',
    totals: { errors: 2 },
  });
  expect(reports['sec-nokia']).toMatchObject({
    status: 'notApplicable',
    error:
      'device sec-nokia is of the platform nokia-sros, and the tree is for cisco-ios, arista-eos, juniper-junos',
    totals: { errors: 0, passes: 0 },
  });

  const coverage = await done<Record<string, { total: number; list: { deviceName: string }[] }>>(
    'GET',
    `/compliance_reports/coverage?treeId=${id}&version=initial`,
  );
  expect(coverage).toMatchObject({
    assigned: 4,
    unchecked: { total: 0 },
    notApplicable: { total: 1, list: [{ deviceName: 'sec-nokia', nodePath: 'base' }] },
  });

  const { rules, devices: checked } = await done<{
    devices: number;
    rules: { rule: string; section: string | null; devices: object; failing: string[] }[];
  }>('GET', `/compliance_reports/rules?treeId=${id}&limit=50`);
  expect(checked).toBe(3);
  const found = (rule: string, section: string | null) =>
    rules.find((one) => one.rule === rule && one.section === section);
  expect(found('ntp server 192.0.2.9', null)).toMatchObject({ devices: { pass: 1, fail: 0 } });
  expect(found('ntp server 192.0.2.9', 'arista-eos')).toMatchObject({
    devices: { pass: 0, fail: 1 },
    failing: ['sec-eos'],
  });

  const graded = await service('admin', 'POST', '/configuration_manager/compliance_reports/grade/single', {
    reportId: reports['sec-nokia']?.id,
  });
  expect(graded.status).toBe(422);
  const proposed = await done<{ data: { config: string }[] }>('POST', '/remediations', {
    options: { reportIds: [reports['sec-junos']?.id] },
  });
  expect(proposed.data[0]?.config).toContain('set system ntp server 192.0.2.9');
});

test.skipIf(!isLong)(
  'a device whose platform changes is no longer graded, and is graded again when it has rules',
  async () => {
    const { at, id, put, sections } = await fleetOf('chg');
    await done('POST', `/configs/${id}/initial/base/devices`, { devices: ['chg-ios', 'chg-nokia'] });
    await backUp({ 'chg-ios': 'hostname a\n', 'chg-nokia': 'hostname b\n' });
    const coverage = () =>
      done<{ grades: Record<string, number>; notApplicable: { total: number } }>(
        'GET',
        `/compliance_reports/coverage?treeId=${id}&version=initial`,
      );
    await run(at('base'));
    expect(await coverage()).toMatchObject({ notApplicable: { total: 1 } });
    await put({ sections: { ...sections, 'nokia-sros': { template: 'hostname b\n' } } });
    await run(at('base'));
    const after = await coverage();
    expect(after.notApplicable.total).toBe(0);
    expect(Object.values(after.grades).reduce((sum, count) => sum + count)).toBe(2);
    await put({ sections: {} });
    await run(at('base'));
    expect(await coverage()).toMatchObject({ notApplicable: { total: 1 } });
  },
);

test('a section whose variable has another value makes its node stale until the section is sent again', async () => {
  const { id, put, sections } = await fleetOf('old');
  const isStale = async () =>
    (await done<TreeVersion>('GET', `/configs/${id}/initial`)).root.staleLines === true;
  expect(await isStale()).toBe(false);
  const variables = { ntp: '192.0.2.77' };
  expect((await put({ variables })).status).toBe(200);
  expect(await isStale()).toBe(true);
  expect((await put({ variables, sections })).status).toBe(200);
  expect(await isStale()).toBe(false);
  const trees = [
    {
      data: (await done<{ data: object[] }>('POST', '/export/goldenconfigs', { treeId: id })).data,
      newName: 'Old sections',
    },
  ];
  const text = JSON.stringify(trees).replaceAll('"ntp":"192.0.2.77"', '"ntp":"192.0.2.78"');
  const imported = await done<{ data: { treeId: string }[] }>('POST', '/import/goldenconfigs', {
    trees: JSON.parse(text),
  });
  const again = await done<TreeVersion>('GET', `/configs/${imported.data[0]?.treeId}/initial`);
  expect(again.root.staleLines).toBe(true);
});

test('a section with a mistake is rejected with its place, and nothing is stored', async () => {
  const { id, put } = await fleetOf('bad');
  const before = await done<TreeVersion>('GET', `/configs/${id}/initial/base`);
  const issuesOf = async (sections: object) => {
    const answer = await put({ template: 'hostname other\n', sections });
    expect(answer.status, answer.text).toBe(400);
    return (answer.json as { issues: { path: unknown[]; line?: number }[] }).issues;
  };
  expect(await issuesOf({ toaster: { template: 'x\n' } })).toMatchObject([
    { path: ['data', 'sections', 'toaster'] },
  ]);
  expect(await issuesOf({ 'cisco-ios': { template: 'x\n' } })).toMatchObject([
    { path: ['data', 'sections', 'cisco-ios'] },
  ]);
  expect(await issuesOf({ 'arista-eos': { template: 'a\nb {{ nowhere }}\n' } })).toMatchObject([
    { path: ['data', 'sections', 'arista-eos', 'template'], line: 2 },
  ]);
  expect(await done('GET', `/configs/${id}/initial/base`)).toEqual(before);
});

test('an export has the sections, and an import of it stores the same; one with an unknown parser is rejected', async () => {
  const { id } = await fleetOf('exp');
  const exported = await done<{ data: TreeVersion[] }>('POST', '/export/goldenconfigs', {
    treeId: id,
  });
  const sections = exported.data[0]?.root.attributes?.export?.sections;
  expect(Object.keys(sections ?? {})).toEqual(['arista-eos', 'juniper-junos']);
  const trees = [{ data: exported.data, newName: 'Sections again' }];
  const imported = await done<{ data: { treeId: string }[] }>('POST', '/import/goldenconfigs', { trees });
  const again = await done<{ data: TreeVersion[] }>('POST', '/export/goldenconfigs', {
    treeId: imported.data[0]?.treeId,
  });
  expect(again.data[0]?.root.attributes?.export?.sections).toEqual(sections);
  const text = JSON.stringify(trees).replaceAll('juniper-junos', 'toaster-os');
  const rejected = await service('admin', 'POST', '/configuration_manager/import/goldenconfigs', {
    trees: JSON.parse(text),
  });
  expect(rejected.status).toBe(400);
  expect(rejected.json).toMatchObject({
    issues: [
      {
        path: ['trees', 0, 'data', 0, 'root', 'attributes', 'export', 'sections', 'toaster-os'],
        code: 'unknown_parser',
      },
    ],
  });
});
