import type { DraftError } from '#db/schemas/assets/draft.ts';
import type { Form } from '#db/schemas/assets/form.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { listDocuments, readDocument } from '#server/kernel/documents/documents.service.ts';
import { type Issue, invalid, unprocessable } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { SchemaError, SchemaTooCostly } from '#server/kernel/validation/json-schema.ts';
import { assertUsable, checkBySchema, SCHEMA_LIMITS } from '#server/kernel/validation/schema-checks.ts';
import {
  createAsset,
  deleteAssets,
  importDocuments,
  importedMessage,
  updateAsset,
} from '../stored/documents.service.ts';
import { idByIdOrName } from '../stored/id-by-name.service.ts';
import type { Asset } from '../stored/kinds.ts';

const KIND = 'jsonForm';
const NAME_TAKEN = 'JSON form with this name already exists';

/** Returns all forms (contract/lifecycle#5.6). */
export const listForms = async (ctx: ReadContext): Promise<JsonText<Form[]>> =>
  json(await listDocuments(ctx, KIND));

/** Returns a form by its id or name. @throws ServiceError NOT_FOUND */
export const getForm = async (ctx: ReadContext, id: string): Promise<JsonText<Form>> =>
  json(await formText(ctx, id));

/** Returns the JSON text of a form, given its id or name. */
const formText = async (ctx: ReadContext, id: string): Promise<string> =>
  readDocument(ctx, KIND, await idByIdOrName(ctx, KIND, id));

type FormWriteResult = { status: 'success'; n: number; doc: Form };

// A stored document satisfies its schema and has an id.
const written = (doc: Asset): FormWriteResult => ({ status: 'success', n: 1, doc: doc as unknown as Form });

/** Creates a form. @throws ServiceError BAD_REQUEST, CONFLICT when the name is taken */
export const createForm = async (ctx: WriteContext, form: Asset): Promise<FormWriteResult> =>
  written(await createAsset(ctx, KIND, form, { path: ['form'], taken: NAME_TAKEN }));

/** Replaces a whole form. @throws ServiceError NOT_FOUND, FORBIDDEN, BAD_REQUEST, CONFLICT */
export const updateForm = async (ctx: WriteContext, id: string, form: Asset): Promise<FormWriteResult> =>
  written(
    await updateAsset(ctx, KIND, await idByIdOrName(ctx, KIND, id), () => form, {
      path: ['options'],
      taken: NAME_TAKEN,
    }),
  );

/**
 * Deletes forms, all or none.
 *
 * @param ids ids or names
 * @returns `n`: the number of deleted forms, without those that do not exist
 * @throws ServiceError FORBIDDEN; CONFLICT with the ids of the forms that triggers or projects use
 */
export async function deleteForms(ctx: WriteContext, ids: readonly string[]) {
  const names: string[] = [];
  for (const id of ids) names.push(await idByIdOrName(ctx, KIND, id));
  return { status: 'success' as const, n: await deleteAssets(ctx, KIND, [...new Set(names)]) };
}

const SCHEMAS = ['schema', 'validationSchema'] as const;

/** Returns why the schemas of forms cannot be used, for each form; those that take too long are reported by their use. */
export async function formErrors(forms: readonly object[]): Promise<DraftError[][]> {
  const found: DraftError[][] = [];
  for (const form of forms) {
    const errors: DraftError[] = [];
    for (const field of SCHEMAS) {
      const schema = (form as Partial<Record<string, unknown>>)[field];
      const fault = isObject(schema) ? await schemaFault(schema) : null;
      if (fault !== null) errors.push({ path: [field], message: fault, code: 'schema' });
    }
    found.push(errors);
    await new Promise(setImmediate);
  }
  return found;
}

async function schemaFault(schema: Readonly<Record<string, unknown>>): Promise<string | null> {
  try {
    await assertUsable(schema, SCHEMA_LIMITS.request);
    return null;
  } catch (error) {
    if (error instanceof SchemaTooCostly) return null;
    if (error instanceof SchemaError) return error.message;
    throw error;
  }
}

/**
 * Imports forms as global ones (contract/lifecycle#5.6); one whose schema cannot be used is stored as a draft
 * (contract/lifecycle#drafts).
 *
 * @throws ServiceError BAD_REQUEST with every issue
 */
export async function importForms(ctx: WriteContext, forms: readonly Asset[]) {
  const errors = await formErrors(forms);
  const imported = await importDocuments(
    ctx,
    KIND,
    forms,
    (at) => ['forms', at],
    () => [],
    (at) => errors[at] ?? [],
  );
  return {
    message: `Imported ${imported.length} JSON ${imported.length === 1 ? 'form' : 'forms'}`,
    status: 'success' as const,
    imported: imported.map((one, at) => ({
      success: true,
      message: importedMessage(one),
      original: forms[at] ?? one.doc,
      created: { _id: one.id, id: one.id, name: one.name },
    })),
  };
}

/** The result of validating data against a form's schemas; each issue has its path in the data. */
export type Verdict = { isValid: boolean; errors: Issue[] };

/**
 * Validates data against the JSON schema of the request (contract/lifecycle#5.6).
 *
 * @param schema JSON schema, draft 4 to 7
 * @param data any JSON value
 * @throws ServiceError BAD_REQUEST when the schema cannot be used
 */
export async function validateData(
  schema: Readonly<Record<string, unknown>>,
  data: unknown,
): Promise<Verdict> {
  try {
    return verdictOf(await checkBySchema(schema, data, SCHEMA_LIMITS.request));
  } catch (error) {
    if (error instanceof SchemaError) throw invalid(['schema'], error.message, 'schema');
    throw error;
  }
}

/**
 * Validates data against a form's data schema and its `validationSchema`.
 *
 * @throws ServiceError NOT_FOUND; UNPROCESSABLE_CONTENT when one of its schemas cannot be used; BAD_REQUEST when the
 *   validation exceeds the limits of a request
 */
export async function validateForm(ctx: ReadContext, id: string, data: unknown): Promise<Verdict> {
  const { name, schema, validationSchema } = JSON.parse(await formText(ctx, id)) as Form;
  try {
    const issues: Issue[] = [];
    for (const one of [schema, validationSchema]) {
      if (one) issues.push(...(await checkBySchema(one, data, SCHEMA_LIMITS.request)));
    }
    return verdictOf(issues);
  } catch (error) {
    if (error instanceof SchemaTooCostly) {
      throw invalid(
        ['data'],
        `cannot be validated against JSON form ${name}: ${error.message}`,
        'schema_limit',
      );
    }
    if (!(error instanceof SchemaError)) throw error;
    throw unprocessable(`The schema of JSON form ${name} cannot be used: ${error.message}`);
  }
}

const verdictOf = (errors: Issue[]): Verdict => ({ isValid: errors.length === 0, errors });
