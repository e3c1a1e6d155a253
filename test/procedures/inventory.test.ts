import { expect, test } from 'vitest';
import { cliHost } from '../helpers/gateway.ts';
import { issuePathsOf, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { automationgateway, configurationManager, inventory, authorization } = await service.as('admin');

const nameOf = (word: string) => unique(word).replace(' ', '-');
const create = async (more: object) =>
  (await automationgateway.createHost({ kind: 'cli', host: cliHost(more as never) as never })).data;
const selected = async (selection: object) =>
  (await inventory.listSelection({ selection, limit: 1000 } as never)).devices;

const [core1, core2, edge] = [nameOf('core'), nameOf('core'), nameOf('edge')].sort() as [
  string,
  string,
  string,
];
await create({ name: core1, tags: ['core', 'north'], site: 'berlin' });
await create({ name: core2, tags: ['core'], site: 'paris' });
await create({ name: edge, tags: ['edge'], site: 'berlin', device_type: 'juniper_junos' });

test.each([
  [{ names: [core1, edge] }, [core1, edge]],
  [{ pattern: 'CORE-*' }, [core1, core2]],
  [{ pattern: `${edge.slice(0, -1)}?` }, [edge]],
  [{ tags: ['north', 'edge'] }, [core1, edge]],
  [{ tags: ['core'], sites: ['paris'] }, [core2]],
  [{ platforms: ['Juniper_Junos'] }, [edge]],
  [{ sources: ['gateway'], sites: ['berlin'] }, [core1, edge]],
  [{ pattern: '*', exclude: ['core-*'] }, [edge]],
  [{ pattern: '*', exclude: [core1, edge] }, [core2]],
  [{ pattern: '*', exclude: { tags: ['core'] } }, [edge]],
  [{ tags: ['none'] }, []],
])('the selection %j returns the devices that match every field', async (selection, names) => {
  expect(await selected(selection)).toEqual(names);
});

test('a page has its devices and the total', async () => {
  const page = await inventory.listSelection({ selection: { pattern: '*' }, skip: 1, limit: 1 });
  expect(page).toEqual({ total: 3, devices: [core2] });
});

test.each([[{}], [{ exclude: ['x'] }], [{ tags: [] }], [{ colour: 'red' }], [{ groups: ['no such'] }]])(
  'the selection %j is rejected, and never means all devices',
  async (selection) => {
    const { code, issues } = await rejectionOf(inventory.listSelection({ selection } as never));
    expect(code).toBe('BAD_REQUEST');
    expect(issues[0]).toMatch(/^selection/);
  },
);

test('a group with a selection has the devices that match at each read', async () => {
  const groupName = unique('Dynamic');
  const made = await configurationManager.createDeviceGroup({ groupName, selection: { tags: ['core'] } });
  expect((await configurationManager.getDeviceGroup({ id: made.id })).devices).toEqual([core1, core2]);
  expect(await selected({ groups: [groupName], sites: ['berlin'] })).toEqual([core1]);
  const third = nameOf('core');
  await create({ name: third, tags: ['core'] });
  const { list } = await configurationManager.searchDeviceGroups({ query: { name: groupName } });
  expect(list[0]?.devices).toContain(third);
  expect(
    (await configurationManager.listGroupsOfDevice({ deviceName: third })).map(({ name }) => name),
  ).toEqual([groupName]);
  const adding = configurationManager.addGroupDevices({ id: made.id, devices: [edge] });
  expect((await rejectionOf(adding)).code).toBe('CONFLICT');
  await configurationManager.updateDeviceGroup({ id: made.id, details: { selection: null } });
  await automationgateway.deleteHost({ kind: 'cli', name: third });
  expect((await configurationManager.getDeviceGroup({ id: made.id })).devices).toContain(third);
});

test('a group cannot select by other groups, nor list and select at once', async () => {
  const groupName = unique('Bad');
  expect(
    await issuePathsOf(
      configurationManager.createDeviceGroup({ groupName, selection: { groups: ['Edge'] } }),
    ),
  ).toEqual(['selection.groups']);
  expect(
    await issuePathsOf(
      configurationManager.createDeviceGroup({
        groupName,
        deviceNames: [edge],
        selection: { tags: ['core'] },
      }),
    ),
  ).toEqual(['selection']);
});

test('a caller selects only devices that it may see', async () => {
  const hidden = nameOf('hidden');
  const group = await authorization.createGroup({
    group: { name: unique('Secret'), provenance: 'Local AAA' } as never,
  });
  const id = (group as { data: { _id: string } }).data._id;
  await create({ name: hidden, tags: ['secret'], gbac: { read: [id], write: [id] } });
  expect(await selected({ tags: ['secret'] })).toEqual([hidden]);
  const reader = await service.as('apiread');
  const selection = { tags: ['secret'] };
  expect(await reader.inventory.listSelection({ selection })).toEqual({ total: 0, devices: [] });
  const named = { tags: ['secret', 'core'], names: [hidden, core1] };
  expect((await reader.inventory.listSelection({ selection: named })).devices).toEqual([core1]);
});

test('the values of a field are those of devices that the caller may see, with the number of devices', async () => {
  const values = async (field: string, text = '', as = inventory) => {
    const { values: found } = await as.listSelectionValues({ field, text } as never);
    return found.map(({ value, devices }) => [value, devices]);
  };
  expect(await values('tags', 'NOR')).toEqual([['north', 1]]);
  expect(await values('tags', 'core')).toEqual([['core', 2]]);
  expect(await values('sites')).toEqual([
    ['berlin', 2],
    ['paris', 1],
  ]);
  expect(await values('sites', 'r')).toEqual([
    ['berlin', 2],
    ['paris', 1],
  ]);
  expect(await values('platforms', 'juniper')).toEqual([
    ['juniper-junos', 1],
    ['juniper_junos', 1],
  ]);
  expect(await values('sources', 'gate')).toEqual([['gateway', 4]]);
  expect(await values('tags', '%')).toEqual([]);
  // A name that begins with the text precedes one of more devices that contains it.
  const names = [nameOf('zone'), nameOf('a zone')];
  for (const groupName of names)
    await configurationManager.createDeviceGroup({ groupName, deviceNames: [core1] });
  expect((await values('groups', 'ZONE')).map(([name]) => name)).toEqual(names);
  const dynamic = unique('Picked');
  await configurationManager.createDeviceGroup({ groupName: dynamic, selection: { tags: ['core'] } });
  expect(await values('groups', dynamic)).toEqual([[dynamic, null]]);
  // The tag of a device that a reader may not see is no value for it.
  const reader = await service.as('apiread');
  expect(await values('tags', 'secret')).toEqual([['secret', 1]]);
  expect(await values('tags', 'secret', reader.inventory)).toEqual([]);
  expect((await rejectionOf(inventory.listSelectionValues({ field: 'passwords' } as never))).code).toBe(
    'BAD_REQUEST',
  );
});

test('readers of configurations may list a selection', async () => {
  const roles = await rolesThatMay(service, (as) =>
    as.inventory.listSelection({ selection: { pattern: '*' } }),
  );
  expect(roles).toContain('apiread');
  expect(roles).toContain('admin');
});

test('a change of custom fields keeps the others, and null removes one', async () => {
  const name = nameOf('custom');
  await create({ name, custom: { rack: 'A-12', owner: 'ops', spare: null } });
  const { data } = await automationgateway.updateHost({
    kind: 'cli',
    name,
    updates: { custom: { rack: null, floor: 3 } },
  });
  expect(data.custom).toEqual({ owner: 'ops', spare: null, floor: 3 });
});
