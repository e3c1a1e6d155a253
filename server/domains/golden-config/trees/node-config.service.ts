import { find, replace } from '#db/collection.ts';
import type { NodeConfig } from '#db/schemas/requests/config-spec.ts';
import { specs } from '#db/tables/golden-config/configurations.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { conflictDetails } from '#server/kernel/documents/optimistic-lock.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import { changedMeanwhile, conflict, notFound } from '#server/kernel/errors.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { parserSourceFor } from '../parsers/readers.service.ts';
import type { TemplateNote } from '../rule-sources/derive.ts';
import { assertMayWriteRules } from '../rules/rule-writers.ts';
import { ruleSetIssues, templateIssues } from '../specs/derivation.ts';
import { derivedSections } from '../specs/sections.service.ts';
import { deriveInTime } from './derivations.service.ts';
import { locateNode } from './nodes.service.ts';
import { withVariables } from './stale-lines.service.ts';
import { assertVersionUnchanged, holdVersion, writeVersion } from './versions.service.ts';

/**
 * Sets the template of a node and the lines that follow from it (contract/lifecycle#4.5). The request's variables override
 * the version's: permanently, or for this derivation only.
 *
 * @returns warnings about likely mistakes
 * @throws ServiceError BAD_REQUEST with line and column of every fault in the template, FORBIDDEN as `assertMayWriteRules`
 */
export async function setNodeConfig(
  ctx: WriteContext,
  { treeId, treeVersion, nodePath, data, updateVariables }: NodeConfig,
): Promise<TemplateNote[]> {
  assertMayWriteRules(ctx.principal);
  const locked = await holdVersion(ctx, treeId, treeVersion);
  const version = locked.version.doc;
  const { node, path } = locateNode(version.root, nodePath);
  const spec = await find(ctx.db, specs, node.attributes?.configId ?? '', true);
  if (!spec) throw notFound('Config spec of node', path);
  const { template, ruleSet = spec.doc.ruleSet } = data;
  const variables = { ...version.variables, ...data.variables };
  const kept = updateVariables ? variables : version.variables;
  // This writes the version and the spec, so a conflict lists the differences of both.
  assertVersionUnchanged(ctx, locked, () => {
    const { by, differences } = conflictDetails(version, { variables: kept })();
    return {
      by,
      differences: [...conflictDetails(spec.doc, { template, ruleSet })().differences, ...differences],
    };
  });
  const source = await parserSourceFor(ctx.db, version.deviceType);
  if (!source) throw conflict(`No parser is named ${version.deviceType}`);

  const { sections, warnings: more } = data.sections
    ? await derivedSections(ctx, { _id: spec.id, deviceType: version.deviceType }, data.sections, variables, [
        'data',
        'sections',
      ])
    : { sections: spec.doc.sections, warnings: [] };
  const doc = { ...spec.doc, template, ruleSet, sections };
  assertNone(ruleSetIssues(data.ruleSet, source, ['data', 'ruleSet']));
  const { lines, issues, warnings } = await deriveInTime({ spec: doc, variables, source });
  assertNone(templateIssues(issues, ['data', 'template']));
  const written = await replace(ctx.db, specs, spec, {
    ...doc,
    lines,
    lastUpdated: grownStamp(ctx.platform.now(), spec.doc.lastUpdated),
    lastUpdatedBy: ctx.principal.id,
  });
  if (!written) throw changedMeanwhile(`The spec of node ${path}`);
  await writeVersion(ctx, locked, await withVariables(ctx, version, kept));
  return [...warnings, ...more];
}
