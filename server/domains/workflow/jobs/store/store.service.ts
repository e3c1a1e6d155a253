import { randomUUID } from 'node:crypto';
import { type SQL, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { jsonTexts, textArray } from '#db/list/row-expressions.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { isSealed, type Vault } from '#server/kernel/secrets/vault.ts';
import { taskItemOf } from '../reads/shown.ts';
import type { Head, Iteration, JobDocument, State } from '../reducer/document.ts';
import type { Event } from '../reducer/job-events.ts';
import type { Plan } from '../reducer/plan.ts';
import { applyEvent, type ReducerInput, type ReducerResult } from '../reducer/reducer.ts';
import {
  type Allowance,
  allowance,
  type Large,
  LargeMissing,
  largeFrom,
  TooMuchRead,
} from './large-values.ts';
import { hasBecomeSecret } from './named-secrets.ts';
import { findPlan } from './plans.service.ts';
import {
  keptPlace,
  marksSecrets,
  openedHead,
  openedJson,
  type StoredHead,
  statePlace,
  valuePlace,
} from './sealed.ts';
import { fillSeparateValues, type SeparateValues } from './separate-values.ts';
import { type CompressedJob, compressed, idsOf, type StoredValue } from './serialize-job.ts';

/** A job loaded for processing. */
export type Loaded = {
  id: string;
  /** Revision of the row, which counts its changes. */
  rev: number;
  document: JobDocument;
  plan: Plan;
  projectId: string | null;
  /** The attempt of another job's task that waits for this job. */
  fanId: string | null;
  /** Whether its values are sealed at rest. */
  sealed: boolean;
  /** Its values that are stored separately to spare writes. */
  apart: SeparateValues;
};

type JobRow = {
  rev: number;
  doc: string;
  state: string;
  parted: boolean;
  values: string | null;
  plan_id: string;
  project_id: string | null;
  fan_id: string | null;
};

/**
 * Returns a job with its state; undefined when it does not exist or `where` hides it from the caller.
 *
 * @param lock locks the row until the transaction ends
 */
export async function findJob(
  { db, platform: { vault } }: SystemContext<'vault'>,
  id: string,
  { lock = false, where }: { lock?: boolean; where?: SQL | undefined } = {},
): Promise<Loaded | undefined> {
  const [row] = await rows<JobRow>(
    db,
    sql`select rev, doc::text as doc, state::text as state, apart is not null as parted,
          ${lock ? sql`null` : VALUES} as values, plan_id, project_id, fan_id from jobs
        where id = ${id}${where ? sql` and ${where}` : sql``}${lock ? sql` for update` : sql``}`,
  );
  if (!row) return undefined;
  // A statement that waited for the lock sees other tables as they were before: the next one sees them as they are.
  const [later] =
    row.parted && lock
      ? await rows<{ values: string | null }>(db, sql`select ${VALUES} as values from jobs where id = ${id}`)
      : [];
  const values = JSON.parse(later?.values ?? row.values ?? '{}') as Record<string, unknown>;
  // Written by saveJob.
  const stored = JSON.parse(row.doc) as StoredHead;
  const state = JSON.parse(openedJson(vault, row.state, statePlace(id))) as State;
  const plan = await findPlan(db, row.plan_id);
  return {
    id,
    rev: row.rev,
    ...fillSeparateValues({ head: openedHead(vault, stored), state }, values),
    plan,
    projectId: row.project_id,
    fanId: row.fan_id,
    // A job from before sealing existed is sealed from its next step on.
    sealed: stored.sealed !== undefined || plan.marksSecrets || marksSecrets(stored),
  };
}

/** The separately stored values of a job that readers see in it, by id, as a JSON text. */
const VALUES = sql`case when apart is not null then (
  select json_object_agg(v.id, v.value)::text from job_values v where v.id = any(jobs.apart)) end`;

/** Runs `applyEvent`, fetching the separately stored values that it needs. */
export async function applyWithLarge(
  store: SystemContext<'vault'>,
  input: Omit<ReducerInput, 'large'>,
  { id, ...before }: Pick<Loaded, 'document' | 'id' | 'sealed' | 'apart'>,
  event: Event,
): Promise<ReducerResult & { fetched: ReadonlyMap<string, unknown>; sealed: boolean }> {
  return withLarge(store, id, (large, fetched) => {
    const settled = applyEvent({ ...input, large }, before.document, event);
    return { ...settled, fetched, sealed: isSealedAfter(before, settled) };
  });
}

/**
 * Runs a function with the separately stored values of a job, repeatedly until everything that it needs was fetched. Beyond
 * a limit, `large.open` throws TooMuchRead.
 */
export async function withLarge<T>(
  store: SystemContext<'vault'>,
  jobId: string,
  run: (large: Large, fetched: ReadonlyMap<string, unknown>) => T,
): Promise<T> {
  const fetched = new Map<string, unknown>();
  const allows = allowance();
  for (;;) {
    try {
      return run(largeFrom(fetched), fetched);
    } catch (error) {
      if (!(error instanceof LargeMissing)) throw error;
      fetched.set(error.id, await findValue(store, jobId, error.id, allows));
    }
  }
}

/** Returns whether the values of a job have to be sealed after an event. */
export const isSealedAfter = (
  { sealed, document: before, apart }: Pick<Loaded, 'document' | 'sealed' | 'apart'>,
  { document, iterations }: Pick<ReducerResult, 'document' | 'iterations'>,
): boolean => {
  // What is stored apart was searched when it was written: searching it in each step would take longer than the step.
  const { variables } = before.head;
  const isKnown = (name: string, value: unknown) =>
    Object.hasOwn(variables, name) && variables[name] === value && apart.has(value);
  return sealed || hasBecomeSecret(document.head, iterations, isKnown);
};

/** Returns a separately stored value; null when it no longer exists, TooMuchRead when too much was read before. */
export async function findValue(
  { db, platform: { vault } }: SystemContext<'vault'>,
  jobId: string,
  id: string,
  allows: Allowance = allowance(),
): Promise<unknown> {
  const [row] = await rows<{ value: string; sealed: boolean }>(
    db,
    sql`select v.value::text as value, jsonb_typeof(v.value) = 'string' and j.doc ? 'sealed' as sealed
        from job_values v join jobs j on j.id = v.job_id where v.id = ${id} and v.job_id = ${jobId}`,
  );
  if (!row) return null;
  if (!allows(row.value.length)) return new TooMuchRead();
  const value = JSON.parse(row.value) as unknown;
  // A large text may have been stored before the job was sealed.
  return row.sealed && isSealed(String(value))
    ? JSON.parse(vault.open(String(value), valuePlace(id)))
    : value;
}

/**
 * Writes a job after an event, with the iterations that it touched; large values are stored separately.
 *
 * @param fetched values over 1 MiB that were read: those still in use are not stored again
 * @returns the values that are now stored separately to spare writes
 */
export async function saveJob(
  { db: tx, platform: { vault } }: SystemContext<'vault'>,
  { id, plan, sealed, apart }: Pick<Loaded, 'id' | 'plan' | 'sealed' | 'apart'>,
  { document, iterations }: Pick<ReducerResult, 'document' | 'iterations'>,
  fetched: ReadonlyMap<string, unknown> = new Map(),
): Promise<SeparateValues> {
  const sealing = sealed ? vault : null;
  const stored = compressed(
    { ...document, iterations },
    { seed: randomUUID(), vault: sealing, known: apart, fetched },
  );
  if (stored.values.length > 0) await storeValues(tx, id, stored.values);
  const saving = savingOf({ id, plan, sealing }, document.head, stored);
  await rows(tx, sql`with ${saving} select id from written`);
  return stored.apart;
}

/**
 * Returns the same as expressions of a statement, in which `written` has no row when the job has changed since it was read;
 * undefined when values over 1 MiB have to be stored.
 */
export function savingIfUnchanged(
  vault: Vault,
  { id, plan, rev, sealed, apart }: Pick<Loaded, 'id' | 'plan' | 'rev' | 'sealed' | 'apart'>,
  { document, iterations }: Pick<ReducerResult, 'document' | 'iterations'>,
): { saving: SQL; apart: SeparateValues } | undefined {
  const sealing = sealed ? vault : null;
  const stored = compressed(
    { ...document, iterations },
    { seed: randomUUID(), vault: sealing, known: apart },
  );
  if (stored.values.length > 0) return undefined;
  const saving = savingOf({ id, plan, sealing }, document.head, stored, sql` and rev = ${rev}`);
  return { saving, apart: stored.apart };
}

type SaveOptions = Pick<Loaded, 'id' | 'plan'> & { sealing: Vault | null };

function savingOf(
  { id, plan, sealing }: SaveOptions,
  head: Head,
  stored: CompressedJob,
  condition: SQL = sql``,
): SQL {
  const written = stored.iterations.flatMap((one) => itemOf(head, { plan, sealing }, one));
  const items = JSON.stringify(written);
  const iterations = textArray(written.map(({ id: iteration }) => iteration));
  const ids = idsOf(stored.apart);
  return sql`
    written as (
      update jobs set doc = ${stored.head}::text::jsonb, state = ${stored.state}::text::jsonb,
        apart = ${ids.length > 0 ? textArray(ids) : sql`null`}, rev = rev + 1, updated_at = now(),
        progressed = case when followed_until > now() then ${iterations} end
      where id = ${id}${condition} returning id
    ),${stored.added.length > 0 ? added(stored.added) : sql``}${stored.removed.length > 0 ? removed(stored.removed) : sql``}
    noted as (
      insert into job_tasks (id, doc, job_id, task, kept)
      select item ->> 'id', item -> 'doc', written.id, item ->> 'task', item -> 'kept'
      from written, jsonb_array_elements(${items}::text::jsonb) as listed(item)
      on conflict (id) do update set doc = excluded.doc, kept = excluded.kept, rev = job_tasks.rev + 1
    )`;
}

const added = (values: readonly StoredValue[]): SQL => sql`
    added as (
      insert into job_values (id, job_id, value) select listed.id, written.id, listed.value::jsonb
      from written, unnest(${textArray(values.map(({ id }) => id))}, ${jsonTexts(values.map(({ text }) => text))}) as listed(id, value)
    ),`;

const removed = (ids: readonly string[]): SQL => sql`
    removed as (
      delete from job_values using written where job_values.id = any(${textArray(ids)}) and job_id = written.id
    ),`;

function itemOf(head: Head, { plan, sealing }: Omit<SaveOptions, 'id'>, recorded: Iteration) {
  const definition = plan.tasks[recorded.task];
  if (!definition) return [];
  const { incoming = {}, outgoing = {} } = recorded.state;
  const values = { incoming, outgoing };
  const kept = recorded.past && {
    kept: sealing ? sealing.seal(JSON.stringify(values), keptPlace(recorded.iteration)) : values,
  };
  return [
    { id: recorded.iteration, task: recorded.task, doc: taskItemOf(head, definition, recorded), ...kept },
  ];
}

/** Stores the values of new jobs that are at most 1 MiB, all with one statement. */
export async function storeSmallValues(
  tx: Database,
  values: readonly (StoredValue & { job: string })[],
): Promise<void> {
  if (values.length === 0) return;
  const [ids, jobs] = [values.map(({ id }) => id), values.map(({ job }) => job)];
  await tx.execute(
    sql`insert into job_values (id, job_id, value) select id, job, value::jsonb
        from unnest(${textArray(ids)}, ${textArray(jobs)}, ${jsonTexts(values.map(({ text }) => text))}) as listed(id, job, value)`,
  );
}

/** Stores values over 1 MiB. */
export async function storeValues(
  tx: Database,
  jobId: string,
  values: readonly StoredValue[],
): Promise<void> {
  for (const { id, text } of values) {
    await tx.execute(
      sql`insert into job_values (id, job_id, value) values (${id}, ${jobId}, ${text}::text::jsonb)`,
    );
  }
}

/** Returns those of the iterations that no longer run: work for them is useless. */
export async function endedAmong(db: Database, iterations: readonly string[]): Promise<string[]> {
  const ended = await rows<{ id: string }>(
    db,
    sql`select id from job_tasks where id = any(${textArray(iterations)}) and status <> 'running'`,
  );
  return ended.map(({ id }) => id);
}
