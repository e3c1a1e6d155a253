import type { Node } from '#db/schemas/golden-config/golden-tree.ts';
import { isObject } from '#server/kernel/json/objects.ts';

/** A tree node that a run checks devices against, and the variables that override those of the tree there. */
export type TreeNodeTarget = {
  treeId: string;
  version: string;
  /** Names from the root down, joined by slashes. */
  nodePath: string;
  variables?: Record<string, unknown> | undefined;
};

/** A device of a run, with all its tree nodes, so that its configuration is read once. */
export type Target = {
  device: string;
  /** The indexes of its tree nodes in the run. */
  places: number[];
  /** The backup to check; absent: the device's newest. */
  backup?: string | undefined;
  /** Names of its device groups, where rules use them. */
  groups?: readonly string[] | undefined;
};

/** A tree node of a run with the devices to check there. */
export type Placement = { place: TreeNodeTarget; devices: readonly string[] };

/** Returns the devices of a run, each once, by name. */
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

/** Returns the number of reports that a run will have. */
export const reportsIn = (targets: readonly Target[]): number =>
  targets.reduce((sum, { places }) => sum + places.length, 0);

/**
 * Assigns devices to the nodes that have them; those that no node has go to the first one, which the request names.
 *
 * @param assigned the devices of each node
 * @param wanted the devices to check; absent: all devices of the nodes
 */
export function placedDevices(
  assigned: readonly (readonly string[])[],
  wanted: readonly string[] | undefined,
): string[][] {
  if (!wanted) return assigned.map((devices) => [...devices]);
  const wantedIds = new Set(wanted);
  const placed = assigned.map((devices) => devices.filter((device) => wantedIds.has(device)));
  const known = new Set(placed.flat());
  const [first = [], ...others] = placed;
  return [[...first, ...[...wantedIds].filter((device) => !known.has(device))], ...others];
}

/**
 * Returns the variables at a node; later ones override earlier ones: the tree's, those of the nodes from the root down,
 * those of the run, and the facts about the device (contract/engines#inheritance).
 *
 * @param line the nodes from the root down to the current one
 */
export const variablesAt = (
  tree: Readonly<Record<string, unknown>>,
  line: readonly Node[],
  run: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> =>
  Object.assign({}, tree, ...line.map(({ attributes }) => objectIn(attributes?.variables)), run);

const objectIn = (value: unknown): object => (isObject(value) ? value : {});
