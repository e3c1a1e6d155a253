import { eq, sql } from 'drizzle-orm';
import { type Database, perDatabase, rows } from '#db/client.ts';
import { jobPlans } from '#db/tables/workflow/jobs.ts';
import { keepLatest } from '#server/kernel/calculations/latest.ts';
import { sha256 } from '#server/kernel/secrets/vault.ts';
import { type Plan, planOf, type WorkflowSnapshot } from '../reducer/plan.ts';

/** Number of plans that a process caches; the one cached first is evicted first. */
const KEPT = 300;

const keptOf = perDatabase(() => new Map<string, Plan>());

/** Returns a job plan by its id, from the cache of this process if possible. */
export async function findPlan(db: Database, id: string): Promise<Plan> {
  const kept = keptOf(db);
  const known = kept.get(id);
  if (known) return known;
  const [row] = await db.select({ drawing: jobPlans.drawing }).from(jobPlans).where(eq(jobPlans.id, id));
  if (!row) throw new Error(`plan ${id} of a job does not exist`);
  return keepLatest(kept, KEPT, id, planOf(row.drawing));
}

/** Stores what a job needs of its workflow; an identical snapshot is stored once. @returns its id */
export async function keepPlan(
  db: Database,
  { tasks, transitions, transformations, adapterTasks }: WorkflowSnapshot,
): Promise<string> {
  const snapshot = JSON.stringify({ tasks, transitions, transformations, adapterTasks });
  const id = sha256(snapshot);
  if (keptOf(db).has(id)) {
    const [there] = await rows(db, sql`select from ${jobPlans} where ${jobPlans.id} = ${id}`);
    if (there) return id;
  }
  await db.execute(
    sql`insert into ${jobPlans} (id, drawing) values (${id}, ${snapshot}::text::jsonb) on conflict do nothing`,
  );
  return id;
}
