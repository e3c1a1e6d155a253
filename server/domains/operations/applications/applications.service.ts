import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Database } from '#db/client.ts';
import { replace } from '#db/collection.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { Application, type ApplicationEntry } from '#db/schemas/operations/application.ts';
import type { LogLevelInput } from '#db/schemas/operations/logger-props.ts';
import { applications } from '#db/tables/operations/platform.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { core, pageWithMetadata } from '#server/kernel/documents/list-envelope.ts';
import { assertUnchanged, conflictDetails } from '#server/kernel/documents/optimistic-lock.ts';
import { STAMP } from '#server/kernel/documents/release-stamp.service.ts';
import { conflict, invalidRequest, notFound } from '#server/kernel/errors.ts';

import {
  ambiguousIssues,
  isSecretField,
  keepSecrets,
  MASK,
  type Path,
  redact,
} from '#server/kernel/secrets/redact.ts';
import { sealingFor, withFreshSeals } from '#server/kernel/secrets/seals.ts';
import { loggerIssues } from '../profiles/profile-rules.ts';
import {
  type ApplicationChange,
  applicationNamed,
  fixedFieldsChanged,
  HEALTH_FIELDS,
  isStoppable,
  levelIn,
  merge,
  RUN_WORDS,
  withLevel,
} from './applications.ts';

const resource = defineResource({
  name: 'applications',
  schema: Application,
  source: 'given',
  defaultSort: [{ field: 'name', order: 1 }],
  unlimited: true,
});

/** Returns the applications that match; fields are those of `data` (contract/endpoints#4.22). */
export async function listApplications({ db }: WriteContext, options: Readonly<Record<string, unknown>>) {
  const query = readList(resource, options, { hidden: isSecretField, fields: HEALTH_FIELDS });
  const entries = new Map((await readApplications(db)).map((row) => [row.id, entryOf(row)]));
  const given = [...entries.values()].map(({ data }) => data);
  const found = await list(db, resource, query, { given });
  const metadataOf = ({ name }: Application) => entries.get(name)?.metadata;
  return core<ApplicationEntry>(pageWithMetadata(found, 'data', metadataOf));
}

/**
 * Returns one application with its ETag in the headers; as in all functions below, the name is case-insensitive.
 *
 * @throws ServiceError NOT_FOUND
 */
export async function getApplication({ db, answer }: WriteContext, name: string): Promise<ApplicationEntry> {
  const row = await getRow(db, name);
  answer.headers.ETag = `"${row.stamp}"`;
  return entryOf(row);
}

/**
 * Returns the JSON schema of an application's document, which is the same for all.
 *
 * @throws ServiceError NOT_FOUND
 */
export async function getApplicationSchema(
  { db }: WriteContext,
  name: string,
): Promise<Record<string, unknown>> {
  await getRow(db, name);
  return z.toJSONSchema(Application, { io: 'input' });
}

/** Rejects every new application, as areas are built in (contract/lifecycle#10). @throws ServiceError CONFLICT */
export async function rejectNewApplication(): Promise<never> {
  throw conflict('Applications are built in and cannot be added');
}

/**
 * Starts, stops or restarts an application in every process, by changing the stored state that they follow. Starting a
 * running one or stopping a stopped one changes nothing (contract/lifecycle#10).
 *
 * @throws ServiceError NOT_FOUND; CONFLICT for the applications that must run, or when it changed meanwhile
 */
export async function setRunning(
  { db, request }: WriteContext,
  name: string,
  action: keyof typeof RUN_WORDS,
) {
  const row = await getRow(db, name, true);
  assertUnchanged(request.ifMatch, row.stamp, `Application ${row.id}`);
  if (!isStoppable(row.id))
    throw conflict(`${row.id} cannot be stopped: nothing could be started again without it`);
  const ranFor = row.active ? Math.min(process.uptime(), row.sinceStart) : row.ranFor;
  if (action === 'stop' && row.active) {
    await replace(db, applications, row, row.doc, { active: false, ranFor });
  } else if (action === 'restart' || (action === 'start' && !row.active)) {
    await replace(db, applications, row, row.doc, { active: true, ranFor, startedAt: sql`now()` });
  }
  return { status: 'success' as const, message: `Successfully ${RUN_WORDS[action]} ${row.id}.` };
}

/**
 * Replaces the fields of the request; the others remain.
 *
 * @returns a confirmation with the application, its secrets masked
 * @throws ServiceError NOT_FOUND; BAD_REQUEST for a field that identifies the application; CONFLICT when it changed
 *   meanwhile
 */
export async function updateApplication(call: WriteContext, name: string, sent: ApplicationChange) {
  const row = await getUnchanged(call, name, sent);
  const fixed = fixedFieldsChanged(row.doc, sent);
  if (fixed.length > 0) {
    throw invalidRequest(
      fixed.map((member) => ({
        path: ['properties', member],
        message: `is ${JSON.stringify(row.doc[member])} and cannot be changed: applications are built in`,
        code: 'read_only',
      })),
    );
  }
  return store(call, row, sent, ['properties']);
}

/**
 * Merges settings into an application's `properties`, including nested objects.
 *
 * @returns a confirmation with the application, its secrets masked
 * @throws ServiceError NOT_FOUND; BAD_REQUEST for another id; CONFLICT when it changed meanwhile
 */
export async function updateApplicationProperties(
  call: WriteContext,
  name: string,
  sent: NonNullable<Application['properties']>,
) {
  const row = await getUnchanged(call, name, { properties: sent });
  if (sent.id !== undefined && sent.id !== row.id) {
    throw invalidRequest([
      { path: ['properties', 'id'], message: `is ${row.id}, always`, code: 'read_only' },
    ]);
  }
  // Merged into what the caller saw: the mask of an unchanged secret is sent back, and so the secret remains.
  const shown = redact(row.doc.properties ?? {}, MASK, ['properties']);
  return store(call, row, { properties: merge(shown, sent) }, []);
}

/**
 * Sets the log level of an application: of one transport, or of file and console where none is named.
 *
 * @returns a confirmation with the application, its secrets masked
 * @throws ServiceError NOT_FOUND; BAD_REQUEST when the level is given twice or not at all; CONFLICT when it changed
 *   meanwhile
 */
export async function setLogLevel(call: WriteContext, name: string, input: LogLevelInput) {
  const level = levelIn(input);
  const row = await getUnchanged(call, name);
  return store(call, row, { loggerProps: withLevel(row.doc.loggerProps, level) }, []);
}

/**
 * Returns every application by name, secrets sealed; `sinceStart` and `ranFor` (its previous run) in seconds.
 *
 * @param lock true: no other transaction changes them before this one ends
 */
export async function readApplications(db: Database, where?: SQL, lock = false) {
  const { id, doc, rev, active, ranFor, startedAt } = applications;
  const sinceStart = sql<number>`extract(epoch from clock_timestamp() - ${startedAt})::float8`;
  const found = db
    .select({ id, doc, rev, active, ranFor, sinceStart, stamp: STAMP })
    .from(applications)
    .where(where)
    .orderBy(id);
  return lock ? found.for('update') : found;
}

/** An application as stored. */
type ApplicationRow = Awaited<ReturnType<typeof readApplications>>[number];

async function getRow(db: Database, name: string, lock = false): Promise<ApplicationRow> {
  const found = await readApplications(db, sql`lower(${applications.id}) = lower(${name})`, lock);
  const row = applicationNamed(found, name);
  if (!row) throw notFound('Application', name);
  return row;
}

/** @param change the update, whose differences the CONFLICT error lists */
async function getUnchanged(
  { db, request }: WriteContext,
  name: string,
  change: ApplicationChange = {},
): Promise<ApplicationRow> {
  const row = await getRow(db, name, true);
  const details = conflictDetails(redact(row.doc, MASK), change);
  assertUnchanged(request.ifMatch, row.stamp, `Application ${row.id}`, details);
  return row;
}

/** @param at path of the fields in the request, for issues */
async function store(call: WriteContext, row: ApplicationRow, sent: ApplicationChange, at: Path) {
  const { vault } = call.platform;
  const place = ['applications', row.id] as const;
  const { document, ambiguous } = keepSecrets(sent, row.doc, sealingFor(vault, place));
  const issues = [...loggerIssues(sent.loggerProps), ...ambiguousIssues(ambiguous)];
  if (issues.length > 0) {
    throw invalidRequest(issues.map(({ path, ...issue }) => ({ ...issue, path: [...at, ...path] })));
  }
  const application = withFreshSeals(vault, place, { ...row.doc, ...document });
  await replace(call.db, applications, row, application);
  return {
    status: 'OK' as const,
    message: `Successfully updated ${row.id}.`,
    data: redact(application, MASK),
  };
}

const entryOf = ({ doc, active }: ApplicationRow): ApplicationEntry => ({
  metadata: { isActive: active, activeSync: true },
  data: redact(doc, MASK),
});
