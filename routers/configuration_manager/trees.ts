import { z } from 'zod';
import { GoldenTree, TreeUpdate, TreeVersion } from '#db/schemas/golden-config/golden-tree.ts';
import { Done, Name, ObjectId } from '#db/schemas/primitives.ts';
import { TreeSearch } from '#db/schemas/requests/configuration-search.ts';
import {
  createTree,
  createVersion,
  deleteTree,
  deleteTrees,
  deleteVariables,
  deleteVersion,
  getTree,
  getVersion,
  listTrees,
  searchTrees,
  updateTree,
  updateVersion,
} from '#server/domains/golden-config/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';
import { Deleted, done, optional } from './requests.ts';

const TreeRequest = z.strictObject({ treeId: z.string().describe('Id of the tree') });
const VersionRequest = TreeRequest.extend({ version: z.string().describe('Name of the version') });

/** Returns the fields that have a value. */
const given = (fields: TreeSearch = {}) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as TreeSearch;

const SearchTreesRequest = TreeSearch.extend({
  query: optional(TreeSearch).describe('The same fields, as some clients wrap them'),
}).refine(
  ({ query, ...bare }) => !Object.keys(given(bare)).some((name) => Object.hasOwn(given(query), name)),
  {
    path: ['query'],
    error: 'has a field that is also given beside it',
  },
);

export const trees = {
  listTrees: allow(...CONFIG_READ)
    .meta(rest('GET', '/configuration_manager/configs', 'All golden configuration trees'))
    .input(z.strictObject({}))
    .output(answer(z.array(GoldenTree)))
    .query(({ ctx }) => listTrees(ctx)),

  searchTrees: allow(...CONFIG_READ)
    .meta(rest('POST', '/configuration_manager/search/configs', 'Search for golden configuration trees'))
    .input(SearchTreesRequest)
    .output(answer(z.object({ list: z.array(GoldenTree), total: z.int() })))
    .query(({ ctx, input: { query, ...bare } }) => searchTrees(ctx, { ...given(bare), ...given(query) })),

  createTree: allow(...CONFIG_WRITE)
    .meta(rest('POST', '/configuration_manager/configs', 'Create a golden configuration tree'))
    .input(
      z.strictObject({
        name: Name.describe('Name of the tree, unique'),
        deviceType: z.string().meta({
          description: 'Name of the config parser for its configurations',
          examples: ['cisco-ios'],
        }),
        description: optional(z.string()).describe('Purpose of the tree'),
      }),
    )
    .output(answer(TreeVersion))
    .mutation(write(({ ctx, input }) => createTree(ctx, input))),

  getTree: allow(...CONFIG_READ)
    .meta(rest('GET', '/configuration_manager/configs/:treeId', 'Summary of a golden configuration tree'))
    .input(TreeRequest)
    .output(answer(GoldenTree))
    .query(({ ctx, input }) => getTree(ctx, input.treeId)),

  updateTree: allow(...CONFIG_WRITE)
    .meta(rest('PUT', '/configuration_manager/configs/:treeId', 'Rename a tree or change its access list'))
    .input(TreeRequest.extend({ options: TreeUpdate }))
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input }) => {
        const tree = await updateTree(ctx, input.treeId, input.options);
        return done(`Updated ${tree.name}`);
      }),
    ),

  deleteTree: allow(...CONFIG_WRITE)
    .meta(rest('DELETE', '/configuration_manager/configs/:treeId', 'Delete a golden configuration tree'))
    .input(TreeRequest)
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input }) => {
        await deleteTree(ctx, input.treeId);
        return done('Golden Config tree deleted');
      }),
    ),

  deleteTrees: allow(...CONFIG_WRITE)
    .meta(rest('DELETE', '/configuration_manager/configs', 'Delete several golden configuration trees'))
    .input(z.strictObject({ treeIds: z.array(ObjectId).describe('Ids of the trees') }))
    .output(answer(Deleted))
    .mutation(
      write(async ({ ctx, input }) => {
        const { deleted, conflicts } = await deleteTrees(ctx, input.treeIds);
        return conflicts.length > 0
          ? { status: 'conflict' as const, deleted, conflicts }
          : { status: 'success' as const, deleted };
      }),
    ),

  createVersion: allow(...CONFIG_WRITE)
    .meta(rest('POST', '/configuration_manager/configs/:treeId', 'Copy a version of a tree to a new one'))
    .input(
      TreeRequest.extend({
        version: Name.describe('Name of the new version'),
        base: z.string().describe('Name of the version to copy'),
      }),
    )
    .output(answer(TreeVersion))
    .mutation(write(({ ctx, input: { treeId, ...version } }) => createVersion(ctx, treeId, version))),

  getVersion: allow(...CONFIG_READ)
    .meta(rest('GET', '/configuration_manager/configs/:treeId/:version', 'One version of a tree'))
    .input(VersionRequest)
    .output(answer(TreeVersion))
    .query(({ ctx, input }) => getVersion(ctx, input.treeId, input.version)),

  updateVersion: allow(...CONFIG_WRITE)
    .meta(
      rest('PUT', '/configuration_manager/configs/:treeId/:version', 'Rename a version or set its variables'),
    )
    .input(
      VersionRequest.extend({
        name: optional(Name).describe('New name of the version'),
        variables: optional(z.record(z.string(), z.unknown())).describe(
          'Values for the templates; they replace all previous ones',
        ),
      }),
    )
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input: { treeId, version, ...change } }) => {
        await updateVersion(ctx, treeId, version, change);
        return done(`Updated version ${change.name ?? version}`);
      }),
    ),

  deleteVersion: allow(...CONFIG_WRITE)
    .meta(rest('DELETE', '/configuration_manager/configs/:treeId/:version', 'Delete a version of a tree'))
    .input(VersionRequest)
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input }) => {
        await deleteVersion(ctx, input.treeId, input.version);
        return done(`Deleted version ${input.version}`);
      }),
    ),

  deleteVariables: allow(...CONFIG_WRITE)
    .meta(
      rest(
        'DELETE',
        '/configuration_manager/configs/variables/:treeId/:version',
        'Remove variables from a version',
      ),
    )
    .input(VersionRequest.extend({ variables: z.array(z.string()).describe('Names of the variables') }))
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input }) => {
        await deleteVariables(ctx, input.treeId, input.version, input.variables);
        return done(`Updated version ${input.version}`);
      }),
    ),
};
