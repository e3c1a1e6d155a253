import { eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { findAll } from '#db/collection.ts';
import { isOneOf } from '#db/expressions.ts';
import type { TaskWarning } from '#db/schemas/workflow/job.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { transformations, workflows } from '#db/tables/assets.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { findingsOf } from '../../validation/derived.service.ts';
import { transformationsNamed } from '../execution/transform.ts';
import type { WorkflowSnapshot } from '../reducer/plan.ts';
import { keepPlan } from './plans.service.ts';

/** A workflow as a job takes it. */
export type WorkflowDefinition = { workflow: Workflow; projectId: string | null; planId: string };

/** What keeps a workflow from starting, by those who look at it now; none: it starts. */
export type CheckedDefinition = WorkflowDefinition & { errors: TaskWarning[] };

/** Whether a workflow is a draft is a matter of the workflow, not of who starts it: everything is looked at. */
const ANY_READER: Caller = {
  id: '',
  username: 'system',
  provenance: 'platform',
  roles: ['admin'],
  groups: [],
  permissions: [],
  session: null,
};

/**
 * A workflow by its name or id, with what keeps it from starting here and now (contract/lifecycle#5.2); its plan is kept
 * for the jobs that are made of it. undefined: there is none.
 */
export async function findDefinition(
  db: Database,
  by: { name: string } | { id: string },
): Promise<CheckedDefinition | undefined> {
  const { id, name, doc, projectId } = workflows;
  const isAsked = 'id' in by ? eq(id, by.id) : eq(name, by.name);
  const [row] = await db.select({ workflow: doc, projectId }).from(workflows).where(isAsked);
  if (!row) return undefined;
  const { workflow } = row;
  const { errors } = await findingsOf({ db, principal: ANY_READER }, workflow);
  const planId = errors.length > 0 ? '' : await keepPlan(db, await drawingOf(db, workflow));
  return { workflow, projectId: row.projectId, planId, errors };
}

/** What a job copies: the drawing, and the transformations that its tasks name. */
async function drawingOf(db: Database, { tasks, transitions }: Workflow): Promise<WorkflowSnapshot> {
  const ids = transformationsNamed(tasks);
  if (ids.length === 0) return { tasks, transitions };
  const copies = (await findAll(db, transformations, isOneOf(transformations.id, ids))).map(({ id, doc }) => [
    id,
    doc,
  ]);
  return { tasks, transitions, transformations: Object.fromEntries(copies) };
}
