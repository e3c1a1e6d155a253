import type { Gbac, Author as StoredAuthor } from '#db/schemas/primitives.ts';
import type { NewAutomation } from '#db/schemas/requests/automation.ts';
import type { Automation, ExportedAutomation, ExportedGbac } from '#db/schemas/workflow/automation.ts';
import type { ImportedTrigger, Trigger } from '#db/schemas/workflow/trigger.ts';
import { wholeGbac } from '#server/kernel/documents/new-document.ts';
import { grownStamp, importedStamp } from '#server/kernel/documents/stamps.ts';
import { shownTrigger } from '../triggers/form-data.ts';

/** The account that writes a document, and the time. */
export type Maker = { account: string; now: Date };

/** The existing workflow or plan that an automation starts; both null when none was named. */
export type Component = { componentId: string | null; componentName: string | null };

/** Fields of an automation that a PATCH may set (contract/lifecycle#6.1). */
export const EDITABLE = ['name', 'description', 'componentType', 'componentId', 'componentName', 'gbac'];

/** Normalizes the component type: both spellings of a compliance plan mean the same (contract/lifecycle#6.1). */
export const componentTypeOf = (given: Automation['componentType']): 'workflows' | 'ucm_compliance_plans' =>
  given === undefined || given === 'workflows' ? 'workflows' : 'ucm_compliance_plans';

/** Returns a new automation; unknown fields are kept. */
export function newAutomation(
  given: NewAutomation,
  { id, component, gbac }: { id: string; component: Component; gbac: Gbac | undefined },
  { account, now }: Maker,
): Automation {
  return {
    ...given,
    ...component,
    _id: id,
    description: given.description ?? '',
    componentType: componentTypeOf(given.componentType),
    gbac: wholeGbac(gbac),
    created: now.toISOString(),
    createdBy: account,
    lastUpdated: now.toISOString(),
    lastUpdatedBy: account,
  };
}

/** Returns the document after a PATCH; its `lastUpdated` always increases. */
export const changedAutomation = (
  stored: Automation,
  change: Partial<Automation>,
  { account, now }: Maker,
): Automation => ({
  ...stored,
  ...change,
  _id: stored._id,
  lastUpdated: grownStamp(now, stored.lastUpdated),
  lastUpdatedBy: account,
});

/**
 * Returns the document that an import stores: as sent, its timestamps kept if they are not in the future; over an existing
 * automation, like a write made now (contract/lifecycle#0.7, #6.1).
 */
export function importedAutomation(
  { triggers: _, ...given }: ExportedAutomation,
  { id, component, gbac }: { id: string; component: Component; gbac: Gbac },
  maker: Maker,
  before?: Automation,
): Automation {
  const made = newAutomation(
    { ...given, componentType: componentTypeOf(given.componentType), gbac },
    { id, component, gbac },
    maker,
  );
  if (before) {
    return changedAutomation(
      before,
      { ...made, created: before.created, createdBy: before.createdBy },
      maker,
    );
  }
  return { ...made, ...importedStamps(given, maker) };
}

/** Returns the authors and timestamps of an imported document. */
export function importedStamps(
  given: Pick<ExportedAutomation, 'created' | 'createdBy' | 'lastUpdated' | 'lastUpdatedBy'>,
  { account, now }: Maker,
) {
  return {
    created: importedStamp(given.created, now),
    createdBy: authorOf(given.createdBy, account),
    lastUpdated: importedStamp(given.lastUpdated, now),
    lastUpdatedBy: authorOf(given.lastUpdatedBy, account),
  };
}

/** Returns an author in stored form (contract/lifecycle#users); null is kept, absence means the importer. */
function authorOf(given: StoredAuthor | undefined, account: string): string | null {
  if (given === undefined) return account;
  return typeof given === 'object' && given !== null ? (given._id ?? given.username ?? null) : given;
}

/** A group as an export names it. */
export type NamedGroup = { name: string; provenance: string; description: string };

/** Returns an automation in export form, without componentId: other systems lack that id (contract/lifecycle#6.1). */
export function exportedAutomation(
  automation: Automation,
  triggers: readonly Trigger[],
  groups: ReadonlyMap<string, NamedGroup>,
): ExportedAutomation {
  const { componentId: _, gbac, ...rest } = automation;
  const named = (ids: readonly string[] | undefined) => (ids ?? []).map((id) => groups.get(id) ?? id);
  const lists: ExportedGbac = { ...gbac, write: named(gbac?.write), read: named(gbac?.read) };
  return { ...rest, gbac: lists, triggers: triggers.map(exportedTrigger) };
}

/** Fields of a trigger that are valid only on this system: past runs, due times, and its account. */
const SERVER_FIELDS = ['lastExecuted', 'lastResult', 'nextRunAt', 'locked', 'runAs'];

/**
 * Returns a trigger in export form. An absent `legacyWrapper` means true, and is written out: clients whose types have no
 * absent value would import it as false (decision 0195).
 */
export const exportedTrigger = (trigger: Trigger): ImportedTrigger =>
  // Only fields that every type may lack are removed.
  ({ legacyWrapper: true, ...without(shownTrigger(trigger), SERVER_FIELDS) }) as ImportedTrigger;

/** Returns a copy of a document without some of its fields. */
export function without<Doc extends object>(doc: Doc, fields: readonly string[]): Doc {
  // The fields that callers name are optional in Doc.
  return Object.fromEntries(Object.entries(doc).filter(([name]) => !fields.includes(name))) as Doc;
}
