import { expect, test } from 'vitest';
import type { Node } from '#db/schemas/golden-config/golden-tree.ts';
import {
  assignedElsewhere,
  withDeviceGroups,
  withDevices,
  withoutDeviceGroups,
  withoutDevices,
} from '#server/domains/golden-config/trees/node-devices.ts';
import { cpuTime } from '../../helpers/cpu-time.ts';

const root: Node = {
  name: 'base',
  attributes: { devices: ['core-1'] },
  children: [{ name: 'access', attributes: { devices: ['edge-1', 'edge-2'] } }, { name: 'bare' }],
};

test('a device is held elsewhere when another node has it, not when the node itself does', () => {
  expect(assignedElsewhere(root, 'base', ['edge-2', 'core-1', 'new-1'])).toEqual([
    { device: 'edge-2', path: 'base/access' },
  ]);
  expect(assignedElsewhere(root, 'base/access', ['edge-2'])).toEqual([]);
});

test('devices are added once, in their order, and taken off', () => {
  const more = withDevices(root, ['edge-9', 'core-1', 'edge-9']);
  expect(more.attributes?.devices).toEqual(['core-1', 'edge-9']);
  expect(withoutDevices(more, ['core-1', 'nobody']).attributes?.devices).toEqual(['edge-9']);
  expect(withDevices({ name: 'bare' }, ['x']).attributes?.devices).toEqual(['x']);
  expect(withoutDevices({ name: 'bare' }, ['x']).attributes?.devices).toEqual([]);
});

test('a device group keeps the date on which it was put there', () => {
  const first = withDeviceGroups({ name: 'bare' }, ['g1'], '2026-01-01T00:00:00.000Z');
  const both = withDeviceGroups(first, ['g1', 'g2', 'g2'], '2026-02-02T00:00:00.000Z');
  expect(both.attributes?.deviceGroups).toEqual([
    { id: 'g1', date: '2026-01-01T00:00:00.000Z' },
    { id: 'g2', date: '2026-02-02T00:00:00.000Z' },
  ]);
  expect(withoutDeviceGroups(both, ['g1']).attributes?.deviceGroups).toEqual([
    { id: 'g2', date: '2026-02-02T00:00:00.000Z' },
  ]);
  expect(withoutDeviceGroups({ name: 'bare' }, ['g1']).attributes?.deviceGroups).toEqual([]);
});

test('many devices and groups are taken off, and added, in a time that grows with their number', () => {
  const names = (start: string) => Array.from({ length: 50_000 }, (_, at) => `${start}${at}`);
  const date = '2026-01-01T00:00:00.000Z';
  const devices = withDevices({ name: 'bare' }, names('edge-'));
  const groups = withDeviceGroups({ name: 'bare' }, names('g'), date);
  const begun = cpuTime();
  expect(withoutDevices(devices, names('core-')).attributes?.devices).toHaveLength(50_000);
  expect(withoutDeviceGroups(groups, names('h')).attributes?.deviceGroups).toHaveLength(50_000);
  expect(withDeviceGroups(groups, names('h'), date).attributes?.deviceGroups).toHaveLength(100_000);
  // compared one by one, each of these took some seconds, in which nobody else was answered
  expect(cpuTime() - begun).toBeLessThan(1500);
});
