import { expect, test } from 'vitest';
import type { Report } from '#db/schemas/golden-config/compliance-report.ts';
import type { NodeDetail, TreeVersion } from '#db/schemas/golden-config/golden-tree.ts';
import { openFleet } from '../../helpers/devices/fleet.ts';

const { backUp, done, run, send } = await openFleet();
let counter = 0;

const issuesIn = ({ json }: { json: unknown }) =>
  (json as { issues: { path: (string | number)[]; message: string }[] }).issues;

type Set = Record<string, unknown>;

async function jsonTree(config: unknown, ruleSet: Set | undefined, variables: Record<string, unknown> = {}) {
  const { id } = await done<TreeVersion>('POST', '/configs', {
    name: `Json ${counter++}`,
    deviceType: 'json',
  });
  const set = (nodePath: string, template: unknown, rules: Set | undefined) =>
    done<{ warnings: { message: string }[] }>('PUT', '/node/config', {
      treeId: id,
      treeVersion: 'initial',
      nodePath,
      data: {
        template: typeof template === 'string' ? template : JSON.stringify(template, null, 2),
        variables,
        ...(rules && { ruleSet: rules }),
      },
      updateVariables: true,
    });
  const { warnings } = await set('base', config, ruleSet);
  const check = (configuration: unknown, nodePath = 'base') =>
    done<Report>('POST', '/compliance_reports/config', {
      options: {
        treeId: id,
        version: 'initial',
        nodePath,
        deviceName: 'cloud',
        configuration: typeof configuration === 'string' ? configuration : JSON.stringify(configuration),
      },
    });
  return { id, set, check, warnings };
}

const said = ({ issues }: Report) =>
  issues.map(({ severity, message, parents }) => [severity, message, parents]);

const GROUPS = {
  groups: [
    { id: 'sg-1', name: 'web', ports: [80, 443], rules: [{ from: '192.0.2.0/24', allow: true }] },
    { id: 'sg-2', name: 'db', ports: [5432] },
  ],
};

test('items are distinguished by the field that identifies them, at any depth', async () => {
  const { check } = await jsonTree(GROUPS, { arrayIdentity: { '$.groups': 'id' } });
  const [web, db] = GROUPS.groups;
  const same = await check({ other: 1, groups: [{ id: 'sg-3' }, db, web] });
  expect([same.status, said(same), same.totals.passes]).toEqual(['complete', [], 16]);
  const swapped = await check({
    groups: [
      { ...web, name: 'db' },
      { ...db, name: 'web' },
    ],
  });
  expect(said(swapped)).toEqual([
    ['warning', 'Required line is missing: "name" "web"', ['"groups"', '["id" "sg-1"]']],
    ['warning', 'Required line is missing: "name" "db"', ['"groups"', '["id" "sg-2"]']],
  ]);
});

test('without an identity an object of an array is known by its place, a value by itself', async () => {
  const { check } = await jsonTree({ hosts: [{ a: 1 }], list: ['x', 'y'] }, {});
  expect(said(await check({ hosts: [{ a: 1 }, { a: 2 }], list: ['y', 'z', 'x'] }))).toEqual([]);
  expect(said(await check({ hosts: [{ b: 1 }, { a: 1 }], list: ['y'] }))).toEqual([
    ['warning', 'Required line is missing: "a" 1', ['"hosts"', '[0]']],
    ['warning', 'Required line is missing: "x"', ['"list"']],
  ]);
});

test('a severity also applies below its path, a mode only at its path, and the longest path wins', async () => {
  const { check, warnings } = await jsonTree(
    { tls: { min: '1.2', ciphers: 'strong', debug: true }, banner: 'hello', seen: 5 },
    {
      severity: { error: ['$.tls'], info: ['tls.ciphers', '$.banner'] },
      evalMode: { disallowed: ["$['tls'].debug"], ignored: ['$.seen'], optional: ['$.banner', '$.gone'] },
    },
  );
  expect(warnings.map(({ message }) => message)).toEqual([
    'the rule set names $.gone, which the template does not have (line 1)',
  ]);
  expect(said(await check({ tls: { min: '1.0', debug: true } }))).toEqual([
    ['error', 'Required line is missing: "min" "1.2"', ['"tls"']],
    ['info', 'Required line is missing: "ciphers" "strong"', ['"tls"']],
    ['error', 'Disallowed line is present: "debug" true', ['"tls"']],
  ]);
});

test('keys may have to exist, or must not, with any value; names of fields may vary', async () => {
  const { check } = await jsonTree(
    { vlans: { any: { name: '{/.+/}', mtu: 1500 } } },
    {
      dynamicKeys: ['$.vlans'],
      keysExist: [
        { path: '$.vlans.*', required: ['owner'], disallowed: ['shutdown'], severity: 'error' },
        { path: '$.system', required: ['clock'] },
      ],
    },
  );
  const fine = { name: 'users', mtu: 1500, owner: { team: 'net' } };
  expect(said(await check({ vlans: { 10: fine, 20: fine } }))).toEqual([]);
  const report = await check({
    system: {},
    vlans: { 10: fine, 20: { name: '', mtu: 9000, shutdown: true } },
  });
  expect(report.issues.map(({ severity, type, parents }) => [severity, type, parents])).toEqual([
    ['warning', 'required', ['"vlans"', '"20"']],
    ['warning', 'required', ['"vlans"', '"20"']],
    ['error', 'required', ['"vlans"', '"20"']],
    ['error', 'disallowed', ['"vlans"', '"20"']],
    ['warning', 'required', ['"system"']],
  ]);
});

test('values may be variables and expressions, child nodes override modes and severities, and a run over backups is graded', async () => {
  const { id, set, check } = await jsonTree(
    '{"region": "{{ region }}", "id": "{/sg-[0-9]+/}", "groups": [{"id": "{/a|b/}", "open": false}]}',
    { arrayIdentity: { '$.groups': 'id' } },
    { region: 'north' },
  );
  await done('POST', `/configs/${id}/initial/base`, { name: 'site' });
  await set(
    'base/site',
    { region: 'north', groups: [{ id: 'a', open: true }] },
    {
      evalMode: { disallowed: ['$.groups[0].open'] },
      severity: { error: ['$.region'] },
    },
  );
  const text = {
    region: 'south',
    id: 'sg-12',
    groups: [
      { id: 'b', open: false },
      { open: true, id: 'a' },
    ],
  };
  expect(said(await check(text))).toEqual([
    ['warning', 'Required line is missing: "region" "north"', []],
    ['warning', 'Required line is missing: "open" false', ['"groups"', '["id" "a"]']],
  ]);
  expect(said(await check(text, 'base/site'))).toEqual([
    ['error', 'Required line is missing: "region" "north"', []],
    ['warning', 'Required line is missing: "open" false', ['"groups"', '["id" "a"]']],
    ['warning', 'Disallowed line is present: "open" true', ['"groups"', '["id" "a"]']],
  ]);
  await done('POST', `/configs/${id}/initial/base/site/devices`, { devices: ['cloud-1'] });
  await backUp({ 'cloud-1': JSON.stringify(text) });
  const [report] = await run({ treeId: id, version: 'initial', nodePath: 'base/site' });
  expect(report).toMatchObject({ status: 'complete', totals: { errors: 1, warnings: 2, infos: 0 } });
});

test('a rule set is exported with its tree; one that cannot be parsed makes reports that name it', async () => {
  const ruleSet = { arrayIdentity: { '$.groups': 'id' } };
  const { id } = await jsonTree(GROUPS, ruleSet);
  const { data } = await done<{ data: Record<string, unknown>[] }>('POST', '/export/goldenconfigs', {
    treeId: id,
  });
  const bring = async (trees: unknown[]) => {
    const answer = await done<{ data: { treeId: string }[] }>('POST', '/import/goldenconfigs', {
      trees: [{ data: trees }],
    });
    return answer.data[0]?.treeId ?? '';
  };
  const copy = await bring(data);
  const { spec } = await done<NodeDetail>('GET', `/configs/${copy}/initial/base`);
  expect(spec).toMatchObject({ ruleSet });
  const odd = await bring(JSON.parse(JSON.stringify(data).replace('"$.groups"', '"groups["')) as unknown[]);
  const report = await done<Report>('POST', '/compliance_reports/config', {
    options: { treeId: odd, version: 'initial', nodePath: 'base', deviceName: 'x', configuration: '{}' },
  });
  expect([report.status, report.error]).toEqual(['error', expect.stringContaining('groups[ is not a path')]);
});

test('mistakes in a rule set, or its template, are rejected by their place', async () => {
  const { id } = await jsonTree({}, undefined);
  const put = (template: string, ruleSet: unknown, treeId = id) =>
    send('PUT', '/node/config', {
      treeId,
      treeVersion: 'initial',
      nodePath: 'base',
      data: { template, variables: {}, ruleSet },
      updateVariables: false,
    });
  const paths = await put('{}', { severity: { error: ['$.a', '$..b['] }, dynamicKeys: 3 });
  expect([paths.status, issuesIn(paths).map(({ path }) => path.join('.'))]).toEqual([
    400,
    ['data.ruleSet.severity.error.1', 'data.ruleSet.dynamicKeys'],
  ]);
  const broken = await put('{"a": 1', {});
  expect([broken.status, issuesIn(broken)[0]]).toMatchObject([400, { path: ['data', 'template'], line: 1 }]);
  const expression = await put('{\n "a": "{/(?=x)/}"}', {});
  expect([expression.status, issuesIn(expression)[0]]).toMatchObject([
    400,
    { path: ['data', 'template'], line: 2, message: expect.stringContaining('look-arounds') },
  ]);
  const { id: ios } = await done<TreeVersion>('POST', '/configs', {
    name: 'No json',
    deviceType: 'cisco-ios',
  });
  const marked = await put('hostname x', {}, ios);
  expect([marked.status, issuesIn(marked)[0]?.message]).toEqual([
    400,
    'is for JSON only: cisco-ios uses marks instead',
  ]);
});
