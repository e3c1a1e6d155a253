import { sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { rows } from '#db/client.ts';
import { find, insert, remove, replace } from '#db/collection.ts';
import { list } from '#db/list/list.ts';
import { defineResource } from '#db/list/resource.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { DeviceTemplate, type ImportedTemplate } from '#db/schemas/network/device.ts';
import { deviceTemplates } from '#db/tables/gateway.ts';
import { compileAll } from '#server/domains/assets/index.ts';
import { assertConsistent, assertMayWrite, withoutUnknownGroups } from '#server/domains/identity/index.ts';
import {
  accessOf,
  allOf,
  makerOf,
  type Reading,
  readSearchAt,
  unlessTaken,
  type Writing,
} from '#server/kernel/documents/documents.service.ts';
import { keptWith, landAll } from '#server/kernel/documents/import-placement.service.ts';
import { type Maker, wholeGbac } from '#server/kernel/documents/new-document.ts';
import { against, assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import { conflict, type Issue, notFound } from '#server/kernel/errors.ts';
import { json } from '#server/kernel/json-text.ts';
import { assertNone, issuesIn } from '#server/kernel/validation/document-issues.ts';
import { templateIssues } from '../specs/derivation.ts';

const KIND = 'Device template';

const resource = defineResource({
  name: 'device templates',
  schema: DeviceTemplate,
  source: deviceTemplates,
  columns: { name: deviceTemplates.name },
  defaultSort: [{ field: 'name', order: 1 }],
});

/** What a caller gives of a template; members not given stay, or are empty. */
export type TemplateChange = {
  name?: string | undefined;
  template?: string | undefined;
  variables?: Record<string, unknown> | undefined;
  deviceOSTypes?: string[] | undefined;
};

/** A new device template (contract/lifecycle#4.11). @throws ServiceError BAD_REQUEST, CONFLICT when the name is taken */
export async function createTemplate(
  ctx: Writing,
  given: TemplateChange & { name: string; template: string },
): Promise<DeviceTemplate> {
  assertNone(await sourceIssues([given.template], () => ['template']));
  const doc = newTemplate(given, makerOf(ctx));
  await unlessTaken('device_templates_name', taken(given.name), () =>
    insert(ctx.db, deviceTemplates, doc.id, doc),
  );
  return doc;
}

/** Search for templates by a substring of their name, or by id (contract/lifecycle#4.11). */
export async function searchTemplates(
  { db, principal }: Reading,
  { name, options = {} }: { name?: string | undefined; options?: Record<string, unknown> | undefined },
): Promise<{ list: DeviceTemplate[]; total: number }> {
  const byId = name === undefined ? undefined : await find(db, deviceTemplates, name);
  const query = readSearchAt(resource, { ...options, filter: byId ? {} : { name } }, {}, (path) =>
    path[0] === 'filter' ? path.slice(1) : ['options', ...path],
  );
  const one = byId && sql`${deviceTemplates.id} = ${byId.id}`;
  const page = await list(db, resource, query, accessOf(one, mayRead(deviceTemplates, principal)));
  return json(`{"list":[${page.texts.join(',')}],"total":${page.total}}`);
}

/** One template that the caller may read. @throws ServiceError NOT_FOUND */
export async function getTemplate({ db, principal }: Reading, id: string): Promise<DeviceTemplate> {
  const visible = allOf(sql`${deviceTemplates.id} = ${id}`, mayRead(deviceTemplates, principal));
  const stored = await find(db, deviceTemplates, visible);
  if (!stored) throw notFound(KIND, id);
  return stored.doc;
}

/**
 * Change a device template (contract/lifecycle#4.11).
 *
 * @throws ServiceError BAD_REQUEST, NOT_FOUND, FORBIDDEN, CONFLICT when the name is taken
 */
export async function updateTemplate(ctx: Writing, id: string, change: TemplateChange): Promise<void> {
  const { db, principal, request, platform } = ctx;
  if (change.template !== undefined)
    assertNone(await sourceIssues([change.template], () => ['data', 'template']));
  const visible = allOf(sql`${deviceTemplates.id} = ${id}`, mayRead(deviceTemplates, principal));
  const stored = await find(db, deviceTemplates, visible, true);
  if (!stored) throw notFound(KIND, id);
  assertMayWrite(stored.doc.gbac, principal, `${KIND} ${stored.doc.name}`);
  const what = `${KIND} ${stored.doc.name}`;
  assertUnchanged(request.ifMatch, stored.doc.updated, what, against(stored.doc, change));
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const doc: DeviceTemplate = {
    ...stored.doc,
    ...Object.fromEntries(given),
    updated: grownStamp(platform.now(), stored.doc.updated),
    updatedBy: principal.id,
  };
  const written = await unlessTaken('device_templates_name', taken(doc.name), () =>
    replace(db, deviceTemplates, stored, doc),
  );
  if (!written) throw conflict(`${KIND} ${stored.doc.name} was changed meanwhile`);
}

/**
 * Delete device templates; ids that are not there count for nothing (contract/lifecycle#4.11).
 *
 * @returns how many were deleted
 * @throws ServiceError FORBIDDEN when one may not be written: none is deleted then
 */
export async function deleteTemplates(ctx: Writing, ids: readonly string[]): Promise<number> {
  const { db, principal, request } = ctx;
  const found = await rows<{ id: string; doc: string }>(
    db,
    sql`select id, doc::text as doc from ${deviceTemplates}
        where ${allOf(sql`id = any(${textArray(ids)})`, mayRead(deviceTemplates, principal))}
        order by id for update`,
  );
  for (const { doc } of found) {
    const { name, gbac, updated } = JSON.parse(doc) as DeviceTemplate;
    assertMayWrite(gbac, principal, `${KIND} ${name}`);
    assertUnchanged(request.ifMatch, updated, `${KIND} ${name}`);
  }
  const held = found.map(({ id }) => id);
  return (await remove(db, deviceTemplates, held)).length;
}

/**
 * Import device templates, all or none: a taken name gets a number, a taken id is made anew (contract/lifecycle#ids).
 *
 * @returns what each became, in their order, and groups of access lists that do not exist
 * @throws ServiceError BAD_REQUEST with everything that is wrong
 */
export async function importTemplates(ctx: Writing, given: readonly ImportedTemplate[]) {
  const sources = given.map(({ template }) => template);
  assertNone([
    ...(await sourceIssues(sources, (at) => ['templates', at, 'template'])),
    ...given.flatMap(({ gbac }, at) => issuesIn(() => assertConsistent(gbac, ['templates', at, 'gbac']))),
  ]);
  const maker = makerOf(ctx);
  const landing = { table: deviceTemplates, names: 'device_templates_name', kind: 'A template' };
  const { documents, warnings } = await withoutUnknownGroups(ctx.db, given);
  const data = await landAll(
    ctx.db,
    landing,
    documents,
    (template, { id, name }): DeviceTemplate => ({
      ...template,
      ...newTemplate({ ...template, name }, { ...maker, newId: () => id }),
      ...keptWith(template, maker.now),
    }),
  );
  return { data, warnings };
}

function newTemplate(
  { name, template, variables = {}, deviceOSTypes = [] }: TemplateChange & { name: string; template: string },
  { account, now, newId: makeId }: Maker,
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

/** What is wrong with the sources of templates, with line and column; their variables come with each use. */
async function sourceIssues(
  sources: readonly string[],
  pathOf: (at: number) => (string | number)[],
): Promise<Issue[]> {
  const faults = await compileAll(sources.map((template) => ({ type: 'jinja2', template })));
  return faults.flatMap((found, at) =>
    templateIssues(found, []).map((one) => ({ ...one, path: pathOf(at) })),
  );
}

const taken = (name: string) => `A device template with the name ${name} already exists`;
