import { expect, test } from 'vitest';
import { cpuTime } from '../helpers/cpu-time.ts';
import { nameOf, openSources } from '../helpers/inventory/sources.ts';
import { isLong } from '../helpers/long.ts';

const { inventory, create, synced, host } = await openSources();

const INI = (name: string) => `[all:vars]
ansible_network_os=cisco.ios.ios
ansible_password=never-shown
[leafs]
${name}[01:03] ansible_host=192.0.2.21 site=berlin
[spines]
${name}-s1 ansible_host=192.0.2.31 ansible_port=2222 # the first
[dc:children]
leafs
spines
`;
const YAML = (name: string) => `all:
  vars: { ansible_network_os: cisco.ios.ios }
  children:
    dc:
      children:
        leafs: { hosts: { "${name}[01:03]": { ansible_host: 192.0.2.21, site: berlin } } }
        spines:
          hosts:
            ${name}-s1: { ansible_host: 192.0.2.31, ansible_port: 2222 }
`;
test.skipIf(!isLong).each([
  ['INI', INI],
  ['YAML', YAML],
])('an Ansible inventory in %s is read with its groups as tags', async (_, textOf) => {
  const name = nameOf('ans');
  const source = await create({ type: 'ansible', url: null, token: null, content: textOf(name) });
  expect(source.content).toBe('********');
  expect(await synced(source._id)).toMatchObject({ status: 'complete', new: 4, issues: [] });
  expect(await host(`${name}02`)).toMatchObject({
    host: '192.0.2.21',
    device_type: 'cisco_ios',
    site: 'berlin',
  });
  const spine = await host(`${name}-s1`);
  expect(spine.port).toBe(2222);
  expect([...(spine.tags ?? [])].sort()).toEqual(['dc', 'spines']);
  expect(JSON.stringify(spine)).not.toContain('never-shown');
});

test.skipIf(!isLong)('a short Ansible inventory of long ranges does not block other requests', async () => {
  const content = `${'a[1:10000]\n'.repeat(179)}b[2:1]`;
  const { _id } = await create({ type: 'ansible', url: null, token: null, content });
  let longest = 0;
  let last = { clock: performance.now(), cpu: cpuTime() };
  const watch = setInterval(() => {
    const now = { clock: performance.now(), cpu: cpuTime() };
    longest = Math.max(longest, Math.min(now.clock - last.clock, now.cpu - last.cpu));
    last = now;
  }, 5);
  const { error } = await inventory.previewSource({ id: _id });
  clearInterval(watch);
  expect(JSON.stringify(error)).toContain('invalid range');
  expect(longest).toBeLessThan(300);
});

test('a JSON document is read by its mapping', async () => {
  const name = nameOf('json');
  const content = JSON.stringify({
    data: { nodes: [{ id: name, mgmt: { ip: '192.0.2.7' }, kind: 'XR', r: 'A1' }] },
  });
  const mapping = {
    items: 'data.nodes',
    name: 'id',
    host: 'mgmt.ip',
    device_type: 'kind',
    platforms: { XR: 'cisco_xr' },
    custom: { rack: 'r' },
  };
  const source = await create({ type: 'json', url: null, token: null, content, mapping });
  expect(await synced(source._id)).toMatchObject({ status: 'complete', new: 1 });
  expect(await host(name)).toMatchObject({
    host: '192.0.2.7',
    device_type: 'cisco_xr',
    custom: { rack: 'A1' },
  });
});

test.skipIf(!isLong)(
  'devices whose names cannot be stored, and JSON beyond the limits, are issues of the source',
  async () => {
    const json = { type: 'json', url: null, token: null } as const;
    const content = JSON.stringify(
      ['a\0b', '\ud800', nameOf('kept')].map((name) => ({
        name,
        host: '192.0.2.7',
        device_type: 'cisco_ios',
      })),
    );
    const named = await inventory.previewSource({ id: (await create({ ...json, content }))._id });
    expect(named).toMatchObject({ new: [expect.stringContaining('kept')], error: null });
    expect(named.issues.map(({ message }) => message)).toEqual([
      'has control characters in its name',
      'has half of a surrogate pair in its name, which is not valid text',
    ]);
    for (const large of [`${'['.repeat(5000)}${']'.repeat(5000)}`, `[${'{},'.repeat(1_500_000)}1]`]) {
      const source = await create({ ...json, content: large });
      expect((await inventory.previewSource({ id: source._id })).error).toMatchObject({
        code: 'SOURCE_TOO_LARGE',
      });
    }
  },
);
