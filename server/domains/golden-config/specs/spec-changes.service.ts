import { eq } from 'drizzle-orm';
import { find, insert, replace, type Stored } from '#db/collection.ts';
import type { Spec, StoredSpec } from '#db/schemas/golden-config/config-spec.ts';
import type { NewSpec, SpecUpdate } from '#db/schemas/requests/config-spec.ts';
import { specs, treeVersions } from '#db/tables/golden-config/configurations.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { makerOf } from '#server/kernel/documents/documents.service.ts';
import { assertUnchanged, conflictDetails } from '#server/kernel/documents/optimistic-lock.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import { changedMeanwhile, conflict, invalid, invalidRequest, notFound } from '#server/kernel/errors.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { type ParserSource, parserSourceFor, parserSourceNamed } from '../parsers/readers.service.ts';
import type { TemplateNote } from '../rule-sources/derive.ts';
import { assertMayWriteRules } from '../rules/rule-writers.ts';
import { checkLinesInTime, deriveInTime } from '../trees/derivations.service.ts';
import { withVariables } from '../trees/stale-lines.service.ts';
import { newSpec } from '../trees/tree-documents.ts';
import { holdVersion, type LockedVersion, writeVersion } from '../trees/versions.service.ts';
import { lineIssues, ruleSetIssues, templateIssues } from './derivation.ts';
import { derivedSections } from './sections.service.ts';

/**
 * Creates a spec that no node owns (contract/lifecycle#4.6).
 *
 * @throws ServiceError BAD_REQUEST with line and column of every error in the template, FORBIDDEN as `assertMayWriteRules`
 */
export async function createSpec(
  ctx: WriteContext,
  { deviceType, template, variables, ruleSet }: NewSpec,
): Promise<Spec> {
  assertMayWriteRules(ctx.principal);
  const source = await parserSourceNamed(ctx, deviceType, ['data', 'deviceType']);
  const spec: Spec = {
    ...newSpec(deviceType, makerOf(ctx)),
    template,
    ...(variables && { variables }),
    ruleSet,
  };
  assertNone(ruleSetIssues(ruleSet, source, ['data', 'ruleSet']));
  const { lines, issues } = await deriveInTime({ spec, variables: variables ?? {}, source });
  assertNone(templateIssues(issues, ['data', 'template']));
  const whole = { ...spec, lines };
  await insert(ctx.db, specs, spec._id, whole);
  return whole;
}

/**
 * Changes a spec's template and derives its lines, or changes its lines and prints its template (contract/lifecycle#4.6).
 * Variables are merged into those of the version that owns the spec.
 *
 * @returns likely mistakes
 * @throws ServiceError BAD_REQUEST for both template and lines, and with every error in them; NOT_FOUND; CONFLICT when
 *   its parser is missing or the spec has changed; FORBIDDEN as `assertMayWriteRules`
 */
export async function updateSpec(ctx: WriteContext, id: string, update: SpecUpdate): Promise<TemplateNote[]> {
  if (update.template !== undefined && update.lines !== undefined) {
    throw invalid(
      ['data'],
      'has both template and lines: send only one, lines are derived from the template',
    );
  }
  assertMayWriteRules(ctx.principal);
  const locked = await lockOwner(ctx, id);
  const spec = await find(ctx.db, specs, id, true);
  if (!spec) throw notFound('Config spec', id);
  assertUnchanged(
    ctx.request.ifMatch,
    spec.doc.lastUpdated,
    `Config spec ${id}`,
    conflictDetails(spec.doc, update),
  );
  const deviceType = spec.doc.deviceType ?? locked?.version.doc.deviceType ?? '';
  const source = await parserSourceFor(ctx.db, deviceType);
  if (!source) throw conflict(`No parser is named ${deviceType}`);

  assertNone(ruleSetIssues(update.ruleSet, source, ['data', 'ruleSet']));
  const before = locked?.version.doc.variables ?? spec.doc.variables ?? {};
  const variables = { ...before, ...update.variables };
  const { warnings, ...change } = await changeOf(spec, update, variables, source);
  const added = update.sections
    ? await derivedSections(ctx, { _id: id, deviceType }, update.sections, variables, ['data', 'sections'])
    : undefined;
  const written = await replace(ctx.db, specs, spec, {
    ...spec.doc,
    ...change,
    ...(added && { sections: added.sections }),
    ...(!locked && update.variables && { variables }),
    lastUpdated: grownStamp(ctx.platform.now(), spec.doc.lastUpdated),
    lastUpdatedBy: ctx.principal.id,
  });
  if (!written) throw changedMeanwhile(`Config spec ${id}`);
  if (locked) await writeVersion(ctx, locked, await withVariables(ctx, locked.version.doc, variables));
  return [...warnings, ...(added?.warnings ?? [])];
}

/** Locks and returns the version that owns a spec; undefined when none does. If-Match is compared with the spec alone. */
async function lockOwner(ctx: WriteContext, id: string): Promise<LockedVersion | undefined> {
  const [owner] = await ctx.db
    .select({ tree: treeVersions.treeId, version: treeVersions.version })
    .from(specs)
    .innerJoin(treeVersions, eq(treeVersions.id, specs.versionId))
    .where(eq(specs.id, id));
  if (!owner) return undefined;
  try {
    return await holdVersion(ctx, owner.tree, owner.version);
  } catch (error) {
    // A user who may not see a tree may not see its specs either.
    if (error instanceof Error && 'code' in error && error.code === 'NOT_FOUND')
      throw notFound('Config spec', id);
    throw error;
  }
}

async function changeOf(
  { id, doc }: Stored<StoredSpec>,
  { template, lines, ruleSet: given }: SpecUpdate,
  variables: Record<string, unknown>,
  source: ParserSource,
): Promise<Pick<Spec, 'template' | 'lines' | 'ruleSet'> & { warnings: TemplateNote[] }> {
  if (lines) {
    const checked = await checkLinesInTime({ id, lines, variables, source });
    if ('faults' in checked) throw invalidRequest(lineIssues(checked, ['data', 'lines']));
    return { ...checked, ruleSet: undefined, warnings: [] };
  }
  const text = template ?? doc.template;
  const ruleSet = given ?? doc.ruleSet;
  const spec = { _id: id, template: text, ruleSet };
  const derived = await deriveInTime({ spec, variables, source });
  assertNone(templateIssues(derived.issues, ['data', 'template']));
  return { lines: derived.lines, template: text, ruleSet, warnings: derived.warnings };
}
