import { eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { findAll } from '#db/collection.ts';
import { isOneOf } from '#db/expressions.ts';
import type { TaskWarning } from '#db/schemas/workflow/job.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { transformations, workflows } from '#db/tables/assets/assets.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { adapterTasksOf, type FoundAdapterTasks } from '../../adapter-tasks/adapter-types.service.ts';
import { findingsOf } from '../../validation/derived.service.ts';
import { transformationsNamed } from '../execution/transform.ts';
import type { WorkflowSnapshot } from '../reducer/plan.ts';
import { keepPlan } from './plans.service.ts';

/** A workflow as a job uses it. */
export type WorkflowDefinition = { workflow: Workflow; projectId: string | null; planId: string };

/** A workflow with the errors that currently keep it from starting; with none, it can start. */
export type CheckedDefinition = WorkflowDefinition & { errors: TaskWarning[] };

/** An admin: whether a workflow is a draft does not depend on who starts it, so all references are checked. */
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
 * Returns a workflow by its name or id, with the errors that keep it from starting now (contract/lifecycle#5.2); undefined
 * when it does not exist. Its plan is stored for the jobs created from it.
 */
export async function findDefinition(
  db: Database,
  by: { name: string } | { id: string },
): Promise<CheckedDefinition | undefined> {
  const { id, name, doc, projectId } = workflows;
  const isMatch = 'id' in by ? eq(id, by.id) : eq(name, by.name);
  const [row] = await db.select({ workflow: doc, projectId }).from(workflows).where(isMatch);
  return row && definitionOf(db, row);
}

/** Returns a workflow that was read before as `findDefinition` does. */
export async function definitionOf(
  db: Database,
  { workflow, projectId }: Pick<CheckedDefinition, 'workflow' | 'projectId'>,
): Promise<CheckedDefinition> {
  const found = await adapterTasksOf(db, [workflow]);
  const { errors } = await findingsOf({ db, principal: ANY_READER }, workflow, false, found);
  const planId = errors.length > 0 ? '' : await keepPlan(db, await snapshotOf(db, workflow, found));
  return { workflow, projectId, planId, errors };
}

/** Returns the snapshot that a job copies, including the transformations and operations that its tasks name. */
async function snapshotOf(
  db: Database,
  { tasks, transitions }: Workflow,
  { planned }: FoundAdapterTasks,
): Promise<WorkflowSnapshot> {
  const snapshot = { tasks, transitions, ...(planned.length > 0 && { adapterTasks: planned }) };
  const ids = transformationsNamed(tasks);
  if (ids.length === 0) return snapshot;
  const copies = (await findAll(db, transformations, isOneOf(transformations.id, ids))).map(({ id, doc }) => [
    id,
    doc,
  ]);
  return { ...snapshot, transformations: Object.fromEntries(copies) };
}
