import { eq, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { find, findText, insert, remove, replace, type Stored } from '#db/collection.ts';
import { jsonText } from '#db/expressions.ts';
import { newId } from '#db/ids.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { InstalledPrebuilt, Prebuilt } from '#db/schemas/assets/prebuilt.ts';
import { withoutNulls } from '#db/schemas/requests/null-fields.ts';
import { prebuilts } from '#db/tables/assets/assets.ts';
import { messageWithWarnings } from '#server/domains/identity/index.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { unlessTaken } from '#server/kernel/documents/documents.service.ts';
import { core } from '#server/kernel/documents/list-envelope.ts';
import { assertUnchanged, conflictDetails } from '#server/kernel/documents/optimistic-lock.ts';
import { changedMeanwhile, conflict, type Issue, notFound } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { documentsIssues } from './bundles.ts';
import { assetKindOf, packageIssues } from './check.ts';
import { type InstallOptions, installBundles } from './install.service.ts';
import { changedRecord, type InstalledComponent, installedRecord, wholePackage } from './package.ts';
import { removeComponents } from './remove.service.ts';

const KIND = 'Prebuilt';
const PATH = ['prebuilt'];
/** Maximum number of assets or issues that one message names; the others are counted. */
const MOST_NAMED = 20;

const resource = defineResource({
  name: 'prebuilts',
  schema: InstalledPrebuilt,
  source: prebuilts,
  columns: { name: prebuilts.name },
  unlimited: true,
});

/** Returns a page of the installed packages (contract/lifecycle#8). */
export async function listPrebuilts({ db }: ReadContext, query: object) {
  const page = await list(db, resource, readList(resource, query));
  return core<InstalledPrebuilt>(page);
}

/** Returns one installed package, as stored. @throws ServiceError NOT_FOUND */
export async function getPrebuilt({ db }: ReadContext, id: string): Promise<JsonText<InstalledPrebuilt>> {
  const text = await findText(db, prebuilts, id);
  if (text === undefined) throw notFound(KIND, id);
  return json(text);
}

/** Returns the package as it was imported or last updated. @throws ServiceError NOT_FOUND */
export async function exportPrebuilt({ db }: ReadContext, id: string): Promise<JsonText<Prebuilt>> {
  const text = jsonText(prebuilts.package);
  const [row] = await db.select({ text }).from(prebuilts).where(eq(prebuilts.id, id));
  if (!row) throw notFound(KIND, id);
  return json(row.text);
}

/**
 * Validates a package without storing anything (contract/endpoints#4.12). The documents in its bundles are open: what an
 * import would reject of them is part of the message.
 *
 * @param given package as it was sent, of any shape
 * @throws ServiceError BAD_REQUEST with every issue
 */
export function validatePrebuilt(given: unknown) {
  const { metadata, manifest, bundles } = readPackage(given);
  const count = manifest.artifacts.length;
  const message = `Prebuilt ${metadata.name} is valid: ${count} artifact${count === 1 ? '' : 's'}`;
  const refused = documentsIssues(bundles).map(
    ({ path, message: why }) => `${path.slice(1).join('.')} ${why}`,
  );
  const named = refused.slice(0, MOST_NAMED).join('; ');
  const more = refused.length > MOST_NAMED ? `; and ${refused.length - MOST_NAMED} more` : '';
  return {
    status: 'Created' as const,
    message:
      refused.length > 0 ? `${message}; an import would reject its documents: ${named}${more}` : message,
  };
}

/** Returns a package with storable fields. @param furtherIssues finds what else is wrong with its bundles */
function readPackage(sent: unknown, furtherIssues: (bundles: unknown) => Issue[] = () => []): Prebuilt {
  const given = isObject(sent) ? withoutNulls(sent, Object.keys(Prebuilt.shape)) : sent;
  const { bundles } = isObject(given) ? given : {};
  assertNone([...packageIssues(given, PATH), ...furtherIssues(bundles)]);
  return wholePackage(Prebuilt.parse(given));
}

/**
 * Installs a package completely, or not at all (contract/lifecycle#8).
 *
 * @param given package as it was sent, of any shape
 * @throws ServiceError BAD_REQUEST with every issue; CONFLICT when it is installed already, or has an asset whose name is
 *   taken, and `overwrite` is not set
 */
export async function importPrebuilt(
  ctx: WriteContext,
  given: unknown,
  { overwrite = false, relink = false }: Partial<InstallOptions>,
) {
  const whole = readPackage(given, documentsIssues);
  const { name } = whole.metadata;
  const before = await find(ctx.db, prebuilts, sql`${prebuilts.name} = ${name}`, true);
  if (before && !overwrite) throw conflict(`Prebuilt ${name} is already installed`);
  const installed = await installBundles(ctx, whole, { overwrite, relink });
  const { components, keptOnly, warnings, drafts, relinked, missing } = installed;
  const data = installedRecord(whole, { id: before?.id ?? newId(), components }, makerOf(ctx));
  await (before ? overwriteRecord(ctx.db, before, data, whole) : insertRecord(ctx.db, data, whole));
  const kept = keptOnly.length > 0 ? `; kept in the package only: ${keptOnly.join(', ')}` : '';
  const left = before ? leftBehind(before.doc, components) : '';
  const message = `Successfully imported prebuilt ${name} with ${components.length} components${kept}${left}`;
  return {
    status: 'Created' as const,
    message: messageWithWarnings(message, warnings),
    data,
    metadata: {
      ...{ drafts: drafts.drafts, draftsTotal: drafts.total, relinked },
      ...{ missing: missing.missing, missingTotal: missing.total },
    },
  };
}

/**
 * Returns the part of the message about components that an older version installed and this one lacks. They are kept, but
 * are no longer part of the package: somebody may have built on them (docs/decisions/0071).
 */
function leftBehind(before: InstalledPrebuilt, components: readonly InstalledComponent[]): string {
  // `forms` and `json-forms` are one kind.
  const keyOf = ({ id, type }: InstalledComponent) => `${assetKindOf(type) ?? type} ${id}`;
  const still = new Set(components.map(keyOf));
  // This service wrote them: id, name and type exist.
  const dropped = ((before.components ?? []) as InstalledComponent[]).filter((one) => !still.has(keyOf(one)));
  if (dropped.length === 0) return '';
  const named = dropped.slice(0, MOST_NAMED).map(({ type, name }) => `${type} ${name}`);
  const more = dropped.length - named.length;
  return `; no longer part of it, and kept: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const insertRecord = (db: Database, data: InstalledPrebuilt, whole: Prebuilt) =>
  unlessTaken('prebuilts_name', `Prebuilt ${data.name} is already installed`, () =>
    insert(db, prebuilts, data._id, data, { package: whole }),
  );

async function overwriteRecord(
  db: Database,
  stored: Stored<InstalledPrebuilt>,
  data: InstalledPrebuilt,
  whole: Prebuilt,
): Promise<void> {
  const written = await unlessTaken('prebuilts_name', `Prebuilt ${data.name} is already installed`, () =>
    replace(db, prebuilts, stored, data, { package: whole }),
  );
  if (!written) throw changedMeanwhile(`Prebuilt ${stored.doc.name}`);
}

/**
 * Replaces parts of an installed package (contract/endpoints#4.8); its components stay as they are.
 *
 * @param given the parts: `metadata`, `manifest`, `bundles`, `readme`; the resulting package must be valid
 * @throws ServiceError NOT_FOUND; BAD_REQUEST with every issue; CONFLICT when its new name is taken, or it changed
 *   meanwhile
 */
export async function updatePrebuilt(ctx: WriteContext, id: string, given: Record<string, unknown>) {
  const stored = await lockPrebuilt(ctx, id);
  const [held] = await ctx.db
    .select({ package: prebuilts.package })
    .from(prebuilts)
    .where(eq(prebuilts.id, id));
  const parts = Object.entries(given).filter(([, value]) => value !== null && value !== undefined);
  const next = { ...held?.package, ...Object.fromEntries(parts) };
  const { lastUpdated, lastUpdatedBy: by } = stored.doc;
  assertUnchanged(ctx.request.ifMatch, lastUpdated, `Prebuilt ${stored.doc.name}`, () => ({
    ...conflictDetails(held?.package ?? {}, next)(),
    by,
  }));
  const data = readPackage(next);
  await overwriteRecord(ctx.db, stored, changedRecord(stored.doc, data, makerOf(ctx)), data);
  return { status: 'OK' as const, message: `Successfully updated prebuilt ${data.metadata.name}`, data };
}

/**
 * Deletes an installed package; its components stay unless `deleteComponents` is set.
 *
 * @param deleteComponents true: deletes the assets that the package installed, too
 * @throws ServiceError NOT_FOUND; CONFLICT when it changed meanwhile, or a component is used by something else
 */
export async function deletePrebuilt(
  ctx: WriteContext,
  id: string,
  { deleteComponents = false }: { deleteComponents?: boolean | undefined },
) {
  const { doc } = await lockPrebuilt(ctx, id);
  assertUnchanged(ctx.request.ifMatch, doc.lastUpdated, `Prebuilt ${doc.name}`);
  // This service wrote them: id, name and type exist.
  const components = (doc.components ?? []) as InstalledComponent[];
  const removed = deleteComponents ? await removeComponents(ctx, id, components) : 0;
  await remove(ctx.db, prebuilts, [id]);
  const along = deleteComponents ? ` and ${removed} components` : '';
  return { status: 'OK' as const, message: `Successfully deleted prebuilt ${doc.name}${along}` };
}

async function lockPrebuilt({ db }: WriteContext, id: string): Promise<Stored<InstalledPrebuilt>> {
  const stored = await find(db, prebuilts, id, true);
  if (!stored) throw notFound(KIND, id);
  return stored;
}

const makerOf = ({ principal, platform }: WriteContext) => ({ account: principal.id, now: platform.now() });
