import type { Node } from '#db/schemas/golden-config/golden-tree.ts';
import { walk } from './tree-nodes.ts';

/** A device that is already assigned to another node of the version. */
export type AssignedDevice = { device: string; path: string };

/**
 * Returns those of the devices that are assigned to a node other than the one at `path` (contract/lifecycle#4.5: a device
 * has one node per version).
 */
export function assignedElsewhere(root: Node, path: string, devices: readonly string[]): AssignedDevice[] {
  const wanted = new Set(devices);
  return [...walk(root)]
    .filter((placed) => placed.path !== path)
    .flatMap(({ node, path: at }) =>
      (node.attributes?.devices ?? [])
        .filter((device) => wanted.has(device))
        .map((device) => ({ device, path: at })),
    );
}

/** Returns the node with these devices added; existing devices keep their position. */
export const withDevices = (node: Node, devices: readonly string[]): Node =>
  withAttributes(node, { devices: [...new Set([...(node.attributes?.devices ?? []), ...devices])] });

/** Returns the node without these devices. */
export function withoutDevices(node: Node, devices: readonly string[]): Node {
  const gone = new Set(devices);
  return withAttributes(node, {
    devices: (node.attributes?.devices ?? []).filter((device) => !gone.has(device)),
  });
}

/**
 * Returns the node with these device groups added; existing groups keep their date.
 *
 * @param date ISO 8601, when the new ones were added
 */
export function withDeviceGroups(node: Node, groups: readonly string[], date: string): Node {
  const there = node.attributes?.deviceGroups ?? [];
  const known = new Set(there.map(({ id }) => id));
  const fresh = [...new Set(groups)].filter((id) => !known.has(id));
  return withAttributes(node, { deviceGroups: [...there, ...fresh.map((id) => ({ id, date }))] });
}

/** Returns the node without these device groups. */
export function withoutDeviceGroups(node: Node, groups: readonly string[]): Node {
  const gone = new Set(groups);
  return withAttributes(node, {
    deviceGroups: (node.attributes?.deviceGroups ?? []).filter(({ id }) => !gone.has(id ?? '')),
  });
}

/** Returns the node with some of its attributes replaced. */
export const withAttributes = (node: Node, attributes: NonNullable<Node['attributes']>): Node => ({
  ...node,
  attributes: { ...node.attributes, ...attributes },
});
