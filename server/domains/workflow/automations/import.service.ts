import { eq, sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { find, type Stored } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { Automation, ExportedAutomation } from '#db/schemas/workflow/automation.ts';
import type { ImportedTrigger, Trigger } from '#db/schemas/workflow/trigger.ts';
import { automations, triggers } from '#db/tables/assets/assets.ts';
import { assertConsistent, assertMayWrite } from '#server/domains/identity/index.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import { invalid, unprocessable } from '#server/kernel/errors.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { shownTrigger, unsetSecrets } from '../triggers/form-data.ts';
import { importedTrigger, routeChanges, runAsChanges } from '../triggers/trigger-documents.ts';
import { triggerFaults } from '../triggers/trigger-schema.service.ts';
import { importedAutomation } from './automation-documents.ts';
import type { DocumentResult } from './automations.service.ts';
import {
  assertReferences,
  componentIn,
  findComponent,
  knownGbac,
  missingReferences,
} from './components.service.ts';
import { replacedBy, type StoredTrigger } from './match.ts';
import { missingDocuments } from './missing-documents.service.ts';
import { attempt } from './savepoint.service.ts';
import {
  insertAutomation,
  insertRenamed,
  insertRerouted,
  lockAutomation,
  makerOf,
  replaceAutomation,
  replaceTrigger,
  visibleAutomations,
} from './store.service.ts';

/** The outcome for one trigger of an import; `data` is the stored trigger, or on failure the one that was sent. */
export type ImportedTriggerResult = {
  success: boolean;
  message: string;
  data: Trigger | ImportedTrigger;
  automaticChanges: string[];
};

/** The outcome for one automation of an import. */
export type ImportedAutomationResult = {
  success: boolean;
  message: string;
  data: Automation | ExportedAutomation;
  automaticChanges: string[];
  triggers: ImportedTriggerResult[];
};

/** Policy for an automation whose name is taken: number it, reject it, or overwrite the one with that name. */
export type OnTaken = 'rename' | 'reject' | 'overwrite';

/**
 * What to do with a trigger whose form or transformation is missing or hidden: import it disabled, or reject it.
 */
export type OnMissing = 'disable' | 'reject';

/** Maximum length of a name, since indexes contain names. */
const LONGEST = 255;

/**
 * Imports automations with their triggers (contract/lifecycle#6.1). Each is independent: a rejected one is reported with
 * `success: false`, and so is each trigger. The documents that they name and that do not exist are listed
 * (contract/lifecycle#missing).
 */
export async function importAutomations(
  ctx: WriteContext,
  given: readonly ExportedAutomation[],
): Promise<DocumentResult<ImportedAutomationResult[]>> {
  const data: ImportedAutomationResult[] = [];
  for (const one of given) {
    const outcome = await attempt(ctx, (inner) => importAutomation(inner, one));
    data.push(
      outcome.success
        ? outcome.value
        : { success: false, message: outcome.message, data: shown(one), automaticChanges: [], triggers: [] },
    );
  }
  return { message: messageOf(data, 'automation'), data, metadata: await missingDocuments(ctx, given) };
}

/** Imports triggers of existing automations (contract/lifecycle#6.2); a rejected one is reported with `success: false`. */
export async function importTriggers(
  ctx: WriteContext,
  given: readonly ImportedTrigger[],
): Promise<DocumentResult<ImportedTriggerResult[]>> {
  const data: ImportedTriggerResult[] = [];
  for (const one of given) {
    data.push(
      await attemptTrigger(ctx, one, async (inner) => {
        if (one.actionId === undefined) throw invalid(['actionId'], 'is required: the automation to start');
        const { id } = await lockAutomation(inner, one.actionId);
        const known = await triggersOf(inner, id);
        const same = known.find(
          (other) => other.id === one._id && other.name === one.name && other.type === one.type,
        );
        return importTrigger(inner, one, { actionId: id, over: same?.id, onMissing: 'disable' });
      }),
    );
  }
  return { message: messageOf(data, 'trigger'), data, metadata: await missingDocuments(ctx, [], given) };
}

const shown = ({ triggers, ...automation }: ExportedAutomation): ExportedAutomation => ({
  ...automation,
  ...(triggers && { triggers: triggers.map(shownTrigger) }),
});

function messageOf(data: readonly { success: boolean }[], noun: string): string {
  const done = data.filter(({ success }) => success).length;
  const failed = data.length - done;
  const nouns = `${noun}${done === 1 ? '' : 's'}`;
  return failed > 0
    ? `Imported ${done} ${nouns}; ${failed} failed`
    : `Successfully imported ${done} ${nouns}`;
}

async function attemptTrigger(
  ctx: WriteContext,
  given: ImportedTrigger,
  run: (ctx: WriteContext) => Promise<{ trigger: Trigger; automaticChanges: string[] }>,
): Promise<ImportedTriggerResult> {
  const outcome = await attempt(ctx, run);
  return outcome.success
    ? {
        success: true,
        message: 'Successfully imported trigger',
        data: outcome.value.trigger,
        automaticChanges: outcome.value.automaticChanges,
      }
    : { success: false, message: outcome.message, data: shownTrigger(given), automaticChanges: [] };
}

/**
 * Imports one automation: over the one with the same id and name, else as a new one, under its own id when that is free.
 *
 * @param onTaken what to do when another automation has the name
 * @param onMissing what to do with triggers whose form or transformation is missing
 * @throws ServiceError for issues of the automation itself; its triggers fail individually
 */
export async function importAutomation(
  ctx: WriteContext,
  given: ExportedAutomation,
  onTaken: OnTaken = 'rename',
  onMissing: OnMissing = 'disable',
): Promise<ImportedAutomationResult> {
  if (given.name === '' || given.name.length > LONGEST) {
    throw invalid(['name'], `must have 1 to ${LONGEST} characters`);
  }
  const gbac = await knownGbac(ctx.db, given.gbac ?? {}, ['gbac']);
  assertConsistent(gbac, ['gbac']);
  const component = await findComponent(ctx, given);
  if (!component)
    throw unprocessable(`${componentIn(given)}, which automation ${given.name} starts, does not exist`);

  const before = await automationBefore(ctx, given, onTaken);
  const changes: string[] = [];
  const id = before?.id ?? (await importedId(ctx, 'automations', given._id, changes));
  const doc = importedAutomation(given, { id, component, gbac }, makerOf(ctx), before?.doc);
  const store = onTaken === 'rename' ? insertRenamed : insertAutomation;
  const stored = before ? await replaceAutomation(ctx, before, doc) : await store(ctx, doc);
  if (stored.name !== given.name) changes.push(`Name ${given.name} is taken: imported as ${stored.name}`);

  const replaced = replacedBy(given.triggers ?? [], await triggersOf(ctx, stored._id));
  const owned: ImportedTriggerResult[] = [];
  for (const [at, trigger] of (given.triggers ?? []).entries()) {
    owned.push(
      await attemptTrigger(ctx, trigger, (inner) =>
        importTrigger(inner, trigger, { actionId: stored._id, over: replaced[at], onMissing }),
      ),
    );
  }
  const message = `Successfully ${before ? 'updated' : 'imported'} automation`;
  return { success: true, message, data: stored, automaticChanges: changes, triggers: owned };
}

/** Locks and returns the automation that an import overwrites; undefined when there is none. */
async function automationBefore(
  ctx: WriteContext,
  { _id, name }: ExportedAutomation,
  onTaken: OnTaken,
): Promise<Stored<Automation> | undefined> {
  if (onTaken === 'reject') return undefined;
  const where = allOf(
    sql`${automations.name} = ${name}`,
    onTaken === 'rename' ? sql`${automations.id} = ${_id ?? ''}` : undefined,
    visibleAutomations(ctx.principal),
  );
  const found = await find(ctx.db, automations, where, true);
  if (found) assertMayWrite(found.doc.gbac, ctx.principal, `Automation ${name}`);
  return found;
}

/** Returns the id of an imported document if it is free; else a new one, which is reported (contract/lifecycle#ids). */
async function importedId(
  { db }: WriteContext,
  kind: 'automations' | 'triggers',
  given: string | undefined,
  changes: string[],
): Promise<string> {
  if (given === undefined) return newId();
  const table = kind === 'automations' ? automations : triggers;
  if ((await db.$count(table, eq(table.id, given))) === 0) return given;
  const id = newId();
  changes.push(`Id ${given} is taken: imported as ${id}`);
  return id;
}

const triggersOf = ({ db }: WriteContext, actionId: string): Promise<StoredTrigger[]> =>
  rows<StoredTrigger>(
    db,
    sql`select id, name, type from ${triggers} where action_id = ${actionId} order by id`,
  );

/** Imports a trigger of a locked automation; `over` is the id of the automation's trigger that it replaces. */
async function importTrigger(
  ctx: WriteContext,
  sent: ImportedTrigger,
  { actionId, over, onMissing }: { actionId: string; over: string | undefined; onMissing: OnMissing },
) {
  assertNone(await triggerFaults(sent, []));
  if (onMissing === 'reject') await assertReferences(ctx, sent);
  const missing = await missingReferences(ctx, sent);
  const given = missing.length > 0 ? { ...sent, enabled: false } : sent;
  const before = over === undefined ? undefined : await find(ctx.db, triggers, over, true);
  const changes: string[] = [];
  const id = before?.id ?? (await importedId(ctx, 'triggers', given._id, changes));
  const doc = importedTrigger(given, { id, actionId }, makerOf(ctx), before?.doc);
  const trigger = before ? await replaceTrigger(ctx, before, doc) : await insertRerouted(ctx, doc);
  return {
    trigger,
    automaticChanges: [
      ...changes,
      ...missing.map((one) => `Disabled: ${one}, which the trigger references, does not exist here`),
      ...routeChanges(given, trigger),
      ...unsetSecrets(given, trigger),
      ...runAsChanges(given, trigger),
    ],
  };
}
