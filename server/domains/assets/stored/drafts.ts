import type { DraftError } from '#db/schemas/assets/draft.ts';
import type { Issue } from '#server/kernel/errors.ts';
import type { Asset } from './kinds.ts';

/** Maximum number of errors that are stored with a document. */
const MOST_ERRORS = 100;

/**
 * Returns the document with these errors: one with errors is a draft (contract/lifecycle#drafts). The `errors` that were
 * sent with it do not count.
 */
export function withErrors<Doc extends Asset>(doc: Doc, errors: readonly DraftError[] = []): Doc {
  if (errors.length === 0 && !('errors' in doc)) return doc;
  const { errors: _, ...rest } = doc;
  // Only an optional field has changed.
  return (errors.length > 0 ? { ...rest, errors: errors.slice(0, MOST_ERRORS) } : rest) as unknown as Doc;
}

/** Returns the errors of a stored document. */
export const errorsOf = (doc: Asset): DraftError[] =>
  // This service wrote them.
  Array.isArray(doc.errors) ? (doc.errors as DraftError[]) : [];

/** Codes of issues about limits: no draft may exceed them. */
const LIMITS = new Set(['too_deep', 'too_big']);

/** Why a document cannot be stored (`issues`), and why it could be stored only as a draft (`errors`). */
export type AssetFindings = { issues: Issue[]; errors: Issue[] };

/** Splits what is wrong with the content of a document: only limits keep it from being stored as a draft. */
export const asFindings = (found: readonly Issue[]): AssetFindings => ({
  issues: found.filter(({ code }) => LIMITS.has(code)),
  errors: found.filter(({ code }) => !LIMITS.has(code)),
});

/** Returns issues of a request as errors of the document. @param path path of the document in the request */
export const asErrors = (issues: readonly Issue[], path: readonly unknown[]): DraftError[] =>
  issues.map((one) => ({ path: one.path.slice(path.length), message: one.message, code: one.code }));
