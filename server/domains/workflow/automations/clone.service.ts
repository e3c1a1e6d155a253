import { sql } from 'drizzle-orm';
import { findAll } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { Automation } from '#db/schemas/workflow/automation.ts';
import type { Trigger } from '#db/schemas/workflow/trigger.ts';
import { triggers } from '#db/tables/assets/assets.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { openedTrigger } from '../triggers/form-data.ts';
import { clonedTrigger, routeChanges } from '../triggers/trigger-documents.ts';
import { componentTypeOf, newAutomation } from './automation-documents.ts';
import type { DocumentResult } from './automations.service.ts';
import { assertMayBind, assertReferences } from './components.service.ts';
import { attempt } from './savepoint.service.ts';
import { findAutomation, insertAutomation, insertRenamed, insertRerouted, makerOf } from './store.service.ts';

/** The outcome for one trigger; for a trigger that could not be cloned, `data` only identifies it. */
export type ClonedTrigger = {
  success: boolean;
  message: string;
  data: Trigger | { name: string; type: Trigger['type'] };
  automaticChanges: string[];
};

/** The response of a clone (contract/endpoints#4.21). */
export type CloneResult = {
  message: string;
  data: Automation;
  metadata: {
    automaticChanges: string[];
    triggerCloneResults: { message: string; data: ClonedTrigger[]; metadata: Record<string, unknown> };
  };
};

/**
 * Copies an automation with its triggers, all under new ids (contract/endpoints#4.21): the access list is copied, and the
 * caller is the creator. A trigger that cannot be cloned does not undo the rest.
 *
 * @param name absent: `Name (1)`, `Name (2)` …
 * @throws ServiceError NOT_FOUND; FORBIDDEN when the caller may not run it; CONFLICT when the requested name is taken
 */
export async function cloneAutomation(
  ctx: WriteContext,
  { id, name }: { id: string; name?: string | undefined },
): Promise<CloneResult> {
  const { doc: original } = await findAutomation(ctx, id);
  await assertMayBind(ctx, original);
  const component = {
    componentId: original.componentId ?? null,
    componentName: original.componentName ?? null,
  };
  const made = newAutomation(
    { ...original, name: name ?? original.name, componentType: componentTypeOf(original.componentType) },
    { id: newId(), component, gbac: original.gbac },
    makerOf(ctx),
  );
  const store = name === undefined ? insertRenamed : insertAutomation;
  const clone = await store(ctx, made);

  const owned = await findAll(ctx.db, triggers, sql`${triggers.actionId} = ${id}`);
  const data: ClonedTrigger[] = [];
  for (const { doc } of owned) data.push(await cloneTrigger(ctx, doc, clone._id));
  const failed = data.filter(({ success }) => !success).length;
  const message =
    failed > 0 ? `${failed} of ${data.length} triggers could not be cloned` : 'Successfully cloned triggers';
  return {
    message: 'Successfully cloned automation',
    data: clone,
    metadata: {
      automaticChanges:
        name === undefined ? [`Name ${original.name} is taken: the clone is named ${clone.name}`] : [],
      triggerCloneResults: { message, data, metadata: {} },
    },
  } satisfies DocumentResult<Automation>;
}

async function cloneTrigger(ctx: WriteContext, original: Trigger, actionId: string): Promise<ClonedTrigger> {
  const outcome = await attempt(ctx, async (inner) => {
    await assertReferences(inner, original);
    const { trigger, automaticChanges } = clonedTrigger(
      openedTrigger(inner.platform.vault, original),
      { id: newId(), actionId },
      makerOf(inner),
    );
    const stored = await insertRerouted(inner, trigger);
    return { stored, automaticChanges: [...automaticChanges, ...routeChanges(original, stored)] };
  });
  return outcome.success
    ? {
        success: true,
        message: 'Successfully cloned trigger',
        data: outcome.value.stored,
        automaticChanges: outcome.value.automaticChanges,
      }
    : {
        success: false,
        message: outcome.message,
        data: { name: original.name, type: original.type },
        automaticChanges: [],
      };
}
