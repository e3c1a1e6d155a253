import type { DraftError } from '#db/schemas/assets/draft.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import type { Template } from '#db/schemas/assets/template.ts';
import {
  type Asset,
  asErrors,
  compileAll,
  formErrors,
  type TemplateError,
  templateError,
} from '#server/domains/assets/index.ts';
import { draftIssues } from '#server/domains/network/index.ts';
import { ServiceError } from '#server/kernel/errors.ts';

/** A document of an import whose shape is valid, with why it could be stored only as a draft. */
type ImportedDocument = { type: ComponentType; document: Asset; errors: DraftError[] };

/**
 * Adds to documents why they cannot run where only compiling them shows it: templates, rules of analytic templates, and
 * schemas of forms. An import keeps them, as drafts.
 */
export async function withCompileErrors<One extends ImportedDocument>(
  documents: readonly One[],
): Promise<One[]> {
  const ofKind = (kind: ComponentType) => documents.filter(({ type }) => type === kind);
  const added = new Map<One, readonly DraftError[]>();
  const templates = ofKind('template');
  // Have been validated as templates.
  const faults = await faultsOf(templates.map(({ document }) => document as Asset & Template));
  for (const [at, one] of templates.entries()) added.set(one, (faults[at] ?? []).map(templateError));
  const forms = ofKind('jsonForm');
  const schemas = await formErrors(forms.map(({ document }) => document));
  for (const [at, one] of forms.entries()) added.set(one, schemas[at] ?? []);
  for (const one of ofKind('mopAnalyticTemplate')) added.set(one, await ruleErrors(one.document));
  return documents.map((one) => {
    const errors = added.get(one) ?? [];
    return errors.length === 0 ? one : { ...one, errors: [...one.errors, ...errors] };
  });
}

/** Returns why templates do not compile; nothing when that exceeds the limit of a request: their runs report it. */
const faultsOf = (templates: readonly Template[]): Promise<TemplateError[][]> =>
  compileAll(templates).catch(nothingWhenLimited);

const ruleErrors = async (template: Asset): Promise<DraftError[]> =>
  asErrors(await draftIssues('mopAnalyticTemplate', template, []).catch(nothingWhenLimited), []);

function nothingWhenLimited(error: unknown): never[] {
  if (error instanceof ServiceError && error.code === 'BAD_REQUEST') return [];
  throw error;
}
