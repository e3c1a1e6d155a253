import { sql } from 'drizzle-orm';
import { remove } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { type ImportedTrigger, Trigger } from '#db/schemas/workflow/trigger.ts';
import { triggers } from '#db/tables/assets/assets.ts';
import { forgetReferences, forgetTags } from '#server/domains/assets/index.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { accessOf, readDocument } from '#server/kernel/documents/documents.service.ts';
import { ops, pageOfTexts } from '#server/kernel/documents/list-envelope.ts';
import { assertUnchanged, conflictDetails } from '#server/kernel/documents/optimistic-lock.ts';
import { type Issue, invalid, ServiceError } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { issuesOf } from '#server/kernel/validation/zod-issues.ts';
import { exportedTrigger } from '../automations/automation-documents.ts';
import { type DocumentResult, removeTriggersOf } from '../automations/automations.service.ts';
import { assertReferences } from '../automations/components.service.ts';
import {
  findTrigger,
  insertTrigger,
  lockAutomation,
  lockTrigger,
  makerOf,
  replaceTrigger,
  visibleTriggers,
} from '../automations/store.service.ts';
import { readUpdates } from '../automations/updates.ts';
import { shownTrigger, unsetSecrets } from './form-data.ts';
import { chooseRunAs } from './run-as.service.ts';
import { changedTrigger, editableOf, newTrigger, referencesOf, SERVER_FIELDS } from './trigger-documents.ts';
import { triggerFaults } from './trigger-schema.service.ts';

const resource = defineResource({
  name: 'triggers',
  schema: Trigger,
  source: triggers,
  columns: {
    name: triggers.name,
    type: triggers.type,
    enabled: triggers.enabled,
    actionId: triggers.actionId,
    routeName: triggers.routeName,
    source: triggers.source,
    topic: triggers.topic,
    nextRunAt: triggers.nextRunAt,
  },
  marks: sql`jsonb_typeof(d.doc -> 'formData') = 'object'`,
});

/** Lists a page of triggers, schemas included (contract/lifecycle#6.2). */
export async function listTriggers({ db, principal }: ReadContext, query: object) {
  const listQuery = readList(resource, query, { plain: ['enabled', 'actionId'] });
  const page = await list(db, resource, listQuery, accessOf(visibleTriggers(principal)));
  const { marked } = page;
  const texts = page.texts.map((text, at) => (marked[at] ? shownText(text) : text));
  const shown = pageOfTexts(texts, page.total);
  return ops<Trigger>('Successfully retrieved triggers', shown, listQuery);
}

const shownText = (text: string): string => JSON.stringify(shownTrigger(JSON.parse(text) as object));

/** Returns one trigger, its secrets masked. @throws ServiceError NOT_FOUND */
export async function getTrigger(ctx: ReadContext, id: string): Promise<JsonText<DocumentResult<Trigger>>> {
  const text = shownText(await readDocument(ctx, 'trigger', id));
  return json(`{"message":"Successfully retrieved trigger","data":${text},"metadata":{}}`);
}

/** Returns one trigger in export form. @throws ServiceError NOT_FOUND */
export async function exportTrigger(ctx: ReadContext, id: string): Promise<DocumentResult<ImportedTrigger>> {
  const { doc } = await findTrigger(ctx, id);
  return { message: 'Successfully exported trigger', data: exportedTrigger(doc), metadata: {} };
}

/**
 * Creates a trigger of an automation that the caller may write.
 *
 * @throws ServiceError BAD_REQUEST with all issues, an unknown automation included; FORBIDDEN; UNPROCESSABLE_CONTENT for a
 *   missing form or transformation; CONFLICT when the route is taken
 */
export async function createTrigger(
  ctx: WriteContext,
  given: ImportedTrigger,
): Promise<DocumentResult<Trigger>> {
  assertNone(await triggerFaults(given, ['trigger']));
  const actionId = await writableAutomation(ctx, given.actionId);
  await assertReferences(ctx, given);
  const runAs = await chooseRunAs(ctx, given.runAs, ['trigger', 'runAs']);
  const doc = newTrigger(given, { id: newId(), actionId, runAs }, makerOf(ctx));
  const data = await insertTrigger(ctx, doc);
  return {
    message: messageWith('Successfully created trigger', unsetSecrets(doc, data)),
    data,
    metadata: {},
  };
}

/** Locks the automation of a trigger, writable by the caller. @throws ServiceError BAD_REQUEST, FORBIDDEN */
async function writableAutomation(ctx: WriteContext, actionId: string | undefined): Promise<string> {
  const path = ['trigger', 'actionId'];
  if (actionId === undefined) throw invalid(path, 'is required: the automation to start');
  try {
    return (await lockAutomation(ctx, actionId)).id;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'NOT_FOUND') throw error;
    throw invalid(path, error.message, 'unknown_automation');
  }
}

/**
 * Changes fields of a trigger; its type stays. The next due time stays unless the times change.
 *
 * @param sent fields to change, by name; others stay, and unknown ones are reported as ignored
 * @throws ServiceError NOT_FOUND, FORBIDDEN; BAD_REQUEST with all issues; UNPROCESSABLE_CONTENT for a missing form or
 *   transformation; CONFLICT for a taken route, or when it changed meanwhile
 */
export async function updateTrigger(
  ctx: WriteContext,
  id: string,
  sent: Record<string, unknown>,
): Promise<DocumentResult<Trigger>> {
  const stored = await lockTrigger(ctx, id);
  const { type } = stored.doc;
  const fields = { editable: editableOf(type), kept: SERVER_FIELDS };
  const { given, ignored, issues } = readUpdates(sent, stored.doc, fields, ['trigger']);
  const what = `Trigger ${stored.doc.name}`;
  assertUnchanged(ctx.request.ifMatch, stored.doc.lastUpdated, what, conflictDetails(stored.doc, given));
  if (sent.type !== undefined && sent.type !== type) {
    const message = `is ${type} and cannot be changed: create another trigger instead`;
    issues.push({ path: ['trigger', 'type'], message, code: 'read_only' });
  }
  const next = await readTrigger({ ...stored.doc, ...given }, issues);
  if (next.actionId !== stored.doc.actionId) await writableAutomation(ctx, next.actionId);
  // Unchanged references are not checked again, since they may be hidden from the caller. A trigger that is being enabled
  // may have been imported without them.
  const isSwitchedOn = stored.doc.enabled === false && next.enabled !== false;
  if (isSwitchedOn || namesOthers(stored.doc, next)) await assertReferences(ctx, next);
  const runAs = await chooseRunAs(ctx, given.runAs, ['trigger', 'runAs'], stored.doc.runAs);
  if (typeof given.runAs === 'string' && given.runAs !== runAs) ignored.push('runAs');
  const doc = changedTrigger(stored.doc, next, { ...makerOf(ctx), runAs });
  const data = await replaceTrigger(ctx, stored, doc);
  const message = messageWith('Successfully updated trigger', unsetSecrets(doc, data));
  return { message, data, metadata: { ignored } };
}

const messageWith = (done: string, more: readonly string[]): string => [done, ...more].join('. ');

/** @param issues issues found before; reported together with those of the trigger. @throws ServiceError BAD_REQUEST */
async function readTrigger(fields: Record<string, unknown>, issues: readonly Issue[]): Promise<Trigger> {
  const read = Trigger.safeParse(fields);
  const faults = read.success
    ? await triggerFaults(read.data, ['trigger'])
    : issuesOf(read.error).map((one) => ({ ...one, path: ['trigger', ...one.path] }));
  assertNone([...issues, ...faults]);
  return Trigger.parse(fields);
}

function namesOthers(stored: Trigger, next: Trigger): boolean {
  const [before, after] = [referencesOf(stored), referencesOf(next)];
  return before.formId !== after.formId || before.jst !== after.jst;
}

/**
 * Deletes a trigger.
 *
 * @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT when it changed meanwhile
 */
export async function deleteTrigger(ctx: WriteContext, id: string): Promise<DocumentResult<Trigger>> {
  const { doc } = await lockTrigger(ctx, id);
  assertUnchanged(ctx.request.ifMatch, doc.lastUpdated, `Trigger ${doc.name}`);
  await remove(ctx.db, triggers, [id]);
  await forgetReferences(ctx.db, 'trigger', [id]);
  await forgetTags(ctx.db, [id]);
  return { message: 'Successfully deleted trigger', data: doc, metadata: {} };
}

/** Deletes every trigger of an automation. @throws ServiceError NOT_FOUND, FORBIDDEN */
export async function deleteTriggersOf(
  ctx: WriteContext,
  automationId: string,
): Promise<DocumentResult<{ deletedCount: number }>> {
  await lockAutomation(ctx, automationId);
  const deletedCount = await removeTriggersOf(ctx, automationId);
  return { message: 'Successfully deleted triggers', data: { deletedCount }, metadata: {} };
}
