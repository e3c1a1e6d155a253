import type { DeviceType } from '#db/schemas/network/gateway-host.ts';
import { suggestion } from '#server/kernel/validation/nearest-name.ts';
import { DRIVERS, PLATFORMS } from '#server/platforms/index.ts';

/**
 * The device types that come with the product (contract/lifecycle#12): the names that netmiko has for them, each with the config
 * parser that reads its configurations. By name.
 */
export const DEVICE_TYPES: readonly DeviceType[] = DRIVERS.map(
  ({ device_type, ostype = '', description = device_type }) => ({ device_type, ostype, description }),
).sort((a, b) => (a.device_type < b.device_type ? -1 : 1));

const byName = new Map(DEVICE_TYPES.map((one) => [one.device_type, one]));

/** Make known what drivers were added to this process at its start, or are known by their driver alone. */
export function learnDeviceTypes(drivers: readonly DeviceType[]): void {
  for (const { device_type, ostype, description } of drivers) {
    if (!byName.has(device_type)) byName.set(device_type, { device_type, ostype, description });
  }
}

/** Every kind of device, by name. */
export const deviceTypes = (): DeviceType[] =>
  [...byName.values()].sort((a, b) => (a.device_type < b.device_type ? -1 : 1));

const byAlias = new Map(
  PLATFORMS.flatMap(({ deviceTypes = [] }) =>
    deviceTypes.flatMap(({ device_type, aliases = [] }) =>
      aliases.map((alias) => [alias, device_type] as const),
    ),
  ),
);

/** Returns the name of a kind of device under any of the names that other products have for it; undefined for none. */
export function canonicalDeviceType(name: string): string | undefined {
  if (byName.has(name)) return name;
  const plain = name.trim().toLowerCase();
  // Ansible names a platform by collection and module: cisco.ios.ios.
  const [, collection, module] = /^(\w+\.\w+)\.(\w+)$/.exec(plain) ?? [];
  const names = [plain, collection, module].flatMap((one) => one?.replaceAll(/[-. ]/g, '_') ?? []);
  return names.map((one) => (byName.has(one) ? one : byAlias.get(one))).find((one) => one !== undefined);
}

/** The kind of device of this name, or of one that other products have for it; undefined when there is none. */
export const deviceTypeOf = (name: string): DeviceType | undefined =>
  byName.get(canonicalDeviceType(name) ?? '');

/** Returns `; did you mean …?` for a misspelled kind of device, or nothing. */
export const deviceTypeSuggestion = (name: string): string =>
  suggestion(name, [...byName.keys(), ...byAlias.keys()]);
