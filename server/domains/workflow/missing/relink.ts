import type { ComponentType } from '#db/schemas/assets/project.ts';
import {
  type Asset,
  bareName,
  projectOf,
  referencesIn,
  scopedName,
  withRewrittenReferences,
} from '#server/domains/assets/index.ts';
import type { FindSimilar } from './similar-names.ts';

/** A document of the set in which references are repaired. */
type SetDocument = { type: ComponentType; document: Asset };

/** A reference to a workflow by name, and the workflows that have it. */
export type WorkflowUse = { name: string; users: ReadonlySet<string> };

/** A missing workflow name that was replaced by an existing one (contract/lifecycle#relink). */
export type Relinked = { from: string; to: string; uses: number };

/**
 * Returns the workflows of a project that may be the missing one. A workflow that names the missing one is none of them:
 * it would run itself.
 *
 * @param find searches the project's workflows
 */
export const candidatesFor = ({ name, users }: WorkflowUse, find: FindSimilar): string[] =>
  find(bareName(name)).filter((one) => !users.has(one));

/** Returns the name by which references in a file name a workflow of it. @param from id of the exported project */
const nameInFile = (from: string | null, name: string): string =>
  from !== null && projectOf(name) === null ? scopedName(from, name) : name;

/**
 * Returns every name by which documents reference a workflow, apart from those of the set itself.
 *
 * @param from id of the exported project that the documents come from; null: they are global
 */
export function workflowUses(documents: readonly SetDocument[], from: string | null): WorkflowUse[] {
  const own = new Set(
    documents.flatMap(({ type, document }) => (type === 'workflow' ? [nameInFile(from, document.name)] : [])),
  );
  const uses = new Map<string, Set<string>>();
  for (const { type, document } of documents) {
    for (const { kind, by, value } of referencesIn(type, document)) {
      if (kind !== 'workflow' || by === 'id' || own.has(value)) continue;
      const users = uses.get(value) ?? new Set();
      if (type === 'workflow') users.add(bareName(document.name));
      uses.set(value, users);
    }
  }
  return [...uses].map(([name, users]) => ({ name, users }));
}

/**
 * Returns the new name for each missing one that has exactly one candidate.
 *
 * @param from id of the exported project that the documents come from; null: they are global
 */
export function planRelinks(
  missing: readonly WorkflowUse[],
  find: FindSimilar,
  from: string | null,
): Map<string, string> {
  return new Map(
    missing.flatMap((use): [string, string][] => {
      const [only, ...others] = candidatesFor(use, find);
      return only !== undefined && others.length === 0 ? [[use.name, nameInFile(from, only)]] : [];
    }),
  );
}

/**
 * Returns a document with its references to these workflows replaced.
 *
 * @param plan new name of each workflow, by its old one
 * @param counts counts them, by the old name
 */
export const withRelinks = <Doc extends Asset>(
  type: ComponentType,
  document: Doc,
  plan: ReadonlyMap<string, string>,
  counts: Map<string, number>,
): Doc =>
  withRewrittenReferences(type, document, ({ kind, by, value }) => {
    const to = (kind === 'workflow' || kind === null) && by !== 'id' ? plan.get(value) : undefined;
    if (to !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
    return to;
  });
