import { readable } from '#db/document-kinds/readable.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { Transformation } from '#db/schemas/workflow/transformation.ts';
import { transformations } from '#db/tables/assets/assets.ts';
import {
  type Asset,
  createAsset,
  deleteAssets,
  fullAuthor,
  getAsset,
  importDocuments,
  knownAuthors,
  updateAsset,
} from '#server/domains/assets/index.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { accessOf } from '#server/kernel/documents/documents.service.ts';
import { core } from '#server/kernel/documents/list-envelope.ts';
import { conflict, type Issue, ServiceError } from '#server/kernel/errors.ts';

import { transformationIssues } from './check.ts';
import { runInTime } from './running.service.ts';
import type { RunOptions, TransformationFailure } from './transformation.ts';

const KIND = 'transformation';

const resource = defineResource({
  name: 'transformations',
  schema: Transformation,
  source: transformations,
  columns: { name: transformations.name },
});

/** Returns the issues of a transformation whose shape is valid. */
const issuesIn = (doc: Asset, path: Issue['path']): Issue[] => transformationIssues(stored(doc), path);

/** Returns a page of transformations (contract/lifecycle#5.5). */
export async function listTransformations(
  { db, principal }: ReadContext,
  options: Readonly<Record<string, unknown>>,
) {
  const page = await list(db, resource, readList(resource, options), accessOf(readable(KIND, principal)));
  return core<Transformation>(page);
}

/** Returns one transformation with its authors in full. @throws ServiceError NOT_FOUND */
export async function getTransformation(ctx: ReadContext, id: string): Promise<Transformation> {
  const { doc } = await getAsset<Asset>(ctx, KIND, id);
  const { createdBy, lastUpdatedBy } = stored(doc);
  const known = await knownAuthors(ctx.db, [createdBy, lastUpdatedBy]);
  return {
    ...stored(doc),
    ...(createdBy !== undefined && { createdBy: fullAuthor(createdBy, known) }),
    ...(lastUpdatedBy !== undefined && { lastUpdatedBy: fullAuthor(lastUpdatedBy, known) }),
  };
}

/** Casts a stored document: it satisfies its schema and has an id. */
const stored = (doc: Asset) => doc as unknown as Transformation;

/** A transformation as sent by callers. */
type TransformationInput = Asset &
  Partial<Pick<Transformation, 'incoming' | 'outgoing' | 'steps' | 'functions'>>;

/**
 * Creates a transformation.
 *
 * @throws ServiceError BAD_REQUEST with every issue; CONFLICT when the name is taken, with the fields that clients of
 *   this endpoint read besides the common ones (contract/lifecycle#5.5)
 */
export async function createTransformation(
  ctx: WriteContext,
  transformation: TransformationInput,
): Promise<Transformation> {
  try {
    return stored(
      await createAsset(ctx, KIND, transformation, { path: ['transformation'], issues: issuesIn }),
    );
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'CONFLICT') throw error;
    const { message } = error;
    throw conflict(message, {
      cause: error,
      extra: {
        apiVersion: '1',
        method: 'transformations.create',
        error: { code: 400, message, errors: null },
      },
    });
  }
}

/** Replaces the whole document. @throws ServiceError NOT_FOUND, FORBIDDEN, BAD_REQUEST, CONFLICT */
export async function updateTransformation(
  ctx: WriteContext,
  id: string,
  update: TransformationInput,
): Promise<Transformation> {
  return stored(
    await updateAsset<TransformationInput>(ctx, KIND, id, () => update, {
      path: ['update'],
      issues: issuesIn,
    }),
  );
}

/**
 * Deletes a transformation; a missing one is no error (contract/lifecycle#5.5).
 *
 * @returns null, the whole answer
 * @throws ServiceError FORBIDDEN, CONFLICT
 */
export async function deleteTransformation(ctx: WriteContext, id: string): Promise<null> {
  await deleteAssets(ctx, KIND, [id]);
  return null;
}

/** Stores an exported transformation, renamed when its name is taken. @throws ServiceError BAD_REQUEST */
export async function importTransformation(
  ctx: WriteContext,
  transformation: TransformationInput,
): Promise<Transformation> {
  const path = ['transformation'];
  const [imported] = await importDocuments(ctx, KIND, [transformation], () => path, issuesIn);
  if (!imported) throw new Error('the import returned no transformation');
  return stored(imported.doc);
}

/**
 * Runs a stored transformation with the given values (contract/lifecycle#5.5).
 *
 * @param incoming values of its inputs, by name
 * @returns its outputs by name; with extractOutput the value of the only one
 * @throws ServiceError NOT_FOUND; BAD_REQUEST naming the step that failed, or every invalid input
 */
export async function runStoredTransformation(
  ctx: ReadContext,
  id: string,
  incoming: Readonly<Record<string, unknown>>,
  options: RunOptions,
): Promise<unknown> {
  const { doc } = await getAsset<Asset>(ctx, KIND, id);
  const result = await runInTime({ document: stored(doc), inputs: incoming, options });
  if ('error' in result) throw failed(result.error);
  return result.outputs ?? null;
}

function failed({ code, message, issues = [] }: TransformationFailure): ServiceError {
  const field = code === 'incoming' ? 'incoming' : 'transformation';
  const found: Issue[] = issues.map((issue) => ({ ...issue, path: [field, ...issue.path] }));
  return new ServiceError('BAD_REQUEST', message, {
    issues: found.length > 0 ? found : [{ path: [field], message, code: 'step_failed' }],
  });
}
