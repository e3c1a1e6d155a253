import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { runUnread } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { GroupReference } from '#db/schemas/workflow/task.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import type { TokenRoles } from '#server/kernel/principal.ts';
import type { Head, JobDocument, TimeLimit } from '../reducer/document.ts';
import { startOf } from '../reducer/job-events.ts';
import { enqueueJobWork } from './job-work.service.ts';
import { holdsSecrets } from './named-secrets.ts';
import { marksSecrets } from './sealed.ts';
import { compressed, idsOf } from './serialize-job.ts';
import { storeSmallValues, storeValues } from './store.service.ts';

/** The input for a new job. */
export type NewJob = {
  workflow: Pick<Workflow, 'name'> & Partial<Workflow>;
  planId: string;
  projectId: string | null;
  variables: Record<string, unknown>;
  description?: string | null | undefined;
  type?: string | undefined;
  groups: readonly GroupReference[];
  /** The account that starts it; null: the clock or an event. */
  account: string | null;
  /** The account whose rights its tasks have. */
  actingAccount: string;
  /** Child jobs only: the changes of the parent's acting account. */
  actingHistory?: Head['actingHistory'];
  /** Child jobs only: the accounts that confirmed the task that starts it, or one above. */
  confirmedBy?: string[];
  /** The roles that count, for each of these accounts that used a personal token. */
  tokenRoles?: TokenRoles | undefined;
  initiator: string;
  validationErrors?: Head['validationErrors'];
  /** Child jobs only: the job that waits is paused, and so is its new child job. */
  isPaused?: boolean;
  /** Child jobs only, like `parent`, `fan` and `limit`. */
  ancestors?: readonly string[];
  parent?: Head['parent'];
  fan?: { id: string; element: number | null };
  limit?: TimeLimit | undefined;
  /** Seals its values even though its workflow marks none: they come from a sealed job. */
  sealed?: boolean;
};

/**
 * Stores new jobs and enqueues their start, in the caller's transaction, with one statement for all of them.
 *
 * @param asks false when the caller starts them itself
 * @returns the stored jobs, in order
 */
export async function insertJobs(
  { db, platform }: SystemContext<'now' | 'durable' | 'vault'>,
  given: readonly NewJob[],
  asks = true,
): Promise<JobDocument[]> {
  const now = platform.now();
  const made = given.map((one) => {
    const id = newId(now.getTime());
    const state = { tasks: {}, ready: [], ...(one.limit && { limit: one.limit }) };
    const document = { head: headOf(id, one, now), state };
    const vault = isSecret(one) ? platform.vault : null;
    return {
      id,
      one,
      document,
      stored: compressed({ ...document, iterations: [] }, { seed: randomUUID(), vault }),
    };
  });
  // Documents are already JSON texts: they are inserted verbatim.
  const items = made.map(({ id, one, stored }) => {
    const { planId: plan, projectId: project, fan } = one;
    const apart = idsOf(stored.apart);
    const { id: fanId = null, element = null } = fan ?? {};
    const rest = JSON.stringify({ id, plan, project, fan: fanId, element, apart });
    return `{"doc":${stored.head},"state":${stored.state},${rest.slice(1)}`;
  });
  await runUnread(
    db,
    sql`
    insert into jobs (id, doc, state, plan_id, project_id, fan_id, element, apart)
    select item ->> 'id', item -> 'doc', item -> 'state', item ->> 'plan', item ->> 'project', item ->> 'fan',
      (item ->> 'element')::int, (select array_agg(v) from jsonb_array_elements_text(item -> 'apart') as listed(v))
    from jsonb_array_elements(${`[${items.join(',')}]`}::text::jsonb) as listed(item)`,
  );
  for (const { id, stored } of made) await storeValues(db, id, stored.values);
  await storeSmallValues(
    db,
    made.flatMap(({ id, stored }) => stored.added.map((one) => ({ ...one, job: id }))),
  );
  for (const { id, one } of made) noteChange(db, { kind: 'jobs', id, name: one.workflow.name });
  const elementOf = ({ fan }: NewJob) => fan?.element ?? undefined;
  const starts = asks ? made.map(({ id, one }) => startOf(id, elementOf(one))) : [];
  await enqueueJobWork({ db, platform, isOfList: given.some((one) => elementOf(one) !== undefined) }, starts);
  return made.map(({ document }) => document);
}

const isSecret = ({ sealed, workflow, variables }: NewJob): boolean =>
  sealed || marksSecrets(workflow) || holdsSecrets(variables);

function headOf(id: string, { workflow, ...given }: NewJob, now: Date): Head {
  const at = now.toISOString();
  // Default numbers where the workflow has none: a job has all of them (contract/resources#2.13).
  return {
    _id: id,
    type: given.type ?? 'automation',
    name: workflow.name,
    description: given.description ?? null,
    status: given.isPaused ? 'paused' : 'running',
    created: at,
    created_by: given.account,
    actingAccount: given.actingAccount,
    ...(given.actingHistory && { actingHistory: given.actingHistory }),
    ...(given.confirmedBy?.length && { confirmedBy: given.confirmedBy }),
    ...(given.tokenRoles && { tokenRoles: given.tokenRoles as NonNullable<Head['tokenRoles']> }),
    initiator: given.initiator,
    last_updated: at,
    last_updated_by: given.account,
    createdVersion: workflow.createdVersion ?? null,
    lastUpdatedVersion: workflow.lastUpdatedVersion ?? null,
    canvasVersion: workflow.canvasVersion ?? 3,
    encodingVersion: workflow.encodingVersion ?? 1,
    migrationVersion: workflow.migrationVersion ?? 3,
    font_size: workflow.font_size ?? 12,
    preAutomationTime: workflow.preAutomationTime ?? 0,
    sla: workflow.sla ?? 0,
    decorators: workflow.decorators ?? [],
    tags: workflow.tags ?? [],
    error: [],
    warnings: workflow.warnings ?? [],
    validationErrors: given.validationErrors ?? [],
    ancestors: [...(given.ancestors ?? []), id],
    variables: { ...given.variables, _id: id, initiator: given.initiator },
    metrics: { start_time: now.getTime(), end_time: null, user: given.account, progress: 0, owner: null },
    groups: [...given.groups],
    watchers: [],
    parent: given.parent ?? null,
    errorHandler: workflow.errorHandler ?? null,
  };
}
