import { wordWithin } from '#db/document-kinds/kinds.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import {
  type Asset,
  bareName,
  projectOf,
  type Reference,
  referencesIn,
  resolve,
} from '#server/domains/assets/index.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { workflowsIn } from '../missing/missing.service.ts';
import { candidatesFor } from '../missing/relink.ts';
import { type FindSimilar, similarNames } from '../missing/similar-names.ts';
import type { ValidationContext } from './validation-context.ts';

/** A document that will exist together with a workflow: documents of one import reference each other. */
export type ComingDocument = { kind: ComponentType; id: string; name: string; doc: Asset };

/** A workflow as it is validated: it may have no name yet. */
export type NamedWorkflow = Pick<Workflow, 'tasks' | 'transitions'> & { name?: string | undefined };

/**
 * Returns the references of each workflow to documents that do not exist; a workflow may call itself.
 *
 * @param coming documents that will exist together with them
 */
export async function missingReferences(
  ctx: ReadContext,
  given: readonly NamedWorkflow[],
  coming: readonly ComingDocument[],
): Promise<ValidationContext['missing'][]> {
  const there = new Set(coming.flatMap(({ kind, id, name }) => [keyOf(kind, id), keyOf(kind, name)]));
  const anyNamed = new Set(coming.map(({ name }) => name));
  const open = given.map(({ name = '', ...workflow }) =>
    referencesIn('workflow', { ...workflow, name }).filter(({ kind, value }) => {
      if (value === name && (kind === 'workflow' || kind === null)) return false;
      return !(kind === null ? anyNamed.has(value) : there.has(keyOf(kind, value)));
    }),
  );
  const targets = await resolve(ctx.db, open.flat());
  let at = 0;
  const missing = open.map((references) => references.filter(() => !targets[at++]));
  const candidates = await candidatesOf(ctx, given, missing, coming);
  return missing.map((references, index) =>
    references.map((one) => ({
      word: one.kind && wordWithin(one.kind),
      value: one.value,
      path: one.path,
      candidates: candidates(given[index]?.name ?? '', one),
    })),
  );
}

const keyOf = (kind: ComponentType, value: string) => `${kind} ${value}`;

/** Returns a function that finds the workflows of the same project that may be a missing one and that the caller may see. */
async function candidatesOf(
  ctx: ReadContext,
  given: readonly NamedWorkflow[],
  missing: readonly (readonly Reference[])[],
  coming: readonly ComingDocument[],
): Promise<(user: string, reference: Reference) => string[]> {
  const projects = new Set(
    given.flatMap(({ name = '' }, at) =>
      missing[at]?.some(({ kind }) => kind === 'workflow') ? (projectOf(name) ?? []) : [],
    ),
  );
  const stored = await workflowsIn(ctx, [...projects]);
  const find = new Map<string, FindSimilar>();
  for (const id of projects) {
    const fresh = coming.flatMap(({ kind, name }) =>
      kind === 'workflow' && projectOf(name) === id ? [bareName(name)] : [],
    );
    find.set(id, similarNames([...(stored.get(id)?.keys() ?? []), ...fresh]));
  }
  return (user, { kind, value }) => {
    const inside = kind === 'workflow' ? find.get(projectOf(user) ?? '') : undefined;
    return inside ? candidatesFor({ name: value, users: new Set([bareName(user)]) }, inside) : [];
  };
}
