import qs from 'qs';
import { readable } from '#db/document-kinds/readable.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { Template } from '#db/schemas/assets/template.ts';
import { templates } from '#db/tables/assets/assets.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { accessOf, readDocument } from '#server/kernel/documents/documents.service.ts';
import { editLink } from '#server/kernel/documents/edit-link.ts';
import { studio } from '#server/kernel/documents/list-envelope.ts';
import { notFound } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import {
  createAsset,
  deleteAssets,
  importDocuments,
  importedMessage,
  updateAsset,
} from '../stored/documents.service.ts';
import { idByIdOrName } from '../stored/id-by-name.service.ts';
import type { Asset } from '../stored/kinds.ts';
import { compileAll, compileIssues } from './check.service.ts';
import { type Checkable, groupIssues, templateError } from './check.ts';

const KIND = 'template';

const resource = defineResource({
  name: 'templates',
  schema: Template,
  source: templates,
  columns: { name: templates.name, group: templates.group, type: templates.type },
});

/** Returns a page of templates (contract/lifecycle#5.4). */
export async function listTemplates(
  { db, principal }: ReadContext,
  options: Readonly<Record<string, unknown>>,
) {
  const query = readList(resource, options);
  const page = await list(db, resource, query, accessOf(readable(KIND, principal)));
  return studio<Partial<Template>>(page, query, (skip) => {
    const other = qs.stringify({ ...options, start: undefined, skip }, { arrayFormat: 'repeat' });
    return `/automation-studio/templates?${other}`;
  });
}

/** Returns one template as stored, by its id or name; its export is the same. @throws ServiceError NOT_FOUND */
export const getTemplate = async (ctx: ReadContext, id: string): Promise<JsonText<Template>> =>
  json(await readDocument(ctx, KIND, await idByIdOrName(ctx, KIND, id)));

/** A template as sent by callers. */
type TemplateInput = Asset & Checkable;

/**
 * Creates a template.
 *
 * @returns the template with its id and stamps, and where people edit it
 * @throws ServiceError BAD_REQUEST when it does not compile, CONFLICT when its group has the name already
 */
export async function createTemplate(
  ctx: WriteContext,
  template: TemplateInput,
): Promise<{ created: Template; edit: string }> {
  const created = await createAsset(ctx, KIND, template, {
    path: ['template'],
    issues: async (doc, path) => [
      ...groupIssues(doc, path),
      ...(await compileIssues(doc, [...path, 'template'])),
    ],
    taken: taken(template),
  });
  const stored = asTemplate(created);
  return { created: stored, edit: editLink('template', stored.name) };
}

/** A stored document satisfies its schema and has an id. */
const asTemplate = (stored: Asset) => stored as unknown as Template;

const taken = ({ name, group }: { name: unknown; group: unknown }) =>
  `Template ${name} already exists in group ${group}`;

/**
 * Changes fields of a template; fields that are absent or null keep their value (contract/lifecycle#5.4). A template that
 * did not compile when it was imported accepts changes to its other fields.
 *
 * @param id id or name of the template
 * @param update new values by the names of fields
 * @returns the changed template, and where people edit it
 * @throws ServiceError NOT_FOUND, FORBIDDEN, BAD_REQUEST, CONFLICT
 */
export async function updateTemplate(
  ctx: WriteContext,
  id: string,
  update: Readonly<Record<string, unknown>>,
): Promise<{ updated: Template; edit: string }> {
  const given = Object.fromEntries(
    Object.entries(update).filter(([, value]) => value !== null && value !== undefined),
  );
  const known = await idByIdOrName(ctx, KIND, id);
  const isSame = (doc: TemplateInput, stored: TemplateInput) =>
    doc.template === stored.template && doc.type === stored.type;
  const updated = await updateAsset<TemplateInput>(ctx, KIND, known, (stored) => ({ ...stored, ...given }), {
    path: ['update'],
    issues: async (doc, path, stored) => [
      ...groupIssues(doc, path),
      ...(isSame(doc, stored) ? [] : await compileIssues(doc, [...path, 'template'])),
    ],
    isStillDraft: isSame,
  });
  const stored = asTemplate(updated);
  return { updated: stored, edit: editLink('template', stored.name) };
}

/** Deletes a template. @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT while something uses it */
export async function deleteTemplate(ctx: WriteContext, id: string): Promise<void> {
  const known = await idByIdOrName(ctx, KIND, id);
  if ((await deleteAssets(ctx, KIND, [known])) === 0) throw notFound('Template', id);
}

/** The outcome of one template of an import. */
export type ImportedTemplate = { success: boolean; message: string; original: Asset; created: Template };

/**
 * Imports templates as global ones. One that does not compile here is stored as a draft, with the reason in its message
 * too: an export of another system must not be lost because of an unsupported construct (contract/lifecycle#5.4).
 *
 * @returns the template as it was sent and as it is stored, for each one, in the order of `given`
 * @throws ServiceError BAD_REQUEST with every issue
 */
export async function importTemplates(
  ctx: WriteContext,
  given: readonly TemplateInput[],
): Promise<ImportedTemplate[]> {
  const faults = await compileAll(given);
  const imported = await importDocuments(
    ctx,
    KIND,
    given,
    (at) => ['templates', at],
    groupIssues,
    (at) => (faults[at] ?? []).map(templateError),
  );
  return imported.map((one, at) => {
    const original = given[at] ?? one.doc;
    const created = asTemplate(one.doc);
    const [issue] = faults[at] ?? [];
    const message = importedMessage(one);
    return {
      success: true,
      message: issue ? `${message}; it does not compile: ${issue.message}` : message,
      original,
      created,
    };
  });
}
