import type { DeviceType } from '#db/schemas/network/gateway-host.ts';
import { suggestion } from '#server/kernel/validation/nearest-name.ts';
import { DRIVERS, PLATFORMS } from '#server/platforms/index.ts';

/**
 * The built-in device types by name (contract/lifecycle#12): netmiko names, each with the config parser for its
 * configurations.
 */
export const DEVICE_TYPES: readonly DeviceType[] = DRIVERS.map(
  ({ device_type, ostype = '', description = device_type }) => ({ device_type, ostype, description }),
).sort((a, b) => (a.device_type < b.device_type ? -1 : 1));

const byName = new Map(DEVICE_TYPES.map((one) => [one.device_type, one]));

/** Adds the device types of drivers that were added to this process, and those known only by their driver. */
export function learnDeviceTypes(drivers: readonly DeviceType[]): void {
  for (const { device_type, ostype, description } of drivers) {
    if (!byName.has(device_type)) byName.set(device_type, { device_type, ostype, description });
  }
}

/** Returns all kinds of device, by name. */
export const deviceTypes = (): DeviceType[] =>
  [...byName.values()].sort((a, b) => (a.device_type < b.device_type ? -1 : 1));

const byAlias = new Map(
  PLATFORMS.flatMap(({ deviceTypes = [] }) =>
    deviceTypes.flatMap(({ device_type, aliases = [] }) =>
      aliases.map((alias) => [alias, device_type] as const),
    ),
  ),
);

/** Returns the kind of device for its name, or for a name in another product; undefined for an unknown one. */
export function canonicalDeviceType(name: string): string | undefined {
  if (byName.has(name)) return name;
  const plain = name.trim().toLowerCase();
  // Ansible names a platform by collection and module: cisco.ios.ios.
  const [, collection, module] = /^(\w+\.\w+)\.(\w+)$/.exec(plain) ?? [];
  const names = [plain, collection, module].flatMap((one) => one?.replaceAll(/[-. ]/g, '_') ?? []);
  return names.map((one) => (byName.has(one) ? one : byAlias.get(one))).find((one) => one !== undefined);
}

/** Returns the device type for its name, or for a name in another product; undefined for an unknown one. */
export const deviceTypeOf = (name: string): DeviceType | undefined =>
  byName.get(canonicalDeviceType(name) ?? '');

/** Returns `; did you mean …?` for a misspelled kind of device, or nothing. */
export const deviceTypeSuggestion = (name: string): string =>
  suggestion(name, [...byName.keys(), ...byAlias.keys()]);
