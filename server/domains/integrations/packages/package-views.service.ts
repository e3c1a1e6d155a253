import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { AdapterPackage, type AdapterPackageWithTasks } from '#db/schemas/integrations/adapter-package.ts';
import { adapterPackages } from '#db/tables/integrations/packages.ts';
import { getAdapterRow } from '#server/domains/network/index.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { core } from '#server/kernel/documents/list-envelope.ts';
import { notFound } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import type { PackagePort } from '#server/southbound/packages/ports.ts';
import { findPackage } from './packages.service.ts';

const resource = defineResource({
  name: 'adapter packages',
  schema: AdapterPackage,
  source: adapterPackages,
  defaultSort: [{ field: 'type', order: 1 }],
});

/** Returns one page of the adapter packages, without their tasks. */
export async function listPackagePage(
  { db }: Pick<ReadContext, 'db'>,
  query: Readonly<Record<string, unknown>>,
) {
  return core<AdapterPackage>(await list(db, resource, readList(resource, query, {})));
}

/**
 * Returns one adapter package with its tasks.
 *
 * @param type name of the adapter type
 * @throws ServiceError NOT_FOUND
 */
export async function getPackage(
  { db }: Pick<ReadContext, 'db'>,
  type: string,
): Promise<JsonText<AdapterPackageWithTasks>> {
  const found = await findPackage(db, type);
  if (!found) throw notFound('Package', type);
  const tasks = await rows<{ task: string }>(
    db,
    sql`select task::text as task from adapter_package_tasks where type = ${type} order by place`,
  );
  return json(
    `${JSON.stringify(found).slice(0, -1)},"tasks":[`,
    tasks.map(({ task }) => task).join(','),
    ']}',
  );
}

/**
 * Returns the last lines that an adapter of a package wrote in the process that answers; none of an adapter of another kind.
 *
 * @throws ServiceError NOT_FOUND
 */
export async function getPackageLog(
  { db, platform }: { db: ReadContext['db']; platform: { packages: Pick<PackagePort, 'lines'> } },
  name: string,
) {
  const { id } = await getAdapterRow(db, name);
  const results = platform.packages.lines(id);
  return { results: [...results], total: results.length };
}
