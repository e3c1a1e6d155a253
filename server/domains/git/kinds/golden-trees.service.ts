import { sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { rows } from '#db/client.ts';
import { TreeImport } from '#db/schemas/golden-config/golden-tree.ts';
import { goldenTrees } from '#db/tables/golden-config/configurations.ts';
import { exportTree, importTrees } from '#server/domains/golden-config/index.ts';
import { CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';
import type { GitKindRules } from './kind.ts';
import { named } from './named.service.ts';
import { assertPath, parsed } from './parse.ts';
import { fileNameOf } from './paths.ts';
import { portableVersion, textOf } from './portable.ts';

const FOLDER = 'golden-trees';
const pathOf = (name: string) => `${FOLDER}/${fileNameOf(name)}.json`;

/** Golden trees: one file for each, with all its versions and their specs; without devices. */
export const GOLDEN_TREES: GitKindRules = {
  kind: 'goldenTrees',
  folder: FOLDER,
  reads: { permission: 'ConfigurationManager.exportTree', roles: CONFIG_READ },
  writes: { permission: 'ConfigurationManager.importTrees', roles: CONFIG_WRITE },
  mainFile: (path) => (path.endsWith('.json') ? path : null),
  list: async (ctx, name) => {
    const found = await rows<{ id: string; name: string; author: string | null }>(
      ctx.db,
      sql`select id, name, doc ->> 'lastUpdatedBy' as author from ${goldenTrees}
          where ${named(name)} and ${mayRead(goldenTrees, ctx.principal) ?? sql`true`} order by name`,
    );
    return found.map(({ id, name, author }) => ({
      path: pathOf(name),
      name,
      author,
      read: async () => {
        const versions = await exportTree(ctx, id);
        return new Map([[pathOf(name), textOf({ data: versions.map(portableVersion) })]]);
      },
    }));
  },
  store: async (ctx, path, files) => {
    const tree = parsed(TreeImport, files.get(path));
    const name = tree.data[0]?.name ?? '';
    assertPath(path, pathOf(name));
    await importTrees(ctx, [{ ...tree, overwrite: true }]);
    return name;
  },
};
