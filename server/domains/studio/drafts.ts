import type { Draft, DraftError } from '#db/schemas/assets/draft.ts';
import type { TaskWarning } from '#db/schemas/workflow/job.ts';
import { bareName, errorsOf, type Imported } from '#server/domains/assets/index.ts';

/** Maximum number of drafts in one answer, and of errors of each. */
const MOST_DRAFTS = 100;
const MOST_ERRORS = 10;

/** Returns the drafts among imported documents, with the number of all. */
export function draftsOf(made: readonly Imported[]): { drafts: Draft[]; total: number } {
  const found = made.filter(({ doc }) => errorsOf(doc).length > 0);
  return { drafts: found.slice(0, MOST_DRAFTS).map(draftOf), total: found.length };
}

function draftOf({ kind, id, name, doc }: Imported): Draft {
  // The errors of workflows have another shape (contract/lifecycle#5.2).
  const errors = kind === 'workflow' ? taskErrors(doc.errors as TaskWarning[]) : errorsOf(doc);
  return {
    type: kind,
    reference: id,
    name: bareName(name),
    errors: errors.slice(0, MOST_ERRORS),
    total: errors.length,
  };
}

const taskErrors = (errors: readonly TaskWarning[]): DraftError[] =>
  errors.map(({ task = '', message = '' }) => ({ path: ['tasks', task], message, code: 'workflow' }));
