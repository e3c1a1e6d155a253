import { expect, test } from 'vitest';
import { dialectOf } from '#server/domains/golden-config/parsing/dialect.ts';
import { DEVICE_TYPES, deviceTypeOf } from '#server/domains/network/inventory/device-types.ts';

test('every kind of device names a built-in parser, or none', () => {
  for (const { device_type, ostype } of DEVICE_TYPES) {
    if (ostype === '') continue;
    expect(dialectOf(ostype)?.name, device_type).toBe(ostype);
  }
});

test('where the parsers know a kind of device under another name, it is the same parser', () => {
  for (const { device_type, ostype } of DEVICE_TYPES) {
    const known = dialectOf(device_type)?.name;
    if (known !== undefined) expect(ostype, device_type).toBe(known);
  }
});

test('the names of device types are sorted and unique', () => {
  const names = DEVICE_TYPES.map(({ device_type }) => device_type);
  expect(names).toEqual([...new Set(names)].sort());
  expect(deviceTypeOf('cisco_ios')?.ostype).toBe('cisco-ios');
  expect(deviceTypeOf('toString')).toBeUndefined();
});

test('the parsers of every platform that devices are known to have can be reached', () => {
  const reached = new Set(DEVICE_TYPES.map(({ ostype }) => ostype));
  for (const parser of [
    'cisco-ios',
    'cisco-ios-xr',
    'cisco-nx',
    'cisco-asa',
    'cisco-staros',
    'arista-eos',
    'juniper-junos',
    'f5-bigip',
    'a10-acos',
    'alu-sr',
    'paloalto-panos',
  ]) {
    expect(reached).toContain(parser);
  }
});
