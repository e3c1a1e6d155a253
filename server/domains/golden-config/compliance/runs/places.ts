import type { Node } from '#db/schemas/golden-config/golden-tree.ts';
import { isObject } from '#server/kernel/json/objects.ts';

/** Where devices are checked in a run, and what is laid over the variables there. */
export type TreeNodeTarget = {
  treeId: string;
  version: string;
  /** Names from the root down, joined by slashes. */
  nodePath: string;
  variables?: Record<string, unknown> | undefined;
};

/** A device of a run: everywhere that it is checked, so that its configuration is read once. */
export type Target = {
  device: string;
  /** Their numbers in the run. */
  places: number[];
  /** The backup to check; absent: the device's newest. */
  backup?: string | undefined;
  /** Names of its device groups, where rules ask for them. */
  groups?: readonly string[] | undefined;
};

/** A place of a run with the devices that it asks for. */
export type Placement = { place: TreeNodeTarget; devices: readonly string[] };

/** The devices of a run, each once, by name. */
export function targetsOf(placements: readonly Placement[]): Target[] {
  const placesOf = new Map<string, number[]>();
  for (const [at, { devices }] of placements.entries()) {
    for (const device of new Set(devices)) {
      const known = placesOf.get(device);
      if (known) known.push(at);
      else placesOf.set(device, [at]);
    }
  }
  return [...placesOf]
    .map(([device, places]) => ({ device, places }))
    .sort((a, b) => (a.device < b.device ? -1 : 1));
}

/** Reports that a run comes to. */
export const reportsIn = (targets: readonly Target[]): number =>
  targets.reduce((sum, { places }) => sum + places.length, 0);

/**
 * Devices at the nodes where they sit; those that sit on none of them at the first, the node that was asked for.
 *
 * @param sitting the devices of each node
 * @param wanted the devices to check; absent: all that sit there
 */
export function placedDevices(
  sitting: readonly (readonly string[])[],
  wanted: readonly string[] | undefined,
): string[][] {
  if (!wanted) return sitting.map((devices) => [...devices]);
  const asked = new Set(wanted);
  const placed = sitting.map((devices) => devices.filter((device) => asked.has(device)));
  const known = new Set(placed.flat());
  const [first = [], ...others] = placed;
  return [[...first, ...[...asked].filter((device) => !known.has(device))], ...others];
}

/**
 * The variables that hold at a node, from the widest to the narrowest: the tree's, those of the nodes on the way down,
 * those of the run, and what is known of the device (contract/engines#inheritance).
 *
 * @param line the nodes from the root down to the one at hand
 */
export const variablesAt = (
  tree: Readonly<Record<string, unknown>>,
  line: readonly Node[],
  run: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> =>
  Object.assign({}, tree, ...line.map(({ attributes }) => objectIn(attributes?.variables)), run);

const objectIn = (value: unknown): object => (isObject(value) ? value : {});
