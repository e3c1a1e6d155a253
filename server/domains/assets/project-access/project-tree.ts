import type { ComponentType, Project, ProjectComponent, ProjectFolder } from '#db/schemas/assets/project.ts';

/** The fields of a project that list its components and their folders. */
export type ProjectContents = Pick<Project, 'components' | 'folders' | 'componentIidIndex'>;

/** A component to add to a project; `iid` is set only where an import brings a number to keep. */
export type NewComponent = {
  type: ComponentType;
  reference: string;
  folder?: string | undefined;
  iid?: number;
};

/** Returns the components of a project; empty for one that has none. */
export const componentsOf = ({ components }: ProjectContents): ProjectComponent[] => components ?? [];

/** Returns the folder names of a path; `/` and the empty path are the top level. */
const segments = (path: string | undefined): string[] =>
  (path ?? '').split('/').filter((name) => name !== '');

const below = (path: string, name: string) => (path === '/' ? `/${name}` : `${path}/${name}`);

const entryOf = (iid: number): ProjectFolder => ({ nodeType: 'component', iid });

/**
 * Returns the contents with matching tree and `folder` paths. The tree wins; a project without one gets it from the
 * paths, and needs none while everything is at the top level. A component that is missing in the tree is added at its top
 * level; an entry without a component, or for one that occurred before, is dropped (contract/lifecycle#5.1).
 */
export function arranged<Doc extends ProjectContents>(doc: Doc): Doc {
  const components = componentsOf(doc);
  const paths = new Map<number, string>();
  const known = new Set(components.map(({ iid }) => iid));
  const walk = (entries: readonly ProjectFolder[], path: string): ProjectFolder[] =>
    entries.flatMap((entry): ProjectFolder[] => {
      if (entry.nodeType === 'folder') {
        return [{ ...entry, children: walk(entry.children ?? [], below(path, entry.name)) }];
      }
      if (!known.has(entry.iid) || paths.has(entry.iid)) return [];
      paths.set(entry.iid, path);
      return [entry];
    });
  const hasTree = doc.folders !== undefined && doc.folders !== null;
  if (!hasTree && components.every(({ folder }) => segments(folder).length === 0)) {
    return { ...doc, components: components.map((one) => ({ ...one, folder: '/' })) };
  }
  let tree = walk(doc.folders ?? [], '/');
  for (const { iid, folder } of components) {
    if (paths.has(iid)) continue;
    const path = hasTree ? [] : segments(folder);
    tree = placed(tree, iid, path);
    paths.set(iid, `/${path.join('/')}`);
  }
  return {
    ...doc,
    folders: tree,
    components: components.map((one) => ({ ...one, folder: paths.get(one.iid) ?? '/' })),
  };
}

/** Returns the tree with a component at the end of a folder, which is created if it does not exist. */
function placed(
  tree: readonly ProjectFolder[],
  iid: number,
  [name, ...rest]: readonly string[],
): ProjectFolder[] {
  if (name === undefined) return [...tree, entryOf(iid)];
  const at = tree.findIndex((entry) => entry.nodeType === 'folder' && entry.name === name);
  const found = tree[at];
  if (found?.nodeType !== 'folder') {
    return [...tree, { nodeType: 'folder', name, children: placed([], iid, rest) }];
  }
  return tree.with(at, { ...found, children: placed(found.children ?? [], iid, rest) });
}

/** Returns the tree without a component; folders that become empty stay. */
function without(tree: readonly ProjectFolder[], iid: number): ProjectFolder[] {
  return tree.flatMap((entry): ProjectFolder[] => {
    if (entry.nodeType === 'component') return entry.iid === iid ? [] : [entry];
    return [{ ...entry, children: without(entry.children ?? [], iid) }];
  });
}

/**
 * Returns the contents with a component moved to the end of another folder.
 *
 * @param iid number of the component in its project
 * @param folder names of folders from the outermost, separated by `/`; "" is outside of folders
 */
export function refoldered<Doc extends ProjectContents>(doc: Doc, iid: number, folder: string): Doc {
  const tree = without(doc.folders ?? componentsOf(doc).map((one) => entryOf(one.iid)), iid);
  return arranged({ ...doc, folders: placed(tree, iid, segments(folder)) });
}

/**
 * Returns the contents with more components, each under a number that no component had before: the one it brings if that
 * is free, else the next.
 *
 * @returns `iids` are the numbers, in the order of `added`
 */
export function withComponents<Doc extends ProjectContents>(
  doc: Doc,
  added: readonly NewComponent[],
): { doc: Doc; iids: number[] } {
  const components = [...componentsOf(doc)];
  const given = new Set(components.map(({ iid }) => iid));
  const kept = new Set<number>();
  for (const { iid } of added) if (iid !== undefined && !given.has(iid)) kept.add(iid);
  let index = Math.max(doc.componentIidIndex ?? 0, ...given, ...kept);
  let tree = doc.folders;
  const iids = added.map(({ type, reference, folder, iid: wanted }) => {
    const iid = wanted !== undefined && kept.delete(wanted) ? wanted : ++index;
    const path = segments(folder);
    if (path.length > 0 || tree) {
      tree = placed(tree ?? components.map((one) => entryOf(one.iid)), iid, path);
    }
    components.push({ iid, type, reference, folder: `/${path.join('/')}` });
    return iid;
  });
  const next = { ...doc, components, componentIidIndex: index };
  return { doc: arranged(tree ? { ...next, folders: tree } : next), iids };
}

/**
 * Returns the contents without a component; its number is not assigned again.
 *
 * @param iid number of the component in its project
 */
export function withoutComponent<Doc extends ProjectContents>(doc: Doc, iid: number): Doc {
  const components = componentsOf(doc).filter((one) => one.iid !== iid);
  const folders = doc.folders ? { folders: without(doc.folders, iid) } : {};
  return { ...doc, components, ...folders };
}

/** Returns the contents with the new id of a component. */
export const withReference = <Doc extends ProjectContents>(
  doc: Doc,
  type: ComponentType,
  from: string,
  to: string,
): Doc => ({
  ...doc,
  components: componentsOf(doc).map((one) =>
    one.type === type && one.reference === from ? { ...one, reference: to } : one,
  ),
});
