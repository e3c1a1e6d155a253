import { sql } from 'drizzle-orm';
import { find, insert, remove } from '#db/collection.ts';
import { type Happening, publish } from '#db/connections/publish.ts';
import type { Node, NodeAttributes, NodeDetail } from '#db/schemas/golden-config/golden-tree.ts';
import { specs, treeVersions } from '#db/tables/golden-config/configurations.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { makerOf } from '#server/kernel/documents/documents.service.ts';
import { nodeNameFault } from '#server/kernel/documents/names.ts';
import { conflict, invalid, notFound } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { holdGroups } from '../devices/device-groups.service.ts';
import { placementWarnings } from '../devices/devices.service.ts';
import { sectionsOf } from '../specs/sections.service.ts';
import { findSpecText } from '../specs/specs.service.ts';
import {
  assignedElsewhere,
  withAttributes,
  withDeviceGroups,
  withDevices,
  withoutDeviceGroups,
  withoutDevices,
} from './node-devices.ts';
import { assertNoPlan } from './plan-uses.service.ts';
import { newNode, newSpec } from './tree-documents.ts';
import { changeNode, findNode, type LocatedNode, specIdsOf } from './tree-nodes.ts';
import {
  type LockedVersion,
  lockVersion,
  versionMissing,
  visibleVersion,
  writeVersion,
} from './versions.service.ts';

/** Where a node is: tree, version, and the names from the root down, joined by slashes. */
export type NodePlace = { treeId: string; version: string; nodePath: string };

/**
 * Returns a node with everything below it, its own spec, and the ids of all specs that apply to its devices
 * (contract/lifecycle#4.5).
 *
 * @throws ServiceError NOT_FOUND
 */
export async function getNode(ctx: ReadContext, place: NodePlace): Promise<JsonText<NodeDetail>> {
  const { treeId, version: name, nodePath } = place;
  const version = await find(ctx.db, treeVersions, visibleVersion(ctx.principal, treeId, name));
  if (!version) throw await versionMissing(ctx, treeId, name);
  const { node, path, line } = locateNode(version.doc.root, nodePath);
  const effective = line.flatMap(({ attributes }) => attributes?.configId ?? []);
  const spec = await findSpecText(ctx.db, sql`${specs.id} = ${node.attributes?.configId ?? ''}`);
  // The node may have been deleted between the two reads.
  if (spec === undefined) throw notFound('Node', nodePath);
  // An import may have brought a field of that name; the text must not contain it twice.
  const text = JSON.stringify({ ...node, path, effective, spec: undefined });
  return json(`${text.slice(0, -1)},"spec":${spec}}`);
}

/**
 * Creates a node below another one, with an empty spec (contract/lifecycle#4.5).
 *
 * @param parentNodePath names of the nodes from the root to the parent, separated by `/`
 * @throws ServiceError BAD_REQUEST for a name that a path cannot contain, CONFLICT when a sibling has it
 */
export async function createNode(
  ctx: WriteContext,
  { parentNodePath, name, ...place }: Omit<NodePlace, 'nodePath'> & { parentNodePath: string; name: string },
): Promise<Node> {
  assertName(name);
  const locked = await lockVersion(ctx, place.treeId, place.version);
  const { root } = locked.version.doc;
  const parent = locateNode(root, parentNodePath);
  assertNoSibling(parent.node, name);
  const spec = newSpec(locked.tree.doc.deviceType, makerOf(ctx));
  const node = newNode(name, spec._id);
  await insert(ctx.db, specs, spec._id, spec, { versionId: locked.version.id });
  await writeRoot(
    ctx,
    locked,
    parent.path,
    (one) => ({ ...one, children: [...(one.children ?? []), node] }),
    nodeChanged(locked, node, `${parent.path}/${name}`, 'created'),
  );
  return node;
}

/**
 * Renames a node, or changes its remediation workflow. Existing reports keep the old path.
 *
 * @throws ServiceError BAD_REQUEST, CONFLICT when a sibling has the name
 */
export async function updateNode(
  ctx: WriteContext,
  place: NodePlace,
  {
    name,
    attributes = {},
  }: { name?: string | undefined; attributes?: Pick<NodeAttributes, 'remediationWorkflow'> | undefined },
): Promise<void> {
  if (name !== undefined) assertName(name);
  const change = (one: Node) => ({ ...withAttributes(one, attributes), ...(name !== undefined && { name }) });
  const locked = await lockNode(ctx, place, change);
  const { node, path, line } = locateNode(locked.version.doc.root, place.nodePath);
  const parent = line.at(-2);
  if (name !== undefined && name !== node.name && parent) assertNoSibling(parent, name);
  await writeRoot(ctx, locked, path, change);
}

/**
 * Deletes a node with everything below it, including specs.
 *
 * @throws ServiceError BAD_REQUEST for the root, CONFLICT when a plan uses one of the nodes
 */
export async function deleteNode(ctx: WriteContext, place: NodePlace): Promise<void> {
  const locked = await lockVersion(ctx, place.treeId, place.version);
  const { node, path, line } = locateNode(locked.version.doc.root, place.nodePath);
  if (line.length === 1)
    throw invalid(['nodePath'], 'is the root node: delete the version or the tree instead');
  await assertNoPlan(ctx, { nodeIds: specIdsOf(node) }, `Node ${path}, or a node below it,`);
  await remove(ctx.db, specs, specIdsOf(node));
  await writeRoot(ctx, locked, path, () => null, nodeChanged(locked, node, path, 'deleted'));
}

/**
 * Adds devices to a node; devices that it already has remain.
 *
 * @returns a warning for each device that is in no inventory or has a platform that the node has no rules for
 * @throws ServiceError CONFLICT when another node of the version has one of them
 */
export async function addNodeDevices(
  ctx: WriteContext,
  place: NodePlace,
  devices: string[],
): Promise<string[]> {
  const change = (node: Node) => withDevices(node, devices);
  const locked = await lockNode(ctx, place, change);
  const { root } = locked.version.doc;
  const { path, line } = locateNode(root, place.nodePath);
  const held = assignedElsewhere(root, path, devices);
  if (held.length > 0) {
    const assignments = held.slice(0, 10).map(({ device, path: at }) => `${device} on ${at}`);
    throw conflict(`A device can be on one node of a version only: ${assignments.join(', ')}`, {
      issues: held.slice(0, 100).map(({ device, path: at }) => ({
        path: ['devices', devices.indexOf(device)],
        message: `is already on node ${at}`,
        code: 'taken',
      })),
    });
  }
  await writeRoot(ctx, locked, path, change);
  const sections = await sectionsOf(
    ctx.db,
    line.flatMap(({ attributes }) => attributes?.configId ?? []),
  );
  return placementWarnings(ctx, devices, locked.tree.doc.deviceType, sections);
}

/**
 * Removes devices from a node; ignores those that it does not have.
 *
 * @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT when the version was changed in the meantime
 */
export async function removeNodeDevices(
  ctx: WriteContext,
  place: NodePlace,
  devices: string[],
): Promise<void> {
  const change = (node: Node) => withoutDevices(node, devices);
  const locked = await lockNode(ctx, place, change);
  await writeRoot(ctx, locked, locateNode(locked.version.doc.root, place.nodePath).path, change);
}

/**
 * Adds device groups to a node; groups that it already has remain.
 *
 * @throws ServiceError BAD_REQUEST for unknown group ids
 */
export async function addNodeDeviceGroups(
  ctx: WriteContext,
  place: NodePlace,
  groups: string[],
): Promise<void> {
  const date = ctx.platform.now().toISOString();
  const change = (node: Node) => withDeviceGroups(node, groups, date);
  const locked = await lockNode(ctx, place, change);
  const { path } = locateNode(locked.version.doc.root, place.nodePath);
  await holdGroups(ctx, groups);
  await writeRoot(ctx, locked, path, change);
}

/**
 * Removes device groups from a node; ignores those that it does not have.
 *
 * @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT when the version was changed in the meantime
 */
export async function removeNodeDeviceGroups(
  ctx: WriteContext,
  place: NodePlace,
  groups: string[],
): Promise<void> {
  const change = (node: Node) => withoutDeviceGroups(node, groups);
  const locked = await lockNode(ctx, place, change);
  await writeRoot(ctx, locked, locateNode(locked.version.doc.root, place.nodePath).path, change);
}

/** Locks the version of a node; on a conflict, the error shows what `change` would have done to the node. */
const lockNode = (
  ctx: WriteContext,
  { treeId, version, nodePath }: NodePlace,
  change: (node: Node) => Node,
) =>
  lockVersion(ctx, treeId, version, ({ root }) => {
    const found = findNode(root, nodePath);
    return found ? { root: changeNode(root, found.path, change) } : {};
  });

/** @param event the event to publish; by default, that the node at the path was updated */
async function writeRoot(
  ctx: WriteContext,
  locked: LockedVersion,
  path: string,
  change: (node: Node) => Node | null,
  event?: Happening,
): Promise<void> {
  const { root } = locked.version.doc;
  await writeVersion(ctx, locked, { root: changeNode(root, path, change) });
  await publish(ctx.db, [event ?? nodeChanged(locked, locateNode(root, path).node, path, 'updated')]);
}

/** Returns the event for a changed node, as the version's own events do not describe its nodes. */
function nodeChanged(
  { tree, version }: LockedVersion,
  node: Node,
  path: string,
  change: 'created' | 'updated' | 'deleted',
): Happening {
  const id = node.attributes?.configId ?? version.id;
  return {
    source: '@vendor/configuration-manager',
    topic: 'configurationChanged',
    subjects: [id, version.id, tree.id],
    kind: 'tree',
    documents: [tree.id],
    readers: tree.doc.gbac?.read ?? [],
    payload: { kind: 'node', _id: id, name: path, change },
  };
}

/**
 * Returns the node at a path.
 *
 * @throws ServiceError NOT_FOUND
 */
export function locateNode(root: Node, path: string): LocatedNode {
  const found = findNode(root, path);
  if (!found) throw notFound('Node', path);
  return found;
}

function assertName(name: string) {
  const fault = nodeNameFault(name);
  if (fault) throw invalid(['name'], fault, 'invalid_value');
}

function assertNoSibling(parent: Node, name: string) {
  if (parent.children?.some((child) => child.name === name)) {
    throw conflict(`Node ${parent.name} already has a child ${name}`);
  }
}
