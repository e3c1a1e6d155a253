import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { TaskWarning } from '#db/schemas/workflow/job.ts';
import type { Transformation } from '#db/schemas/workflow/transformation.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { transformations, workflows } from '#db/tables/assets.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { findingsOf } from '../../validation/derived.service.ts';
import { transformationsNamed } from '../execution/transform.ts';
import type { Drawing } from '../reducer/plan.ts';
import { keepPlan } from './plans.service.ts';

/** A workflow as a job takes it. */
export type Definition = { workflow: Workflow; projectId: string | null; planId: string };

/** What keeps a workflow from starting, by those who look at it now; none: it starts. */
export type Found = Definition & { errors: TaskWarning[] };

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
): Promise<Found | undefined> {
  const where = 'id' in by ? sql`${workflows.id} = ${by.id}` : sql`${workflows.name} = ${by.name}`;
  const [row] = await rows<{ doc: string; project_id: string | null }>(
    db,
    sql`select doc::text as doc, project_id from ${workflows} where ${where}`,
  );
  if (!row) return undefined;
  const workflow = JSON.parse(row.doc) as Workflow;
  const { errors } = await findingsOf({ db, principal: ANY_READER }, workflow);
  const planId = errors.length > 0 ? '' : await keepPlan(db, await drawingOf(db, workflow));
  return { workflow, projectId: row.project_id, planId, errors };
}

/** What a job copies: the drawing, and the transformations that its tasks name. */
async function drawingOf(db: Database, { tasks, transitions }: Workflow): Promise<Drawing> {
  const ids = transformationsNamed(tasks);
  if (ids.length === 0) return { tasks, transitions };
  const found = await rows<{ id: string; doc: string }>(
    db,
    sql`select id, doc::text as doc from ${transformations} where id = any(${textArray(ids)}) order by id`,
  );
  const copies = found.map(({ id, doc }) => [id, JSON.parse(doc) as Transformation]);
  return { tasks, transitions, transformations: Object.fromEntries(copies) };
}
