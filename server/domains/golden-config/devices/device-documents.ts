import type { DeviceGroup } from '#db/schemas/network/device.ts';
import { type NewDocumentOptions, wholeGbac } from '#server/kernel/documents/new-document.ts';

/**
 * Names of devices as clients give them: a list, or one text with commas (contract/lifecycle#4.2). Blanks around a name,
 * empty ones, and repeated ones mean nothing.
 */
export function deviceNames(given: string | readonly string[]): string[] {
  const names = typeof given === 'string' ? given.split(',') : given;
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))];
}

/** A new device group, open to everyone with the role. */
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
