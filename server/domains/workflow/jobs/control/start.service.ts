import { sql } from 'drizzle-orm';
import { noteChange } from '#db/collection.ts';
import type { Job } from '#db/schemas/workflow/job.ts';
import type { GroupReference } from '#db/schemas/workflow/task.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { assertMayWriteIn, getAsset } from '#server/domains/assets/index.ts';
import { assertKnownGroups } from '#server/domains/identity/index.ts';
import type { ReadContext, SystemContext } from '#server/kernel/contexts.ts';
import { conflict, type Issue, invalidRequest } from '#server/kernel/errors.ts';
import { type TokenRoles, tokenRolesOf } from '#server/kernel/principal.ts';
import { SchemaError, SchemaTooCostly } from '#server/kernel/validation/json-schema.ts';
import { checkBySchema, SCHEMA_LIMITS } from '#server/kernel/validation/schema-checks.ts';
import { withListedRequired } from '../../validation/schemas.ts';
import { jobOf } from '../reads/shown.ts';
import { type CheckedDefinition, definitionOf } from '../store/definitions.service.ts';
import { insertJobs } from '../store/new-job.service.ts';
import { findPlan } from '../store/plans.service.ts';

/** The values that a job is started with. */
export type JobStart = {
  variables: Record<string, unknown>;
  description?: string | null | undefined;
  type?: string | undefined;
  groups?: readonly GroupReference[] | undefined;
  /** The account that starts it; null: the clock or an event. */
  account: string | null;
  /** The account whose rights its tasks have. */
  actingAccount: string;
  /** The roles that count when a personal token starts it. */
  tokenRoles?: TokenRoles | undefined;
  initiator: string;
  validationErrors?: Job['validationErrors'];
};

/** The response of every operation that starts a job (contract/lifecycle#6.2, #6.3). */
export type StartResult = { message: string; data: Job; metadata: Record<string, never> };

/** Returns the answer to the start of a job. */
export const started = (data: Job): StartResult => ({
  message: 'Successfully started job',
  data,
  metadata: {},
});

/**
 * Stores a job of a workflow and enqueues its start, in the caller's transaction.
 *
 * @throws ServiceError CONFLICT for a draft, with its errors as issues
 */
export async function startJob(
  ctx: SystemContext<'now' | 'durable' | 'vault'>,
  found: CheckedDefinition,
  given: JobStart,
): Promise<Job> {
  const { workflow, errors } = found;
  if (errors.length > 0) {
    const issues = errors.map(({ task, message = '' }) => ({
      path: task ? ['tasks', task] : [],
      message,
      code: 'draft',
    }));
    throw conflict(`Workflow ${workflow.name} has errors and cannot start: ${errors[0]?.message ?? ''}`, {
      issues,
    });
  }
  const [document] = await insertJobs(ctx, [
    { ...found, ...given, groups: given.groups ?? groupsOf(workflow.groups) },
  ]);
  if (!document) throw new Error('the job was not inserted');
  return jobOf(await findPlan(ctx.db, found.planId), document);
}

/** Returns the groups to which the jobs of a workflow are visible; the word `default` means everybody. */
const groupsOf = (groups: readonly GroupReference[] = []): string[] =>
  groups
    .map((one) => (typeof one === 'string' ? one : String(one._id ?? '')))
    .filter((id) => id && id !== 'default');

/**
 * Returns a workflow that the caller may start, by its name (contract/lifecycle#6.3).
 *
 * @throws ServiceError NOT_FOUND; FORBIDDEN to a member of its project who may not execute
 */
async function startable(
  ctx: ReadContext<'now' | 'durable' | 'vault'>,
  name: string,
): Promise<CheckedDefinition> {
  const where = sql`name = ${name}`;
  const { doc: workflow, projectId } = await getAsset<Workflow>(ctx, 'workflow', where, { called: name });
  await assertMayWriteIn(ctx, projectId, 'execute');
  return definitionOf(ctx.db, { workflow, projectId });
}

/** Fields that every job has (contract/lifecycle#6.3): a workflow that reads them declares them in its input schema. */
const OWN = { _id: '0'.repeat(24), initiator: '-' };

/**
 * Returns the validation issues of `variables` against the workflow's input schema; none when the schema is unusable. A
 * schema that exceeds the limits of a request yields one issue.
 */
export async function inputIssues(
  { workflow }: Pick<CheckedDefinition, 'workflow'>,
  variables: Record<string, unknown>,
): Promise<Issue[]> {
  const { inputSchema } = workflow;
  if (!inputSchema) return [];
  try {
    const schema = withListedRequired(inputSchema);
    return await checkBySchema(schema, { ...variables, ...OWN }, SCHEMA_LIMITS.request);
  } catch (error) {
    if (error instanceof SchemaTooCostly) {
      const message = `cannot be checked against the input schema of workflow ${workflow.name}: ${error.message}`;
      return [{ path: [], message, code: 'schema_limit' }];
    }
    if (!(error instanceof SchemaError)) throw error;
    return [];
  }
}

/** Converts issues to the form that a job stores (contract/resources#2.13). */
export const validationErrorsOf = (issues: readonly Issue[]): NonNullable<Job['validationErrors']> =>
  issues.map(({ path, message, code }) => {
    // For a missing property, the `required` rule belongs to the object around it.
    const at = code === 'required' ? path.slice(0, -1) : path;
    return {
      keyword: code,
      instancePath: at.map((segment) => `/${String(segment)}`).join(''),
      schemaPath: `#${at.map((segment) => `/properties/${String(segment)}`).join('')}/${code}`,
      message: code === 'required' ? `must have required property '${String(path.at(-1))}'` : message,
    };
  });

type StartRequest = {
  workflow: string;
  options?:
    | {
        description?: string | null | undefined;
        type?: string | null | undefined;
        variables?: Record<string, unknown> | null | undefined;
        groups?: GroupReference[] | null | undefined;
      }
    | null
    | undefined;
};

/**
 * Starts a workflow by its name (contract/lifecycle#6.3).
 *
 * @throws ServiceError NOT_FOUND, FORBIDDEN; CONFLICT for a draft; BAD_REQUEST for variables that its input schema rejects
 */
export async function startByName(
  ctx: ReadContext<'now' | 'durable' | 'vault'>,
  { workflow, options }: StartRequest,
): Promise<StartResult> {
  const found = await startable(ctx, workflow);
  const variables = options?.variables ?? {};
  if (found.errors.length === 0) {
    const issues = await inputIssues(found, variables);
    if (issues.length > 0) {
      throw invalidRequest(issues.map((one) => ({ ...one, path: ['options', 'variables', ...one.path] })));
    }
  }
  await assertGroups(ctx, options?.groups ?? []);
  const job = await startJob(ctx, found, {
    variables,
    description: options?.description,
    type: options?.type ?? undefined,
    groups: options?.groups ?? undefined,
    account: ctx.principal.id,
    actingAccount: ctx.principal.id,
    tokenRoles: tokenRolesOf(ctx.principal),
    initiator: ctx.principal.username,
  });
  return started(job);
}

/** Rejects unknown groups of a job, and returns the ids of the known ones. @throws ServiceError BAD_REQUEST */
export async function assertGroups(
  { db }: Pick<ReadContext, 'db'>,
  groups: readonly GroupReference[],
  path: string[] = ['options', 'groups'],
): Promise<string[]> {
  const ids = groupsOf(groups);
  await assertKnownGroups(db, ids, path);
  return ids;
}

/** Notes in the audit log which trigger started something. */
export const noteTrigger = (
  { db }: SystemContext<'now' | 'durable' | 'vault'>,
  { _id, name }: { _id: string; name: string },
): void => noteChange(db, { kind: 'triggers', id: _id, name });
