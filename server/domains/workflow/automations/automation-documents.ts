import type { Gbac, Author as StoredAuthor } from '#db/schemas/primitives.ts';
import type { NewAutomation } from '#db/schemas/requests/automation.ts';
import type { Automation, ExportedAutomation, ExportedGbac } from '#db/schemas/workflow/automation.ts';
import type { ImportedTrigger, Trigger } from '#db/schemas/workflow/trigger.ts';
import { wholeGbac } from '#server/kernel/documents/new-document.ts';
import { grownStamp, keptStamp } from '#server/kernel/documents/stamps.ts';
import { shownTrigger } from '../triggers/form-data.ts';

/** Who writes, and when. */
export type Maker = { account: string; now: Date };

/** What an automation starts: a workflow or plan, found; both null where none was named. */
export type Component = { componentId: string | null; componentName: string | null };

/** Members of an automation that a PATCH may set (contract/lifecycle#6.1). */
export const EDITABLE = ['name', 'description', 'componentType', 'componentId', 'componentName', 'gbac'];

/** Both spellings of a compliance plan are one (contract/lifecycle#6.1). */
export const componentTypeOf = (given: Automation['componentType']): 'workflows' | 'ucm_compliance_plans' =>
  given === undefined || given === 'workflows' ? 'workflows' : 'ucm_compliance_plans';

/** An automation that is made now; members that we do not know stay. */
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

/** The document after a PATCH; its stamp grows. */
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
 * The document that an import stores: as it came, its stamps kept where they tell of a moment that has been; over one
 * that is there, as a write of now (contract/lifecycle#0.7, #6.1).
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
  return { ...made, ...keptStamps(given, maker) };
}

/** Who wrote a document and when, as an import brings it. */
export function keptStamps(
  given: Pick<ExportedAutomation, 'created' | 'createdBy' | 'lastUpdated' | 'lastUpdatedBy'>,
  { account, now }: Maker,
) {
  return {
    created: keptStamp(given.created, now),
    createdBy: authorOf(given.createdBy, account),
    lastUpdated: keptStamp(given.lastUpdated, now),
    lastUpdatedBy: authorOf(given.lastUpdatedBy, account),
  };
}

/** An author in stored form (contract/lifecycle#users); null is kept, absence is the importer. */
function authorOf(given: StoredAuthor | undefined, account: string): string | null {
  if (given === undefined) return account;
  return typeof given === 'object' && given !== null ? (given._id ?? given.username ?? null) : given;
}

/** A group as an export names it. */
export type NamedGroup = { name: string; provenance: string; description: string };

/** An automation as it travels: without componentId, which another system has not (contract/lifecycle#6.1). */
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

/** Members of a trigger that the server keeps: what was, what is due, and for whom it runs, on this system. */
const KEPT_BY_SERVER = ['lastExecuted', 'lastResult', 'nextRunAt', 'locked', 'runAs'];

/** A trigger as it travels. */
export const exportedTrigger = (trigger: Trigger): ImportedTrigger =>
  // Only members are left out that may be absent in every type.
  without(shownTrigger(trigger), KEPT_BY_SERVER) as ImportedTrigger;

export function without<Doc extends object>(doc: Doc, members: readonly string[]): Doc {
  // The members that the caller names are optional in Doc.
  return Object.fromEntries(Object.entries(doc).filter(([name]) => !members.includes(name))) as Doc;
}
