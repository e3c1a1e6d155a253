import { expect, test } from 'vitest';
import { hostsOf } from '#server/domains/network/sources/source-record.ts';

const json = (mapping: object, ...records: object[]) => hostsOf({ type: 'json', mapping }, records);
const device = { name: 'edge-1', host: '192.0.2.1', device_type: 'cisco_ios' };

test('a path of a mapping leads into lists by position', () => {
  const record = {
    ...device,
    host: undefined,
    interfaces: [{ address: '192.0.2.8/24' }, { address: '::1' }],
  };
  const { hosts } = json({ host: 'interfaces.0.address' }, record);
  expect(hosts).toMatchObject([{ name: 'edge-1', host: '192.0.2.8' }]);
  expect(json({ host: 'interfaces.7.address' }, record).issues).toMatchObject([{ field: 'host' }]);
  expect(json({ host: 'interfaces.length' }, record).issues).toMatchObject([{ field: 'host' }]);
});

test.each([
  ['core, north;core|', ['core', 'north']],
  [
    ['north', { slug: 'core' }, { name: 'Spare' }, 7],
    ['Spare', 'core', 'north'],
  ],
  [null, []],
])('tags are read from a text and from a list: %j', (tags, expected) => {
  expect(json({}, { ...device, tags }).hosts[0]?.tags).toEqual(expected);
});

test.each([0, 65_536, '22.5', 'ssh'])(
  'a port of %j is an issue of its device, which is not imported',
  (port) => {
    const { hosts, names, issues } = json(
      {},
      { ...device, port },
      { ...device, name: 'edge-2', port: '2022' },
    );
    expect(issues).toEqual([{ name: 'edge-1', field: 'port', message: 'must be a number from 1 to 65535' }]);
    expect(hosts).toMatchObject([{ name: 'edge-2', port: 2022 }]);
    // It is still a device of the source: it has not gone.
    expect(names).toEqual(['edge-1', 'edge-2']);
  },
);
