import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { readable } from '#db/document-kinds/readable.ts';
import type { AnalyticTemplate, CommandTemplate } from '#db/schemas/network/mop-template.ts';
import {
  type Asset,
  assetAsStored,
  authorsAsSent,
  createAsset,
  deleteAssets,
  documentIssues,
  importDocuments,
  tableOf,
  updateAsset,
} from '#server/domains/assets/index.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { allOf, listDocuments } from '#server/kernel/documents/documents.service.ts';
import { type Issue, invalid, ServiceError } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { checkRules } from './rules/calculate.service.ts';
import type { RulesCheck } from './rules/calculate.ts';
import { evalIssues, withEvaluators } from './rules/rules.ts';

/** The two kinds of template under `/mop`. */
export type MopKind = 'mopCommandTemplate' | 'mopAnalyticTemplate';

type Template = CommandTemplate | AnalyticTemplate;

/** Messages that clients of the reference platform expect (contract/lifecycle#7). */
const TAKEN = 'Template must have a unique name: Given name is already in use.';
const MISSING = 'Could not find matching template';

/** Returns the issues of a template's rules, by kind. */
const issuesOf =
  (kind: MopKind) =>
  async (template: Asset, path: Issue['path']): Promise<Issue[]> => [
    ...evaluationIssues(kind, template, path),
    // The shape was validated before.
    ...(await checkRules({ kind, template, path } as RulesCheck)),
  ];

/** Returns issues that no run could handle. Imports of one template are rejected for these; their other rule issues are accepted. */
const evaluationIssues = (kind: MopKind, template: Asset, path: Issue['path']): Issue[] =>
  // The shape was validated before.
  kind === 'mopCommandTemplate' ? evalIssues(template as Asset & CommandTemplate, path) : [];

/**
 * Returns why a template of a project or prebuilt is a draft: unknown kinds of rule, and in an analytic template, which compares nothing
 * without them, also unknown operators and expressions that RE2 rejects.
 *
 * @param template its shape is valid
 * @throws ServiceError as checkRules
 */
export const draftIssues = async (kind: MopKind, template: Asset, path: Issue['path']): Promise<Issue[]> =>
  kind === 'mopCommandTemplate'
    ? evaluationIssues(kind, template, path)
    : checkRules({ kind, template: template as Asset & AnalyticTemplate, path });

/** Returns the template as it will be stored. */
const normal = (kind: MopKind, template: Asset): Asset =>
  kind === 'mopAnalyticTemplate' ? withEvaluators(template) : template;

/** Fields that clients expect even if a template lacks them. */
const DEFAULT_FIELDS = { description: '', namespace: null };
const SHOWN = sql`${JSON.stringify(DEFAULT_FIELDS)}::text::jsonb || doc`;

/** Returns all templates of a kind. */
export const listTemplates = async <Doc extends Template>(
  ctx: ReadContext,
  kind: MopKind,
): Promise<JsonText<Doc[]>> => json(await listDocuments(ctx, kind, { shown: SHOWN }));

/** Returns the template with this name, as an array of one. @throws ServiceError NOT_FOUND */
export const getTemplate = async <Doc extends Template>(
  ctx: ReadContext,
  kind: MopKind,
  name: string,
): Promise<JsonText<Doc[]>> => json(`[${await readTemplate(ctx, kind, { name })}]`);

/** Returns the template with this name as a document, for a task. @throws ServiceError NOT_FOUND */
export const templateNamed = async <Doc extends Template>(
  ctx: ReadContext,
  kind: MopKind,
  name: string,
): Promise<Doc> =>
  // Stored documents were validated against the schema.
  JSON.parse(await readTemplate(ctx, kind, { name })) as Doc;

/**
 * Returns one template as stored, without its errors (contract/endpoints#4.16).
 *
 * @param options must both match if both are given (contract/endpoints#4.16)
 * @throws ServiceError NOT_FOUND, BAD_REQUEST when neither is given
 */
export async function exportTemplate(
  ctx: ReadContext,
  type: 'templates' | 'analytics' | 'analytic',
  options: { _id?: string | undefined; name?: string | undefined },
): Promise<JsonText<Template>> {
  if (options._id === undefined && options.name === undefined) {
    throw invalid(['options'], 'name the template by _id, name, or both');
  }
  // Errors belong to the draft here and are never exported.
  return json(await readTemplate(ctx, kindOf(type), options, sql`(${SHOWN}) - 'errors'`));
}

async function readTemplate(
  { db, principal }: ReadContext,
  kind: MopKind,
  { _id, name }: { _id?: string | undefined; name?: string | undefined },
  shown = SHOWN,
): Promise<string> {
  const where = allOf(
    _id === undefined ? undefined : sql`id = ${_id}`,
    name === undefined ? undefined : sql`name = ${name}`,
    readable(kind, principal),
  );
  const [row] = await rows<{ text: string }>(
    db,
    sql`select (${shown})::text as text from ${tableOf(kind)} where ${where ?? sql`true`}`,
  );
  if (!row) throw new ServiceError('NOT_FOUND', MISSING);
  return row.text;
}

/** Returns the kind of template; `analytic` is a synonym of `analytics` (contract/endpoints#4.16). */
const kindOf = (type: 'templates' | 'analytics' | 'analytic'): MopKind =>
  type === 'templates' ? 'mopCommandTemplate' : 'mopAnalyticTemplate';

/**
 * Stores a new template.
 *
 * @param path of the template in the request, for issues
 * @returns the result of an insertion into a MongoDB collection, which clients expect, with the template in `ops`
 * @throws ServiceError BAD_REQUEST naming each invalid rule, CONFLICT when the name is taken
 */
export async function createTemplate<Doc extends Template>(
  ctx: WriteContext,
  kind: MopKind,
  template: Asset,
  path: Issue['path'],
) {
  const doc = await createAsset(ctx, kind, normal(kind, template), {
    path,
    issues: issuesOf(kind),
    taken: TAKEN,
  });
  return {
    result: { ok: 1 as const, n: 1 },
    // Stored documents were validated against the schema.
    ops: [{ ...DEFAULT_FIELDS, ...doc } as unknown as Doc],
    insertedCount: 1,
    insertedIds: { '0': doc.name },
  };
}

/**
 * Replaces a template; a new name means a new id, and references in workflows are updated.
 *
 * @param path of the template in the request, for issues
 * @returns the result of an update of a MongoDB collection, which clients expect
 * @throws ServiceError NOT_FOUND, FORBIDDEN, BAD_REQUEST, CONFLICT
 */
export async function updateTemplate(
  ctx: WriteContext,
  kind: MopKind,
  id: string,
  template: Asset,
  path: Issue['path'],
) {
  await updateAsset(ctx, kind, id, () => normal(kind, template), {
    path,
    issues: issuesOf(kind),
    taken: TAKEN,
  });
  return {
    ...{ ok: 1 as const, n: 1, nModified: 1 },
    // For clients of newer database drivers.
    ...{ acknowledged: true as const, matchedCount: 1, modifiedCount: 1, upsertedCount: 0, upsertedId: null },
  };
}

/**
 * Deletes a template; a missing one is not an error.
 *
 * @returns the result of a deletion from a MongoDB collection, which clients expect; `deletedCount` is 0 or 1
 * @throws ServiceError FORBIDDEN, CONFLICT while it is used
 */
export async function deleteTemplate(ctx: WriteContext, kind: MopKind, id: string) {
  const n = await deleteAssets(ctx, kind, [id]);
  return { acknowledged: true as const, deletedCount: n, ok: 1 as const, n, nModified: n };
}

/**
 * Stores an exported template, under another name if its own is taken. Expressions that RE2 rejects are kept, so that
 * an export of another system is not lost; a run reports them (contract/lifecycle#7).
 *
 * @returns name and id of the stored template, beside `ok` and `n`, which clients expect
 * @throws ServiceError BAD_REQUEST
 */
export async function importTemplate(
  ctx: WriteContext,
  type: 'templates' | 'analytics' | 'analytic',
  template: Asset,
) {
  const kind = kindOf(type);
  const path = ['template'];
  const sent = assetAsStored(kind, authorsAsSent(kind, template));
  assertNone(documentIssues(kind, sent, path, () => evaluationIssues(kind, sent, path)));
  const [imported] = await importDocuments(ctx, kind, [normal(kind, sent)], () => path);
  if (!imported) throw new Error('the import returned no template');
  // Clients that use `analytic` check for this status (contract/lifecycle#0.2.4).
  if (type === 'analytic') ctx.answer.status = 201;
  return { ok: 1 as const, n: 1, name: imported.name, _id: imported.id };
}
