import { inTransaction } from '#db/client.ts';
import { type Change, changesOf, noteChange } from '#db/collection.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';

/** Runs part of a write so that its failure undoes only that part; the audit log records its changes when it succeeds. */
export async function inSavepoint<T>(ctx: WriteContext, run: (ctx: WriteContext) => Promise<T>): Promise<T> {
  let changes: Change[] = [];
  const made = await inTransaction(ctx.db, async (db) => {
    const done = await run({ ...ctx, db });
    changes = changesOf(db);
    return done;
  });
  for (const change of changes) noteChange(ctx.db, change);
  return made;
}

/** The outcome of one part of a bulk write. */
export type WriteOutcome<T> = { success: true; value: T } | { success: false; message: string };

/** Runs one part of a bulk write: a ServiceError becomes its outcome and undoes only that part; other errors are thrown. */
export async function attempt<T>(
  ctx: WriteContext,
  run: (ctx: WriteContext) => Promise<T>,
): Promise<WriteOutcome<T>> {
  try {
    return { success: true, value: await inSavepoint(ctx, run) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { success: false, message: error.message };
  }
}
