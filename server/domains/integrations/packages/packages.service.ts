import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { insert, remove, replace } from '#db/collection.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { AdapterPackage } from '#db/schemas/integrations/adapter-package.ts';
import { adapters } from '#db/tables/integrations/adapters.ts';
import { adapterPackages, adapterPackageTasks } from '#db/tables/integrations/packages.ts';
import { conflict, notFound } from '#server/kernel/errors.ts';
import { DigestError, treeDigest } from '#server/kernel/files/tree-digest.ts';
import type { InstalledPackage } from '#server/southbound/packages/ports.ts';
import type { AdapterTask } from '../adapter-task.ts';
import { adapterTaskOf } from '../catalogues/pronghorn.ts';
import type { PackageFacts, PackageTask } from './package-reading.ts';

/** Returns a package by its type; undefined when there is none. */
export async function findPackage(db: Database, type: string): Promise<AdapterPackage | undefined> {
  const [row] = await db
    .select({ doc: adapterPackages.doc })
    .from(adapterPackages)
    .where(eq(adapterPackages.id, type));
  return row?.doc;
}

/**
 * Returns all packages by type, and whether this host has their files.
 *
 * @param directory ADAPTERS_DIR
 */
export async function listPackages(db: Database, directory: string) {
  const found = await db
    .select({ doc: adapterPackages.doc })
    .from(adapterPackages)
    .orderBy(adapterPackages.id);
  return Promise.all(
    found.map(async ({ doc }) => ({ ...doc, state: await stateOf(folderOf(directory, doc), doc.digest) })),
  );
}

async function stateOf(folder: string, digest: string): Promise<string> {
  try {
    return (await treeDigest(folder)) === digest ? 'ready' : 'its files are not those that were added';
  } catch (error) {
    return error instanceof DigestError ? error.message : 'its files are not here';
  }
}

/** Returns the types that packages provide. */
export async function packageTypes(db: Database): Promise<ReadonlySet<string>> {
  const found = await db.select({ id: adapterPackages.id }).from(adapterPackages);
  return new Set(found.map(({ id }) => id));
}

/** Returns the folder of a version of a package. @param directory ADAPTERS_DIR */
export const folderOf = (directory: string, { type, version }: { type: string; version: string }): string =>
  join(directory, type, version);

/** Returns a package as the host loads it. */
export const installedPackage = (
  { adapters: { directory } }: { adapters: { directory: string } },
  { type, version, entry, digest }: AdapterPackage,
): InstalledPackage => ({
  type,
  version,
  entry,
  digest,
  directory: folderOf(directory, { type, version }),
});

/** Stores a package, or another version of it. Runs in one transaction with the check that its type is free. */
export async function storePackage(
  tx: Database,
  { tasks, warnings: _, needs: __, id, ...facts }: PackageFacts,
  digest: string,
  now: Date,
): Promise<void> {
  const document: AdapterPackage = {
    ...facts,
    package: id,
    secrets: facts.secrets.map((path) => [...path]),
    brokers: [...facts.brokers],
    digest,
    taskCount: tasks.length,
    created: now.toISOString(),
  };
  const [known] = await tx
    .select({ id: adapterPackages.id, doc: adapterPackages.doc, rev: adapterPackages.rev })
    .from(adapterPackages)
    .where(eq(adapterPackages.id, facts.type))
    .for('update');
  if (known) await replace(tx, adapterPackages, known, document, {});
  else await insert(tx, adapterPackages, facts.type, document);
  await tx.delete(adapterPackageTasks).where(eq(adapterPackageTasks.type, facts.type));
  const lines = tasks.map((task, place) => ({ name: task.name, place, task }));
  await rows(
    tx,
    sql`insert into adapter_package_tasks (type, name, place, task)
        select ${facts.type}, name, place, task
        from jsonb_to_recordset(${JSON.stringify(lines)}::text::jsonb) as one(name text, place int, task jsonb)`,
  );
}

/** Removes a package. @throws ServiceError NOT_FOUND; CONFLICT while adapters of its type exist */
export async function removePackage(tx: Database, type: string): Promise<AdapterPackage> {
  const found = await findPackage(tx, type);
  if (!found) throw notFound('Package', type);
  const users = await tx
    .select({ id: adapters.id })
    .from(adapters)
    .where(sql`${adapters.doc} #>> '{properties,type}' = ${type}`)
    .limit(10);
  if (users.length > 0)
    throw conflict(`Adapters use ${type}: ${users.map(({ id }) => id).join(', ')}. Delete them first`);
  await remove(tx, adapterPackages, [type]);
  return found;
}

/** A task that a workflow names. */
type Wanted = { type: string; name: string };

/** Returns those of the wanted tasks that packages have, with how they are called. */
export async function findPackageTasks(db: Database, wanted: readonly Wanted[]): Promise<AdapterTask[]> {
  if (wanted.length === 0) return [];
  const types = textArray(wanted.map(({ type }) => type));
  const names = textArray(wanted.map(({ name }) => name));
  const found = await rows<{ type: string; title: string; task: string }>(
    db,
    sql`select t.type, p.doc ->> 'title' as title, t.task::text as task
        from adapter_package_tasks t join adapter_packages p on p.id = t.type
        where (t.type, t.name) in (select * from unnest(${types}, ${names}))`,
  );
  return found.map(taskOf);
}

/** Returns all tasks of a package in its order; none for another type. */
export async function listPackageTasks(db: Database, type: string): Promise<AdapterTask[]> {
  const found = await rows<{ type: string; title: string; task: string }>(
    db,
    sql`select t.type, p.doc ->> 'title' as title, t.task::text as task
        from adapter_package_tasks t join adapter_packages p on p.id = t.type
        where t.type = ${type} order by t.place`,
  );
  return found.map(taskOf);
}

function taskOf({ type, title, task: text }: { type: string; title: string; task: string }): AdapterTask {
  // Stored as it was read from the package.
  const task = JSON.parse(text) as PackageTask;
  const inputs = task.inputs.map(({ name, type: of, required }) => ({ name, type: of, required }));
  return adapterTaskOf({ type, title }, task, {
    effect: task.effect,
    call: { provider: 'package', package: type, method: task.name, inputs, output: task.output.name },
  });
}
