import { sql } from 'drizzle-orm';
import { findAll, remove } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import type { AutomationPatch, NewAutomation } from '#db/schemas/requests/automation.ts';
import { Automation, type ExportedAutomation } from '#db/schemas/workflow/automation.ts';
import type { Trigger } from '#db/schemas/workflow/trigger.ts';
import { automations, triggers } from '#db/tables/assets/assets.ts';
import { forgetReferences, forgetTags } from '#server/domains/assets/index.ts';
import { assertConsistent } from '#server/domains/identity/index.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { accessOf, readDocument } from '#server/kernel/documents/documents.service.ts';
import { ops } from '#server/kernel/documents/list-envelope.ts';
import { assertUnchanged, conflictDetails } from '#server/kernel/documents/optimistic-lock.ts';
import { invalid, invalidRequest } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import {
  changedAutomation,
  componentTypeOf,
  EDITABLE,
  exportedAutomation,
  newAutomation,
} from './automation-documents.ts';
import { componentIn, findComponent, knownGbac, namedGroups } from './components.service.ts';
import {
  findAutomation,
  insertAutomation,
  lockAutomation,
  makerOf,
  replaceAutomation,
  visibleAutomations,
} from './store.service.ts';
import { readUpdates } from './updates.ts';

const resource = defineResource({
  name: 'automations',
  schema: Automation,
  source: automations,
  columns: { name: automations.name, componentId: automations.componentId },
});

/** The response of every operation on one document (contract/lifecycle#ops). */
export type DocumentResult<Document> = { message: string; data: Document; metadata: Record<string, unknown> };

/** Lists a page of automations (contract/lifecycle#6.1). */
export async function listAutomations({ db, principal }: ReadContext, query: object) {
  const listQuery = readList(resource, query);
  const page = await list(db, resource, listQuery, accessOf(visibleAutomations(principal)));
  return ops<Automation>('Successfully retrieved automations', page, listQuery);
}

/** Returns one automation, as it is stored. @throws ServiceError NOT_FOUND */
export async function getAutomation(
  ctx: ReadContext,
  id: string,
): Promise<JsonText<DocumentResult<Automation>>> {
  const text = await readDocument(ctx, 'automation', id);
  return json(`{"message":"Successfully retrieved automation","data":${text},"metadata":{}}`);
}

/**
 * Creates an automation.
 *
 * @throws ServiceError CONFLICT when the name is taken; BAD_REQUEST for an unknown component or group
 */
export async function createAutomation(
  ctx: WriteContext,
  given: NewAutomation,
): Promise<DocumentResult<Automation>> {
  if (Object.hasOwn(given, 'triggers')) {
    throw invalid(
      ['automation', 'triggers'],
      'must not be set here: import the automation with its triggers, or create each trigger by itself',
    );
  }
  assertConsistent(given.gbac, ['automation', 'gbac']);
  const gbac = await knownGbac(ctx.db, given.gbac ?? {}, ['automation', 'gbac']);
  const component = await findComponent(ctx, given);
  if (!component) throw unknownComponent(given);
  const doc = newAutomation(given, { id: newId(), component, gbac }, makerOf(ctx));
  await insertAutomation(ctx, doc);
  return { message: 'Successfully created automation', data: doc, metadata: {} };
}

const unknownComponent = (component: Parameters<typeof componentIn>[0]) =>
  invalid(
    ['automation', component.componentId ? 'componentId' : 'componentName'],
    `${componentIn(component)} does not exist`,
    'unknown_component',
  );

/**
 * Changes fields of an automation; a whole document is accepted, and its fields that cannot change are listed in
 * `metadata.ignored`.
 *
 * @throws ServiceError NOT_FOUND, FORBIDDEN; BAD_REQUEST for unknown fields, component or group; CONFLICT for a taken name,
 *   or when it changed meanwhile
 */
export async function updateAutomation(
  ctx: WriteContext,
  id: string,
  sent: AutomationPatch,
): Promise<DocumentResult<Automation>> {
  assertConsistent(sent.gbac, ['automation', 'gbac']);
  const gbac = sent.gbac && (await knownGbac(ctx.db, sent.gbac, ['automation', 'gbac']));
  const stored = await lockAutomation(ctx, id);
  const { given, ignored, issues } = readUpdates(sent, stored.doc, { editable: EDITABLE }, ['automation']);
  const what = `Automation ${stored.doc.name}`;
  assertUnchanged(ctx.request.ifMatch, stored.doc.lastUpdated, what, conflictDetails(stored.doc, given));
  if (issues.length > 0) throw invalidRequest(issues);
  const change = { ...given, ...(gbac && { gbac }), ...(await componentOf(ctx, stored.doc, given)) };
  const doc = changedAutomation(stored.doc, change, makerOf(ctx));
  await replaceAutomation(ctx, stored, doc);
  return { message: 'Successfully updated automation', data: doc, metadata: { ignored } };
}

/** Returns the component that a change names. An unchanged one is not looked up, since it may be hidden from the caller. */
async function componentOf(ctx: WriteContext, stored: Automation, change: AutomationPatch) {
  const { componentType = stored.componentType, componentId, componentName } = change;
  const type = componentTypeOf(componentType);
  const sameType = type === componentTypeOf(stored.componentType);
  const sameId = componentId === undefined || componentId === stored.componentId;
  const sameName = componentName === undefined || componentName === stored.componentName;
  if (sameType && sameId && sameName) return {};
  const wantedComponent = {
    componentType: type,
    // A document sent back with another name means that name, not the id that it still has.
    componentId:
      sameType && sameId && !sameName
        ? null
        : componentId === undefined && !sameType
          ? stored.componentId
          : componentId,
    componentName: componentName === undefined && !sameType ? stored.componentName : componentName,
  };
  const component = await findComponent(ctx, wantedComponent);
  if (!component) throw unknownComponent(wantedComponent);
  return { componentType: type, ...component };
}

/**
 * Deletes an automation with its triggers; jobs that it started stay.
 *
 * @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT when it changed meanwhile
 */
export async function deleteAutomation(ctx: WriteContext, id: string): Promise<DocumentResult<Automation>> {
  const { doc } = await lockAutomation(ctx, id);
  assertUnchanged(ctx.request.ifMatch, doc.lastUpdated, `Automation ${doc.name}`);
  await removeTriggersOf(ctx, id);
  await remove(ctx.db, automations, [id]);
  await forgetReferences(ctx.db, 'automation', [id]);
  await forgetTags(ctx.db, [id]);
  return { message: 'Successfully deleted automation', data: doc, metadata: {} };
}

/** Removes every trigger of a locked automation. @returns the number of triggers removed */
export async function removeTriggersOf({ db }: WriteContext, automationId: string): Promise<number> {
  const owned = await findAll(db, triggers, sql`${triggers.actionId} = ${automationId}`);
  const ids = owned.map(({ id }) => id);
  await remove(db, triggers, ids);
  await forgetReferences(db, 'trigger', ids);
  await forgetTags(db, ids);
  return ids.length;
}

/**
 * Returns an automation in export form, with its triggers (contract/lifecycle#6.1).
 *
 * @throws ServiceError NOT_FOUND
 */
export async function exportAutomation(
  ctx: ReadContext,
  id: string,
): Promise<DocumentResult<ExportedAutomation>> {
  const { doc } = await findAutomation(ctx, id);
  const owned: { doc: Trigger }[] = await findAll(ctx.db, triggers, sql`${triggers.actionId} = ${id}`);
  const groups = await namedGroups(ctx.db, [doc.gbac]);
  const data = exportedAutomation(
    doc,
    owned.map((one) => one.doc),
    groups,
  );
  return { message: 'Successfully exported automation', data, metadata: {} };
}
