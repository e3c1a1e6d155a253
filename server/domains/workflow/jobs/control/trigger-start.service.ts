import { sql } from 'drizzle-orm';
import { find } from '#db/collection.ts';
import type { Form } from '#db/schemas/assets/form.ts';
import type { Automation } from '#db/schemas/workflow/automation.ts';
import type { Job } from '#db/schemas/workflow/job.ts';
import type { Trigger } from '#db/schemas/workflow/trigger.ts';
import { automations, forms, triggers } from '#db/tables/assets/assets.ts';
import { triggerFirings } from '#db/tables/workflow/jobs.ts';
import { assertMayUse, validateForm } from '#server/domains/assets/index.ts';
import type { ReadContext, SystemContext, Uses } from '#server/kernel/contexts.ts';
import {
  conflict,
  type Issue,
  invalid,
  invalidRequest,
  notFound,
  ServiceError,
  unprocessable,
} from '#server/kernel/errors.ts';
import type { WorkPlatform } from '#server/kernel/platform.ts';
import { tokenRolesOf } from '#server/kernel/principal.ts';
import { SchemaError } from '#server/kernel/validation/json-schema.ts';
import { checkBySchema, SCHEMA_LIMITS } from '#server/kernel/validation/schema-checks.ts';
import { assertMayUseReferences } from '../../automations/components.service.ts';
import { visibleTriggers } from '../../automations/store.service.ts';
import { runOf } from '../../tasks/runs.ts';
import { openedTrigger, withStoredSecrets } from '../../triggers/form-data.ts';
import { isRun, transformed } from '../execution/incoming.service.ts';
import { type CheckedDefinition, findDefinition } from '../store/definitions.service.ts';
import {
  inputIssues,
  type JobStart,
  noteTrigger,
  type StartResult,
  started,
  startJob,
  validationErrorsOf,
} from './start.service.ts';
import { assertMayStart, noteResult, reportRejectedStart, triggerCaller } from './trigger-account.service.ts';

type TriggerRequest = ReadContext<keyof WorkPlatform>;

/**
 * Runs a manual trigger (contract/endpoints#4.19).
 *
 * @param formData values of the trigger's form; a mask stands for the stored secret
 * @throws ServiceError NOT_FOUND; UNPROCESSABLE_CONTENT for a trigger of another type; CONFLICT when it is disabled, or its
 *   workflow is a draft; BAD_REQUEST with everything that its form rejects
 */
export async function runManualTrigger(
  ctx: TriggerRequest,
  id: string,
  formData: Record<string, unknown>,
): Promise<StartResult> {
  const trigger = await usableTrigger(ctx, sql`${triggers.id} = ${id}`, id);
  if (trigger.type !== 'manual') {
    throw unprocessable(
      `Trigger ${trigger.name} is of type ${trigger.type}: only manual triggers can be run this way`,
    );
  }
  if (trigger.enabled === false) throw conflict(`Trigger ${trigger.name} is disabled`);
  const data = withStoredSecrets(ctx.platform.vault, trigger, formData);
  if (trigger.formId) await assertForm(ctx, trigger.formId, data);
  return started(await startByHand(ctx, trigger, wrapped(trigger, data)));
}

/**
 * Runs an endpoint trigger by its route (contract/lifecycle#6.2).
 *
 * @param body JSON object of the request
 * @throws ServiceError NOT_FOUND for a route that is unknown or disabled; BAD_REQUEST for a body that its schema rejects;
 *   CONFLICT for a draft
 */
export async function runEndpointTrigger(
  ctx: TriggerRequest,
  routeName: string,
  body: Record<string, unknown>,
): Promise<StartResult> {
  const trigger = await usableTrigger(ctx, sql`type = 'endpoint' and route_name = ${routeName}`, routeName);
  if (trigger.type !== 'endpoint' || trigger.enabled === false) throw notFound('Trigger', routeName);
  const variables = await incomingOf(ctx, trigger, body, ctx.principal.id);
  return started(await startByHand(ctx, trigger, variables));
}

/**
 * Fires a schedule now; its next due time stays the same (contract/lifecycle#6.2).
 *
 * @throws ServiceError NOT_FOUND, UNPROCESSABLE_CONTENT, CONFLICT as for manual triggers
 */
export async function runScheduleTrigger(ctx: TriggerRequest, id: string): Promise<StartResult> {
  const trigger = await usableTrigger(ctx, sql`${triggers.id} = ${id}`, id);
  if (trigger.type !== 'schedule') {
    throw unprocessable(
      `Trigger ${trigger.name} is of type ${trigger.type}: only schedule triggers can be run this way`,
    );
  }
  if (trigger.enabled === false) throw conflict(`Trigger ${trigger.name} is disabled`);
  return started(await startByHand(ctx, trigger, wrapped(trigger, filledIn(ctx, trigger))));
}

/** Starts the automation of a trigger on behalf of the caller, who needs `execute` in the project of the workflow. */
async function startByHand(
  ctx: TriggerRequest,
  trigger: Trigger,
  variables: Record<string, unknown>,
): Promise<Job> {
  const found = await componentOf(ctx, trigger);
  await assertMayUse(ctx, [{ kind: 'workflow', by: 'name', value: found.workflow.name }]);
  return startOf(ctx, trigger, found, variables, personOf(ctx));
}

/** Returns the values that a schedule starts with, its secrets decrypted. */
export function filledIn(
  { platform }: Uses<'now' | 'durable' | 'vault'>,
  trigger: Trigger,
): Record<string, unknown> {
  const opened = openedTrigger(platform.vault, trigger);
  return (opened.type === 'schedule' && opened.formData) || {};
}

/** The outcome of a trigger that the clock or an event fires. */
export type TriggerResult = { job: Job } | { already: true } | { rejected: string };

/**
 * Starts the automation of a trigger, for the clock or an event, in the caller's transaction. The job runs for the account
 * that the trigger names (`runAs`), which must be allowed to run the automation by hand now. Each dedup id starts at most
 * one job. A rejection (a draft, a body that the trigger's schema rejects) is returned, not thrown; it uses up the dedup id
 * as well, since it would be rejected again.
 *
 * @param data the incoming data: the event's payload, or the schedule's form data
 */
export async function startForTrigger(
  ctx: SystemContext,
  trigger: Trigger,
  { data, dedupId }: { data: Record<string, unknown>; dedupId: string },
): Promise<TriggerResult> {
  const first = await ctx.db
    .insert(triggerFirings)
    .values({ triggerId: trigger._id, dedupId, at: ctx.platform.now().getTime() })
    .onConflictDoNothing()
    .returning({ id: triggerFirings.triggerId });
  if (first.length === 0) return { already: true };
  if (trigger.enabled === false) return { rejected: `Trigger ${trigger.name} is disabled` };
  try {
    const hasSchema = trigger.type === 'endpoint' || trigger.type === 'eventSystem';
    const caller = await triggerCaller(ctx, trigger);
    await assertMayUseReferences({ db: ctx.db, principal: caller }, trigger);
    const by = { account: null, actingAccount: caller.id, initiator: nameOf(trigger) };
    const variables = hasSchema ? await incomingOf(ctx, trigger, data, caller.id) : wrapped(trigger, data);
    const found = await componentOf(ctx, trigger);
    await assertMayStart(ctx, caller, found);
    return { job: await startOf(ctx, trigger, found, variables, by) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    await reportRejectedStart(ctx, trigger, error.message);
    return { rejected: error.message };
  }
}

/** Returns the name of a trigger as shown by the jobs that it starts by itself. */
const nameOf = ({ name, _id }: Trigger) => `trigger ${name} (${_id})`;

const personOf = ({ principal }: ReadContext<'now' | 'durable' | 'vault'>) => ({
  account: principal.id,
  actingAccount: principal.id,
  tokenRoles: tokenRolesOf(principal),
  initiator: principal.username,
});

/** Returns a trigger that the caller may see, and whose form and transformation it may use. */
async function usableTrigger(
  { db, principal }: ReadContext<'now' | 'durable' | 'vault'>,
  where: ReturnType<typeof sql>,
  called: string,
): Promise<Trigger> {
  const may = visibleTriggers(principal);
  const found = await find<Trigger>(db, triggers, may ? sql`${where} and ${may}` : where);
  if (!found) throw notFound('Trigger', called);
  await assertMayUseReferences({ db, principal }, found.doc);
  return found.doc;
}

/** Converts form data to variables: under one name, or each property by itself (contract/endpoints#4.19). */
const wrapped = (
  { legacyWrapper }: { legacyWrapper?: boolean | undefined },
  data: Record<string, unknown>,
) => (legacyWrapper === false ? data : { formData: data });

/** Checks incoming data against the trigger's schema, then applies its transformation with the rights of `account`. */
async function incomingOf(
  ctx: SystemContext,
  trigger: Extract<Trigger, { type: 'endpoint' | 'eventSystem' }>,
  data: Record<string, unknown>,
  account: string,
): Promise<Record<string, unknown>> {
  const issues = trigger.schema ? await schemaIssues(trigger.schema, data) : [];
  if (issues.length > 0) throw invalidRequest(issues, `Trigger ${trigger.name} does not accept this input`);
  if (!trigger.jst) return wrapped(trigger, data);
  const run = runOf('WorkFlowEngine', 'transformation');
  if (!isRun(run))
    throw unprocessable(
      `Trigger ${trigger.name} has a transformation, but this server cannot run transformations`,
    );
  const outcome = await transformed({ ...ctx, account }, run, trigger.jst, data);
  if (outcome.finish !== 'success') {
    throw invalid([], outcome.error?.message ?? `The transformation of trigger ${trigger.name} failed`);
  }
  return wrapped(trigger, outcome.outgoing);
}

/** Returns the issues of the data against a trigger's schema; one issue when the schema is unusable or its check takes too long. */
async function schemaIssues(schema: object, data: Record<string, unknown>): Promise<Issue[]> {
  try {
    return await checkBySchema(schema, data, SCHEMA_LIMITS.request);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    const message = `cannot be checked against the schema of the trigger: ${error.message}`;
    return [{ path: [], message, code: 'schema' }];
  }
}

/** Starts the workflow of a trigger, and records when. */
async function startOf(
  ctx: SystemContext<'now' | 'durable' | 'vault'>,
  trigger: Trigger,
  found: CheckedDefinition,
  variables: Record<string, unknown>,
  by: Pick<JobStart, 'account' | 'actingAccount' | 'tokenRoles' | 'initiator'>,
): Promise<Job> {
  const job = await startJob(ctx, found, {
    ...by,
    variables,
    validationErrors: validationErrorsOf(await inputIssues(found, variables)),
  });
  // The trigger's timestamps stay: a run is no change that somebody who edits the trigger must notice.
  const at = ctx.platform.now().getTime();
  await noteResult(ctx, trigger, {
    lastExecuted: at,
    ...(by.account === null && { lastResult: { at, started: true, message: '', jobId: job._id } }),
  });
  noteTrigger(ctx, trigger);
  return job;
}

/** Returns the workflow that a trigger's automation starts. @throws ServiceError NOT_FOUND, UNPROCESSABLE_CONTENT */
async function componentOf(
  { db }: SystemContext<'now' | 'durable' | 'vault'>,
  trigger: Trigger,
): Promise<CheckedDefinition> {
  const automation = await find<Automation>(db, automations, trigger.actionId ?? '');
  if (!automation) throw notFound('Automation', trigger.actionId ?? '');
  const { name, componentType, componentId, componentName } = automation.doc;
  if ((componentType ?? 'workflows') !== 'workflows') {
    throw unprocessable(`Automation ${name} runs a compliance plan, not a job: run the plan itself`);
  }
  // Another workflow may have taken the name meanwhile, and nobody chose that one: the id counts.
  const found = componentId
    ? await findDefinition(db, { id: componentId })
    : componentName && (await findDefinition(db, { name: componentName }));
  if (!found) {
    const called = componentName ? ` ${componentName}` : '';
    throw unprocessable(
      `Automation ${name} starts the workflow${called} (${componentId ?? 'no id'}), which does not exist: update the automation to use another workflow`,
    );
  }
  return found;
}

/** @throws ServiceError BAD_REQUEST with every issue; UNPROCESSABLE_CONTENT when the form no longer exists */
async function assertForm(
  ctx: ReadContext<'now' | 'durable' | 'vault'>,
  named: string,
  formData: Record<string, unknown>,
): Promise<void> {
  const form = await find<Form>(ctx.db, forms, sql`id = ${named} or name = ${named}`);
  if (!form) throw unprocessable(`JSON form ${named.slice(0, 100)} does not exist`);
  const { errors } = await validateForm(ctx, form.id, formData);
  if (errors.length === 0) return;
  throw invalidRequest(errors.map((one) => ({ ...one, path: ['formData', ...one.path] })));
}
