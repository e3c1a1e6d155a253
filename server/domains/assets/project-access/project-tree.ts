import type { ComponentType, Project, ProjectComponent, ProjectFolder } from '#db/schemas/assets/project.ts';

/** The members of a project that say what is in it, and where. */
export type ProjectContents = Pick<Project, 'components' | 'folders' | 'componentIidIndex'>;

/** What goes into a project; `iid` only where an import brings a number that is to be kept. */
export type NewComponent = {
  type: ComponentType;
  reference: string;
  folder?: string | undefined;
  iid?: number;
};

export const componentsOf = ({ components }: ProjectContents): ProjectComponent[] => components ?? [];

/** Names of the folders on the way; `/` and the empty path are the top. */
const segments = (path: string | undefined): string[] =>
  (path ?? '').split('/').filter((name) => name !== '');

const below = (path: string, name: string) => (path === '/' ? `/${name}` : `${path}/${name}`);

const entryOf = (iid: number): ProjectFolder => ({ nodeType: 'component', iid });

/**
 * The parts with tree and `folder` paths that agree. The tree wins; a project without one gets it from the paths, and
 * needs none while everything is at the top. A component that the tree does not show is put at its top; an entry that
 * shows no component, or one that is shown before, is left out (contract/lifecycle#5.1).
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

/** The tree with a component at the end of a folder, which is made where it is not there. */
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

/** The tree without a component; folders that are empty then stay. */
function without(tree: readonly ProjectFolder[], iid: number): ProjectFolder[] {
  return tree.flatMap((entry): ProjectFolder[] => {
    if (entry.nodeType === 'component') return entry.iid === iid ? [] : [entry];
    return [{ ...entry, children: without(entry.children ?? [], iid) }];
  });
}

/** The parts with a component in another folder, at its end. */
export function refoldered<Doc extends ProjectContents>(doc: Doc, iid: number, folder: string): Doc {
  const tree = without(doc.folders ?? componentsOf(doc).map((one) => entryOf(one.iid)), iid);
  return arranged({ ...doc, folders: placed(tree, iid, segments(folder)) });
}

/**
 * The parts with more components, each under a number that none had before: the one it brings where that is free, else
 * the next.
 *
 * @returns with `iids` the numbers, in the order given
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

/** The parts without a component; its number is not given out again. */
export function withoutComponent<Doc extends ProjectContents>(doc: Doc, iid: number): Doc {
  const components = componentsOf(doc).filter((one) => one.iid !== iid);
  const folders = doc.folders ? { folders: without(doc.folders, iid) } : {};
  return { ...doc, components, ...folders };
}

/** The parts with a component that goes by another id from now on. */
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
