import type { DeviceGroup } from '#db/schemas/network/device.ts';
import { type NewDocumentOptions, wholeGbac } from '#server/kernel/documents/new-document.ts';

/**
 * Returns device names as clients send them: a list, or one comma-separated text (contract/lifecycle#4.2). Surrounding
 * whitespace, empty names and repetitions are removed.
 */
export function deviceNames(given: string | readonly string[]): string[] {
  const names = typeof given === 'string' ? given.split(',') : given;
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))];
}

/** Returns a new device group, open to everyone with the role. */
export function newGroup(
  { name, description, devices }: Pick<DeviceGroup, 'name' | 'devices'> & { description: string },
  { account, now, newId }: NewDocumentOptions,
): DeviceGroup & { created: string; updated: string } {
  const id = newId();
  const stamp = now.toISOString();
  return {
    id,
    _id: id,
    name,
    description,
    devices,
    gbac: wholeGbac(undefined),
    created: stamp,
    createdBy: account,
    updated: stamp,
    lastUpdatedBy: account,
  };
}
