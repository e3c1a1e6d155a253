import { z } from 'zod';
import {
  AdapterPackage,
  AdapterPackageWithTasks,
  PackageLogLine,
} from '#db/schemas/integrations/adapter-package.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import { getPackage, getPackageLog, listPackagePage } from '#server/domains/integrations/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest } from '#server/kernel/procedures.ts';
import { ADMIN, CONFIG_READ } from '#server/kernel/roles.ts';
import { Page } from './authorization/answers.ts';

const PATH = '/adapter-models/packages';

/** Adapter packages as the operator added them; they are added and removed on the host alone. */
export const adapterPackages = {
  listPackages: allow(...CONFIG_READ)
    .meta(
      rest('GET', PATH, 'List the adapter packages', {
        description: 'The operator adds and removes packages on the host: `npm run adapter`.',
      }),
    )
    .input(z.strictObject({ queryOptions: listQuery({}).prefault({}).describe('Filters, page and order') }))
    .output(answer(Page(AdapterPackage)))
    .query(({ ctx, input }) => listPackagePage(ctx, input.queryOptions)),

  getPackage: allow(...CONFIG_READ)
    .meta(rest('GET', `${PATH}/:type`, 'Read an adapter package with its tasks'))
    .input(z.strictObject({ type: z.string().describe('The adapter type') }))
    .output(answer(AdapterPackageWithTasks))
    .query(({ ctx, input }) => getPackage(ctx, input.type)),
};

/** The log of an adapter whose code is a package. */
export const adapterLog = {
  getAdapterLog: allow(...ADMIN)
    .meta(
      rest('GET', '/adapters/:name/log', 'The last lines of the log of an adapter of a package', {
        description:
          'At most 200 lines, oldest first, of the process of the service that answers. They hold no secrets of the adapter.',
      }),
    )
    .input(z.strictObject({ name: z.string().describe('Name of the adapter') }))
    .output(answer(z.object({ results: z.array(PackageLogLine), total: z.int() })))
    .query(({ ctx, input }) => getPackageLog(ctx, input.name)),
};
