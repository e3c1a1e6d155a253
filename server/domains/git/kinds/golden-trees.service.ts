import { mayRead } from '#db/access.ts';
import { TreeImport } from '#db/schemas/golden-config/golden-tree.ts';
import { goldenTrees } from '#db/tables/golden-config/configurations.ts';
import { exportTree, importTrees } from '#server/domains/golden-config/index.ts';
import { CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';
import type { GitKindRules } from './kind.ts';
import { jsonDocuments, jsonFile, jsonFileOf } from './named-documents.service.ts';
import { assertPath, parsed } from './parse.ts';
import { portableVersion } from './portable.ts';

const FOLDER = 'golden-trees';

/** Golden trees: one file for each, with all its versions and their specs; without devices. */
export const GOLDEN_TREES: GitKindRules = {
  kind: 'goldenTrees',
  folder: FOLDER,
  reads: { permission: 'ConfigurationManager.exportTree', roles: CONFIG_READ },
  writes: { permission: 'ConfigurationManager.importTrees', roles: CONFIG_WRITE },
  mainFile: jsonFileOf,
  list: (ctx, name) =>
    jsonDocuments(
      ctx,
      {
        folder: FOLDER,
        table: goldenTrees,
        where: mayRead(goldenTrees, ctx.principal),
        read: async (id) => ({ data: (await exportTree(ctx, id)).map(portableVersion) }),
      },
      name,
    ),
  store: async (ctx, path, files) => {
    const tree = parsed(TreeImport, files.get(path));
    const name = tree.data[0]?.name ?? '';
    assertPath(path, jsonFile(FOLDER, name));
    await importTrees(ctx, [{ ...tree, overwrite: true }]);
    return name;
  },
};
