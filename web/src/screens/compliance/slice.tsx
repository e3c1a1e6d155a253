import { useQuery } from '@tanstack/react-query';
import { type Outputs, trpc } from '~/api/client.ts';
import { useUrlState } from '~/app/url-state.ts';
import { SelectField } from '~/ui/inputs/select-field.tsx';

type Tree = Outputs['configurationManager']['listTrees'][number];
type Node = Outputs['configurationManager']['getVersion']['root'];

/** The part of the fleet that the page shows, as the address names it. */
export type Slice = {
  treeId: string;
  version: string;
  nodePath: string | undefined;
  deviceGroupId: string | undefined;
};

/**
 * Returns the slice of the address; without one the tree and version of the newest report, or, while there is no report,
 * the tree that changed last in its newest version. `isPending`: the newest report is not known yet.
 */
export function useSlice(trees: readonly Tree[]): { slice: Slice | undefined; isPending: boolean } {
  const [{ tree, version: named, node, group }] = useUrlState();
  const isNamed = tree !== undefined && tree !== '';
  const newest = useQuery(
    trpc.configurationManager.listReports.queryOptions(
      { limit: 1 },
      // Reports of another tree that arrive later must not change what is looked at.
      { enabled: !isNamed, staleTime: 'static', gcTime: 0 },
    ),
  );
  const report = newest.data?.[0];
  const slice = sliceOf(trees, { tree, node, group, ...(named && { version: named }) }, report);
  return { slice, isPending: !isNamed && newest.isPending };
}

type Address = Partial<Record<'tree' | 'version' | 'node' | 'group', string | undefined>>;

function sliceOf(
  trees: readonly Tree[],
  { tree, version: named, node, group }: Address,
  report: { treeId: string; version: string } | undefined,
): Slice | undefined {
  const chosen =
    trees.find(({ id }) => id === tree) ??
    trees.find(({ id }) => id === report?.treeId) ??
    trees.toSorted((a, b) => b.lastUpdated.localeCompare(a.lastUpdated))[0];
  if (!chosen) return undefined;
  const version = named ?? (report?.treeId === chosen.id ? report.version : undefined);
  const known = version && chosen.versions.includes(version) ? version : chosen.versions.at(-1);
  return {
    treeId: chosen.id,
    version: known ?? 'initial',
    nodePath: node || undefined,
    deviceGroupId: group || undefined,
  };
}

/** Returns the paths of a node and of all nodes below it, in the order of the tree. */
export const pathsOf = (node: Node, above = ''): string[] => {
  const path = above ? `${above}/${node.name}` : node.name;
  return [path, ...(node.children ?? []).flatMap((child) => pathsOf(child, path))];
};

/** Chooses tree, version, node and device group; all of them stand in the address. */
export function SliceChoice({ trees, slice }: { trees: readonly Tree[]; slice: Slice }) {
  const [, setUrl] = useUrlState();
  const { treeId, version, nodePath = '', deviceGroupId = '' } = slice;
  const tree = useQuery(trpc.configurationManager.getVersion.queryOptions({ treeId, version }));
  const groups = useQuery(trpc.configurationManager.listDeviceGroups.queryOptions({}));
  const choice = (value: string, label = value) => ({ value, label: label });
  const versions = trees.find(({ id }) => id === treeId)?.versions ?? [version];
  return (
    <search className="slice" aria-label="Slice">
      <SelectField
        label="Golden config"
        value={treeId}
        choices={trees.map(({ id, name }) => choice(id, name))}
        onChange={(tree) => setUrl({ tree, version: undefined, node: undefined })}
      />
      <SelectField
        label="Version"
        value={version}
        choices={versions.map((name) => choice(name))}
        onChange={(next) => setUrl({ tree: treeId, version: next, node: undefined })}
      />
      <SelectField
        label="Node"
        from={tree}
        value={nodePath}
        choices={[
          choice('', 'All nodes'),
          ...(tree.data ? pathsOf(tree.data.root) : []).map((path) => choice(path)),
        ]}
        onChange={(node) => setUrl({ tree: treeId, version, node: node || undefined })}
      />
      <SelectField
        label="Device group"
        from={groups}
        value={deviceGroupId}
        choices={[
          choice('', 'All devices'),
          ...(groups.data ?? []).map(({ id, name }) => choice(id ?? '', name)),
        ]}
        onChange={(group) => setUrl({ group: group || undefined })}
      />
    </search>
  );
}
