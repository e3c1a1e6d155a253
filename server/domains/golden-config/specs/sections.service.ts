import { type SQL, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { Spec, SpecSection } from '#db/schemas/golden-config/config-spec.ts';
import type { RequestedSections } from '#db/schemas/requests/config-spec.ts';
import { specs } from '#db/tables/golden-config/configurations.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { assertNone, issue } from '#server/kernel/validation/document-issues.ts';
import { isSamePlatform } from '../devices/platforms.ts';
import { parserSourceNamed } from '../parsers/readers.service.ts';
import type { TemplateNote } from '../rule-sources/derive.ts';
import { deriveInTime } from '../trees/derivations.service.ts';
import { lineSeed, ruleSetIssues, templateIssues } from './derivation.ts';

/**
 * Returns the sections of a spec with the lines that follow from their templates (contract/additions#golden-sections).
 *
 * @param deviceType of the spec, whose rules are its template and no section
 * @param path field of the request that has the sections
 * @throws ServiceError BAD_REQUEST for an unknown parser, or with line and column of every fault in a template
 */
export async function derivedSections(
  ctx: ReadContext,
  { _id, deviceType }: Pick<Spec, '_id'> & { deviceType: string },
  given: RequestedSections,
  variables: Readonly<Record<string, unknown>>,
  path: string[],
): Promise<{ sections: Record<string, SpecSection>; warnings: TemplateNote[] }> {
  const sections: Record<string, SpecSection> = {};
  const warnings: TemplateNote[] = [];
  for (const [name, { template, ruleSet }] of Object.entries(given)) {
    const at = [...path, name];
    if (isSamePlatform(name, deviceType))
      assertNone([issue(at, `is the platform of the tree: its rules belong into the template of the node`)]);
    const source = await parserSourceNamed(ctx, name, at);
    assertNone(ruleSetIssues(ruleSet, source, [...at, 'ruleSet']));
    const spec = { _id: lineSeed(_id, name), template, ruleSet };
    const derived = await deriveInTime({ spec, variables, source });
    assertNone(templateIssues(derived.issues, [...at, 'template']));
    sections[name] = { template, lines: derived.lines, ...(ruleSet !== undefined && { ruleSet }) };
    warnings.push(...derived.warnings);
  }
  return { sections, warnings };
}

/** Returns the names of the parsers that sections of some specs are for. */
export async function sectionsOf(db: Database, specIds: readonly string[]): Promise<string[]> {
  const found = await rows<{ name: string }>(
    db,
    sql`select distinct jsonb_object_keys(doc -> 'sections') as name from ${specs}
        where id = any(${textArray(specIds)}) and ${hasSections}`,
  );
  return found.map(({ name }) => name);
}

/** The condition that a spec has sections; an index has those rows (`config_specs_sections`). */
export const hasSections: SQL = sql`jsonb_typeof(doc -> 'sections') = 'object'`;
