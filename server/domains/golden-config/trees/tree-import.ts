import type { StoredSpec } from '#db/schemas/golden-config/config-spec.ts';
import type {
  GoldenTree,
  ImportedTreeVersion,
  Node,
  TreeVersion,
} from '#db/schemas/golden-config/golden-tree.ts';
import type { Gbac } from '#db/schemas/primitives.ts';
import { isStated, type NewDocumentOptions, wholeGbac } from '#server/kernel/documents/new-document.ts';
import { grownStamp, importedStamp } from '#server/kernel/documents/stamps.ts';
import type { Element } from './tree-import-check.ts';
import { mapNodes, walk } from './tree-nodes.ts';

/** A stored tree that an import overwrites. */
export type ExistingTree = {
  tree: GoldenTree;
  versions: TreeVersion[];
  stamps: ReadonlyMap<string, unknown>;
};

/** A tree as an import stores it: every version with the specs of its nodes. */
export type ImportedTree = { tree: GoldenTree; versions: { doc: TreeVersion; specs: StoredSpec[] }[] };

/**
 * Returns the documents for one element of an import (contract/lifecycle#4.7). Unknown fields are kept; devices and device
 * groups are not imported. All ids are new, except when a tree is overwritten: the tree, its versions of the same name and
 * the specs of nodes at the same path keep their ids, such nodes keep their devices, and timestamps increase.
 *
 * @param name the tree's name, already known to be free or that of the overwritten tree
 * @param before the tree to overwrite; its `stamps` are the `lastUpdated` of its specs by id
 */
export function importedTree(
  element: Element,
  name: string,
  maker: NewDocumentOptions,
  before?: ExistingTree,
): ImportedTree {
  const { first } = element;
  const id = before?.tree.id ?? maker.newId();
  const gbac = gbacOf(element, before?.tree);
  const shared: Shared = { id, name, deviceType: first.deviceType, gbac };
  const versions = element.versions.map((given) =>
    importedVersion(
      given,
      shared,
      maker,
      before?.versions.find(({ version }) => version === given.version),
      before?.stamps,
    ),
  );
  const newest = versions.reduce((last, { doc }) => later(last, doc.lastUpdated), '');
  const tree: GoldenTree = {
    description: typeof first.description === 'string' ? first.description : '',
    created: importedStamp(first.created, maker.now),
    createdBy: first.createdBy ?? maker.account,
    ...before?.tree,
    ...(typeof first.description === 'string' && { description: first.description }),
    id,
    _id: id,
    name,
    deviceType: first.deviceType,
    versions: versions.map(({ doc }) => doc.version),
    gbac,
    tags: first.tags ?? [],
    lastUpdated: before ? grownStamp(maker.now, before.tree.lastUpdated) : newest,
    lastUpdatedBy: before ? maker.account : (first.lastUpdatedBy ?? maker.account),
  };
  return { tree, versions };
}

type Shared = { id: string; name: string; deviceType: string; gbac: Gbac };

/** An import with empty access lists does not open a tree that is restricted (docs/configuration.md). */
function gbacOf({ versions, first }: Element, before: GoldenTree | undefined): Gbac {
  const stated = versions.find(({ gbac }) => isStated(gbac))?.gbac;
  return wholeGbac(stated ?? before?.gbac ?? first.gbac);
}

function importedVersion(
  given: ImportedTreeVersion,
  { id, name, deviceType, gbac }: Shared,
  maker: NewDocumentOptions,
  before: TreeVersion | undefined,
  stamps: ExistingTree['stamps'] = new Map(),
): ImportedTree['versions'][number] {
  const places = new Map(before ? [...walk(before.root)].map(({ path, node }) => [path, node]) : []);
  const specs: StoredSpec[] = [];
  const root = mapNodes(given.root, (node, path) => {
    const old = places.get(path)?.attributes;
    const configId = old?.configId ?? maker.newId();
    specs.push(importedSpec(node, configId, maker, stamps.get(configId)));
    const { export: _, ...attributes } = node.attributes ?? {};
    return {
      ...node,
      attributes: {
        remediationWorkflow: null,
        ...attributes,
        devices: old?.devices ?? [],
        deviceGroups: old?.deviceGroups ?? [],
        configId,
      },
    };
  });
  const doc: TreeVersion = {
    tags: [],
    createdBy: maker.account,
    lastUpdatedBy: maker.account,
    ...given,
    variables: given.variables ?? {},
    id,
    _id: before?._id ?? maker.newId(),
    treeId: id,
    name,
    deviceType,
    gbac: isStated(gbac) ? gbac : (given.gbac ?? gbac),
    root,
    created: importedStamp(given.created, maker.now),
    lastUpdated: before
      ? grownStamp(maker.now, before.lastUpdated)
      : importedStamp(given.lastUpdated, maker.now),
    ...(before && { lastUpdatedBy: maker.account }),
  };
  return { doc, specs };
}

/**
 * Returns the spec from the node's export, else from its template, from which a run derives the lines, else an empty one.
 */
function importedSpec(node: Node, id: string, maker: NewDocumentOptions, before: unknown): StoredSpec {
  const given = node.attributes?.export;
  const template = [given?.template, node.attributes?.template, node.template].find(
    (text) => typeof text === 'string',
  );
  return {
    createdBy: maker.account,
    lastUpdatedBy: maker.account,
    ...given,
    lines: given?.lines ?? [],
    template: template ?? '',
    id,
    _id: id,
    created: importedStamp(given?.created, maker.now),
    lastUpdated:
      before === undefined ? importedStamp(given?.lastUpdated, maker.now) : grownStamp(maker.now, before),
    ...(before !== undefined && { lastUpdatedBy: maker.account }),
  };
}

const later = (one: string, other: string | undefined): string =>
  other !== undefined && (one === '' || Date.parse(other) > Date.parse(one)) ? other : one;

/** Returns a version as an export contains it: each node with its spec inside (contract/lifecycle#4.7). */
export const exportedVersion = (
  version: TreeVersion,
  specs: ReadonlyMap<string, StoredSpec>,
): TreeVersion => ({
  ...version,
  root: mapNodes(version.root, (node) => {
    const spec = specs.get(node.attributes?.configId ?? '');
    // The importing service computes whether lines are stale; the flag is not exported.
    const { staleLines: _, ...kept } = node;
    return { ...kept, attributes: { ...node.attributes, ...(spec && { export: spec }) } };
  }),
});
