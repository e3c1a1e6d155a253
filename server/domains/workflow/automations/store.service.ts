import { type SQL, sql } from 'drizzle-orm';
import { rows, violates } from '#db/client.ts';
import { find, replace, type Stored } from '#db/collection.ts';
import { readable } from '#db/document-kinds/readable.ts';
import type { Automation } from '#db/schemas/workflow/automation.ts';
import type { Trigger } from '#db/schemas/workflow/trigger.ts';
import { automations, triggers } from '#db/tables/assets/assets.ts';
import { recordReferences } from '#server/domains/assets/index.ts';
import { lockDocument } from '#server/domains/identity/index.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { findDocument, insertUnlessTaken, unlessTaken } from '#server/kernel/documents/documents.service.ts';
import { freeName } from '#server/kernel/documents/names.ts';
import { changedMeanwhile } from '#server/kernel/errors.ts';
import { assertWholeAccount, type Caller } from '#server/kernel/principal.ts';
import { sealedTrigger, shownTrigger } from '../triggers/form-data.ts';
import { freeRoute, stemOf } from '../triggers/routes.ts';
import { assertMayWriteTrigger, TRIGGERS_RUN } from '../triggers/trigger-rights.service.ts';
import type { Maker } from './automation-documents.ts';
import { inSavepoint } from './savepoint.service.ts';

/** Returns who changes a document in this request, and when. */
export const makerOf = ({ principal, platform }: WriteContext): Maker => ({
  account: principal.id,
  now: platform.now(),
});

/** Returns the condition for the automations that a caller may see. */
export const visibleAutomations = (principal: Caller): SQL | undefined => readable('automation', principal);

/** Returns the condition for the triggers that a caller may see: those of visible automations. */
export const visibleTriggers = (principal: Caller): SQL | undefined => readable('trigger', principal);

/** Returns an automation by its id, if the caller may see it. @throws ServiceError NOT_FOUND */
export const findAutomation = (ctx: ReadContext, id: string): Promise<Stored<Automation>> =>
  findDocument(ctx, 'automation', id);

/** Locks and returns an automation for a write of it or of its triggers. @throws ServiceError NOT_FOUND, FORBIDDEN */
export const lockAutomation = (ctx: ReadContext, id: string): Promise<Stored<Automation>> =>
  lockDocument(ctx, 'automation', id);

/**
 * Returns a trigger by its id, if the caller may see it, with its secrets masked.
 *
 * @throws ServiceError NOT_FOUND
 */
export async function findTrigger(ctx: ReadContext, id: string, lock = false): Promise<Stored<Trigger>> {
  const found = await findDocument(ctx, 'trigger', id, lock);
  return { ...found, doc: shownTrigger(found.doc) };
}

/** Locks and returns a trigger for a write, which its automation must allow. @throws ServiceError NOT_FOUND, FORBIDDEN */
export async function lockTrigger(ctx: ReadContext, id: string): Promise<Stored<Trigger>> {
  const { doc } = await findTrigger(ctx, id);
  // Every write of either locks the automation first, so that concurrent writes wait instead of deadlocking.
  await lockAutomation(ctx, doc.actionId ?? '');
  return findTrigger(ctx, id, true);
}

/**
 * Stores a new automation.
 *
 * @throws ServiceError CONFLICT when its name is taken
 */
export async function insertAutomation(ctx: WriteContext, doc: Automation): Promise<Automation> {
  const taken = { index: 'automations_name', message: `Automation ${doc.name} already exists` };
  await insertUnlessTaken(ctx.db, automations, { id: doc._id, doc }, taken);
  await recordReferences(ctx.db, 'automation', [{ id: doc._id, doc }]);
  return doc;
}

/** Stores a new automation under its name, or `Name (1)`, `Name (2)` … when that is taken. */
export const insertRenamed = (ctx: WriteContext, doc: Automation): Promise<Automation> =>
  underFreeName(
    ctx,
    'automations_name',
    async () => freeName(doc.name, await takenNames(ctx, doc.name)),
    (inner, name) => insertAutomation(inner, { ...doc, name }),
  );

/**
 * Replaces an automation that was read and locked. If it now starts something else, its triggers run as the caller from
 * then on: nobody may make another account start what they chose.
 *
 * @throws ServiceError CONFLICT when its name is taken
 */
export async function replaceAutomation(
  ctx: WriteContext,
  stored: Stored<Automation>,
  doc: Automation,
): Promise<Automation> {
  const { db, principal } = ctx;
  const written = await unlessTaken('automations_name', `Automation ${doc.name} already exists`, () =>
    replace(db, automations, stored, doc),
  );
  if (!written) throw changedMeanwhile(`Automation ${stored.doc.name}`);
  const { componentType, componentId, componentName } = stored.doc;
  const isSame =
    doc.componentType === componentType &&
    doc.componentId === componentId &&
    doc.componentName === componentName;
  if (!isSame) {
    const changed = await rows(
      db,
      sql`update ${triggers} set rev = rev + 1,
            doc = doc || jsonb_build_object('runAs', ${principal.id}::text) where action_id = ${doc._id} returning id`,
    );
    if (changed.length > 0) assertWholeAccount(principal, TRIGGERS_RUN);
  }
  await recordReferences(db, 'automation', [{ id: doc._id, doc }]);
  return doc;
}

/**
 * Stores a new trigger.
 *
 * @returns the trigger with its secrets masked
 * @throws ServiceError CONFLICT when its route is taken; FORBIDDEN, NOT_FOUND when it may not start its workflow
 */
export async function insertTrigger(ctx: WriteContext, doc: Trigger): Promise<Trigger> {
  await assertMayWriteTrigger(ctx, doc);
  const sealed = sealedTrigger(ctx.platform.vault, doc);
  const row = { id: doc._id, doc: sealed, actionId: doc.actionId };
  await insertUnlessTaken(ctx.db, triggers, row, { index: 'triggers_route', message: routeTaken(doc) });
  await recordReferences(ctx.db, 'trigger', [{ id: doc._id, doc: sealed }]);
  return shownTrigger(sealed);
}

/** Stores a new trigger at its route, or `route-1`, `route-2` … when that is taken. */
export async function insertRerouted(ctx: WriteContext, doc: Trigger): Promise<Trigger> {
  if (doc.type !== 'endpoint') return insertTrigger(ctx, doc);
  return underFreeName(
    ctx,
    'triggers_route',
    () => freeRouteFor(ctx, doc.routeName),
    (inner, routeName) => insertTrigger(inner, { ...doc, routeName }),
  );
}

/**
 * Replaces a trigger that was read and locked; masks keep its secrets.
 *
 * @returns the trigger with its secrets masked
 * @throws ServiceError CONFLICT when its route is taken
 */
export async function replaceTrigger(
  ctx: WriteContext,
  stored: Stored<Trigger>,
  doc: Trigger,
): Promise<Trigger> {
  await assertMayWriteTrigger(ctx, doc);
  const { db, platform } = ctx;
  const before = await find(db, triggers, stored.id);
  const sealed = sealedTrigger(platform.vault, doc, before?.doc);
  const written = await unlessTaken('triggers_route', routeTaken(doc), () =>
    replace(db, triggers, stored, sealed, { actionId: doc.actionId }),
  );
  if (!written) throw changedMeanwhile(`Trigger ${stored.doc.name}`);
  await recordReferences(db, 'trigger', [{ id: doc._id, doc: sealed }]);
  return shownTrigger(sealed);
}

const routeTaken = (doc: Trigger) =>
  `Route ${doc.type === 'endpoint' ? doc.routeName : ''} is used by another trigger: choose another routeName`;

/** Returns a route that no trigger currently has. */
async function freeRouteFor({ db }: WriteContext, wanted: string): Promise<string> {
  const stem = stemOf(wanted);
  const found = await rows<{ name: string }>(
    db,
    // No character allowed in a route sorts after the tilde.
    sql`select route_name as name from ${triggers} where type = 'endpoint' and route_name >= ${stem}
          and route_name < ${`${stem}\u007f`} and (route_name = ${wanted} or route_name ~ '-[0-9]+$')`,
  );
  return freeRoute(wanted, new Set(found.map(({ name }) => name)));
}

async function takenNames({ db }: WriteContext, wanted: string): Promise<Set<string>> {
  const found = await rows<{ name: string }>(
    db,
    sql`select name from ${automations} where name = ${wanted}
        union select name from ${automations}
          where name >= ${`${wanted} (`} and name < ${`${wanted} )`} and name ~ ' \\(\\d+\\)$'`,
  );
  return new Set(found.map(({ name }) => name));
}

/** Chooses a free name and stores under it; chooses again when a concurrent write takes the name. */
async function underFreeName<T>(
  ctx: WriteContext,
  index: string,
  choose: () => Promise<string>,
  store: (ctx: WriteContext, name: string) => Promise<T>,
): Promise<T> {
  for (;;) {
    const name = await choose();
    try {
      return await inSavepoint(ctx, (inner) => store(inner, name));
    } catch (error) {
      if (violates(error) !== index) throw error;
    }
  }
}
