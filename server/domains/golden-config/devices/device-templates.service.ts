import { sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { find } from '#db/collection.ts';
import { list } from '#db/list/list.ts';
import { defineResource } from '#db/list/resource.ts';
import { DeviceTemplate, type ImportedTemplate } from '#db/schemas/network/device.ts';
import type { TemplateChange } from '#db/schemas/requests/device-template.ts';
import { deviceTemplates } from '#db/tables/network/gateway.ts';
import { compileAll } from '#server/domains/assets/index.ts';
import {
  assertConsistent,
  deleteDocuments,
  importDocuments,
  insertDocument,
  updateDocument,
} from '#server/domains/identity/index.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import {
  accessOf,
  besideOptions,
  findDocument,
  makerOf,
  readSearchAt,
} from '#server/kernel/documents/documents.service.ts';
import { importedFields } from '#server/kernel/documents/import-placement.service.ts';
import { type NewDocumentOptions, wholeGbac } from '#server/kernel/documents/new-document.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { assertNone, issuesIn } from '#server/kernel/validation/document-issues.ts';
import { templateIssues } from '../specs/derivation.ts';

const resource = defineResource({
  name: 'device templates',
  schema: DeviceTemplate,
  source: deviceTemplates,
  columns: { name: deviceTemplates.name },
  defaultSort: [{ field: 'name', order: 1 }],
});

/**
 * Creates a device template (contract/lifecycle#4.11).
 *
 * @param given name, Jinja source and optional fields of the template
 * @throws ServiceError BAD_REQUEST, CONFLICT when the name is taken
 */
export async function createTemplate(
  ctx: WriteContext,
  given: TemplateChange & { name: string; template: string },
): Promise<DeviceTemplate> {
  assertNone(await sourceIssues([given.template], () => ['template']));
  return insertDocument(ctx, 'deviceTemplate', newTemplate(given, makerOf(ctx)));
}

/**
 * Searches for templates by a substring of their name, or by id (contract/lifecycle#4.11).
 *
 * @param name substring of the name, or the id of one template; undefined: every template
 * @param options start, limit and sort, as `readList` reads them
 * @returns a page of the templates that the caller may read, and the number of all that match
 * @throws ServiceError BAD_REQUEST with every issue of the search
 */
export async function searchTemplates(
  { db, principal }: ReadContext,
  { name, options = {} }: { name?: string | undefined; options?: Record<string, unknown> | undefined },
): Promise<JsonText<{ list: DeviceTemplate[]; total: number }>> {
  const byId = name === undefined ? undefined : await find(db, deviceTemplates, name);
  const query = readSearchAt(resource, { ...options, filter: byId ? {} : { name } }, {}, besideOptions);
  const one = byId && sql`${deviceTemplates.id} = ${byId.id}`;
  const page = await list(db, resource, query, accessOf(one, mayRead(deviceTemplates, principal)));
  return json('{"list":[', page.body, `],"total":${page.total}}`);
}

/** Returns one template that the caller may read. @throws ServiceError NOT_FOUND */
export const getTemplate = async (ctx: ReadContext, id: string): Promise<DeviceTemplate> =>
  (await findDocument(ctx, 'deviceTemplate', id)).doc;

/**
 * Updates a device template (contract/lifecycle#4.11).
 *
 * @throws ServiceError BAD_REQUEST, NOT_FOUND, FORBIDDEN, CONFLICT when the name is taken
 */
export async function updateTemplate(ctx: WriteContext, id: string, change: TemplateChange): Promise<void> {
  if (change.template !== undefined)
    assertNone(await sourceIssues([change.template], () => ['data', 'template']));
  await updateDocument(ctx, 'deviceTemplate', id, change as Partial<DeviceTemplate>);
}

/**
 * Deletes device templates; ignores unknown ids (contract/lifecycle#4.11).
 *
 * @returns the number of deleted templates
 * @throws ServiceError FORBIDDEN when the caller may not write one of them; none is deleted then
 */
export const deleteTemplates = (ctx: WriteContext, ids: readonly string[]): Promise<number> =>
  deleteDocuments(ctx, 'deviceTemplate', ids);

/**
 * Imports device templates, all or none: a taken name gets a number, a taken id is replaced by a new one
 * (contract/lifecycle#ids).
 *
 * @returns the stored name and id of each template, in their order, and the groups of access lists that do not exist
 * @throws ServiceError BAD_REQUEST with all issues
 */
export async function importTemplates(ctx: WriteContext, given: readonly ImportedTemplate[]) {
  const sources = given.map(({ template }) => template);
  assertNone([
    ...(await sourceIssues(sources, (at) => ['templates', at, 'template'])),
    ...given.flatMap(({ gbac }, at) => issuesIn(() => assertConsistent(gbac, ['templates', at, 'gbac']))),
  ]);
  const maker = makerOf(ctx);
  return importDocuments(
    ctx,
    'deviceTemplate',
    given,
    (template, { id, name }): DeviceTemplate => ({
      ...template,
      ...newTemplate({ ...template, name }, { ...maker, newId: () => id }),
      ...importedFields(template, maker.now),
    }),
  );
}

function newTemplate(
  { name, template, variables = {}, deviceOSTypes = [] }: TemplateChange & { name: string; template: string },
  { account, now, newId: makeId }: NewDocumentOptions,
): DeviceTemplate {
  const id = makeId();
  const stamp = now.toISOString();
  return {
    id,
    _id: id,
    name,
    template,
    variables,
    deviceOSTypes,
    gbac: wholeGbac(undefined),
    created: stamp,
    createdBy: account,
    updated: stamp,
    updatedBy: account,
  };
}

/** Returns the issues of template sources with line and column; variables are not known yet. */
async function sourceIssues(
  sources: readonly string[],
  pathOf: (at: number) => (string | number)[],
): Promise<Issue[]> {
  const faults = await compileAll(sources.map((template) => ({ type: 'jinja2', template })));
  return faults.flatMap((found, at) =>
    templateIssues(found, []).map((one) => ({ ...one, path: pathOf(at) })),
  );
}
