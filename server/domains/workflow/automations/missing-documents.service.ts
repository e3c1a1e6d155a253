import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { readable } from '#db/document-kinds/readable.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { Missing } from '#db/schemas/assets/missing.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import type { ExportedAutomation } from '#db/schemas/workflow/automation.ts';
import type { ImportedTrigger } from '#db/schemas/workflow/trigger.ts';
import { tableOf } from '#server/domains/assets/index.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import { missingDocument, sorted } from '../missing/missing-parts.ts';
import { referencesOf } from '../triggers/trigger-documents.ts';
import { componentTypeOf } from './automation-documents.ts';

/** A document that an automation or a trigger names, by its id or else by its name. */
type DocumentUse = { kind: ComponentType; values: string[]; user: Missing['usedBy'][number] };

/** Maximum number of entries in one list. */
const MOST_ENTRIES = 1000;

/**
 * Returns the documents that imported automations and triggers name and that the caller may not see or that do not exist
 * (contract/lifecycle#missing).
 */
export async function missingDocuments(
  ctx: ReadContext,
  automations: readonly ExportedAutomation[],
  triggers: readonly ImportedTrigger[] = automations.flatMap((one) => one.triggers ?? []),
): Promise<{ missing: Missing[]; missingTotal: number }> {
  const uses = [...automations.flatMap(usesOfAutomation), ...triggers.flatMap(usesOfTrigger)];
  const missing = new Map<string, { use: DocumentUse; usedBy: Missing['usedBy'] }>();
  for (const kind of new Set(uses.map((use) => use.kind))) {
    const ofKind = uses.filter((use) => use.kind === kind);
    const known = await knownAmong(
      ctx,
      kind,
      ofKind.flatMap(({ values }) => values),
    );
    for (const use of ofKind) {
      if (use.values.some((value) => known.has(value))) continue;
      const key = `${kind} ${use.values[0]}`;
      missing.set(key, { use, usedBy: [...(missing.get(key)?.usedBy ?? []), use.user] });
    }
  }
  const list = sorted(
    [...missing.values()].map(({ use: { kind, values }, usedBy }) =>
      missingDocument({ kind, target: values[0] ?? '', uses: usedBy.length, usedBy }),
    ),
  );
  return { missing: list.slice(0, MOST_ENTRIES), missingTotal: list.length };
}

const userOf = (type: string, { _id, name }: { _id?: string | undefined; name: string }) => ({
  type,
  name,
  ...(_id !== undefined && { _id }),
});

function usesOfAutomation(automation: ExportedAutomation): DocumentUse[] {
  const { componentType, componentId, componentName } = automation;
  const values = [componentName, componentId].flatMap((one) => one || []);
  if (componentTypeOf(componentType) !== 'workflows' || values.length === 0) return [];
  return [{ kind: 'workflow', values, user: userOf('automation', automation) }];
}

function usesOfTrigger(trigger: ImportedTrigger): DocumentUse[] {
  const { formId, jst } = referencesOf(trigger);
  const user = userOf('trigger', trigger);
  return [
    ...(formId ? [{ kind: 'jsonForm' as const, values: [formId], user }] : []),
    ...(jst ? [{ kind: 'transformation' as const, values: [jst], user }] : []),
  ];
}

/** Returns those of the ids and names that documents have which the caller may see. */
async function knownAmong(
  { db, principal }: ReadContext,
  kind: ComponentType,
  values: readonly string[],
): Promise<Set<string>> {
  const among = sql`any(${textArray([...new Set(values)])})`;
  const found = await rows<{ id: string; name: string }>(
    db,
    sql`select id, name from ${tableOf(kind)}
        where ${allOf(sql`(id = ${among} or name = ${among})`, readable(kind, principal))}`,
  );
  return new Set(found.flatMap(({ id, name }) => [id, name]));
}
