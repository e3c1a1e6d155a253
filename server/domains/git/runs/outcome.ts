import type { GitDocument, GitResult } from '#db/schemas/git/run.ts';
import { clipped } from '#server/kernel/text/clipped.ts';

/** Most entries of each list of a result. */
const MOST = 1000;

/**
 * Returns an empty result, with functions that add to it as long as there is room.
 *
 * @returns the result, which the functions fill up to 1,000 entries a list
 */
export function openOutcome() {
  const result: GitResult = {
    commits: [],
    documents: { new: [], changed: [], removed: [], conflicts: [] },
    issues: [],
    unchanged: 0,
  };
  const add = <Entry>(list: Entry[], entry: Entry) => {
    if (list.length < MOST) list.push(entry);
  };
  return {
    result,
    unchanged: () => {
      result.unchanged += 1;
    },
    document: (as: 'new' | 'changed' | 'removed', { kind, name, path }: GitDocument) =>
      add(result.documents[as], { kind, name, path }),
    conflict: ({ kind, name, path }: GitDocument, reason: string) =>
      add(result.documents.conflicts, { kind, name, path, reason }),
    commit: (commit: GitResult['commits'][number]) => add(result.commits, commit),
    issue: (path: string, message: string) => add(result.issues, { path, message: clipped(message, 1000) }),
  };
}

export type Outcome = ReturnType<typeof openOutcome>;
