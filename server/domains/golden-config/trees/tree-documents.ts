import type { Spec } from '#db/schemas/golden-config/config-spec.ts';
import type { GoldenTree, Node, TreeVersion } from '#db/schemas/golden-config/golden-tree.ts';
import { madeBy, type NewDocumentOptions, wholeGbac } from '#server/kernel/documents/new-document.ts';

/** Names of the first version and the root node of every new tree (contract/lifecycle#4.5). */
const FIRST_VERSION = 'initial';
const ROOT = 'base';

/**
 * Returns a new tree with its first version, that version's root node, and the root's empty spec (contract/lifecycle#4.5).
 */
export function newTree(
  { name, deviceType, description }: { name: string; deviceType: string; description: string },
  maker: NewDocumentOptions,
): { tree: GoldenTree; version: TreeVersion; spec: Spec } {
  const id = maker.newId();
  const spec = newSpec(deviceType, maker);
  const gbac = wholeGbac(undefined);
  const stamps = madeBy(maker);
  const tree = {
    id,
    _id: id,
    name,
    deviceType,
    description,
    versions: [FIRST_VERSION],
    gbac,
    tags: [],
    ...stamps,
  };
  const version = {
    id,
    _id: maker.newId(),
    treeId: id,
    name,
    version: FIRST_VERSION,
    deviceType,
    root: newNode(ROOT, spec._id),
    variables: {},
    gbac,
    tags: [],
    // Exports consist of versions, so the description of the tree is copied into them.
    ...(description !== '' && { description }),
    ...stamps,
  };
  return { tree, version, spec };
}

/** Returns a node without devices that owns the given spec. */
export const newNode = (name: string, configId: string): Node => ({
  name,
  attributes: { devices: [], deviceGroups: [], remediationWorkflow: null, configId },
  children: [],
});

/** Returns a spec without rules. */
export function newSpec(deviceType: string, maker: NewDocumentOptions): Spec {
  const id = maker.newId();
  return { id, _id: id, deviceType, template: '', lines: [], ...madeBy(maker) };
}
