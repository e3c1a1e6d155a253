import { z } from 'zod';
import { TreeExport, TreeImport } from '#db/schemas/golden-config/golden-tree.ts';
import { ObjectId } from '#db/schemas/primitives.ts';
import { imported } from '#db/schemas/requests/null-fields.ts';
import { exportTree, importTrees } from '#server/domains/golden-config/index.ts';
import { messageWithWarnings } from '#server/domains/identity/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';
import { optional } from './requests.ts';

const Imported = z.object({
  status: z.literal('success'),
  message: z.string(),
  data: z
    .array(
      z.object({
        treeId: ObjectId.describe('Id of the stored tree'),
        name: z.string().describe('Name of the stored tree: a number is added to a taken name'),
        versions: z.array(z.string()).describe('Names of its versions'),
      }),
    )
    .describe('Result for each element, in order'),
});

export const transfer = {
  exportTree: allow(...CONFIG_READ)
    .meta(rest('POST', '/configuration_manager/export/goldenconfigs', 'Export a golden configuration tree'))
    .input(z.strictObject({ treeId: ObjectId.describe('Id of the tree') }))
    .output(answer(TreeExport))
    .query(async ({ ctx, input }) => ({
      status: 'success' as const,
      data: await exportTree(ctx, input.treeId),
    })),

  importTrees: allow(...CONFIG_WRITE)
    .meta(
      rest('POST', '/configuration_manager/import/goldenconfigs', 'Import golden configuration trees', {
        bodyLimit: 'import',
      }),
    )
    .input(
      z.strictObject({
        trees: z.array(imported(TreeImport)).describe('Trees to import; an export can be imported unchanged'),
        options: optional(z.strictObject({})).describe('No options exist'),
      }),
    )
    .output(answer(Imported))
    .mutation(
      write(async ({ ctx, input }) => {
        const { data, warnings } = await importTrees(ctx, input.trees);
        const noun = data.length === 1 ? 'golden configuration' : 'golden configurations';
        const message = messageWithWarnings(`${data.length} ${noun} imported`, warnings);
        return { status: 'success' as const, message, data };
      }),
    ),
};
