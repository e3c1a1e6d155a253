import { z } from 'zod';
import { optional } from '#db/schemas/fields.ts';
import { Done, ObjectId } from '#db/schemas/primitives.ts';

export { optional };

/** Returns the response of a write that returns no document. @param message what was done */
export const done = (message: string): Done => ({ status: 'success', message });

/** The response of a bulk delete. */
export const Deleted = z.object({
  status: z.enum(['success', 'conflict']).describe('conflict: some are still used and were kept'),
  deleted: z.int().min(0).describe('Number of deleted documents'),
  conflicts: z
    .array(
      z.object({ id: z.string(), usedBy: z.array(z.string()).describe('Documents that use the document') }),
    )
    .optional()
    .describe('Documents that were kept'),
});

/** Returns the response of a bulk delete from its outcome. */
export const removed = ({
  deleted,
  conflicts,
}: {
  deleted: number;
  conflicts: { id: string; usedBy: string[] }[];
}) =>
  conflicts.length === 0
    ? { status: 'success' as const, deleted }
    : { status: 'conflict' as const, deleted, conflicts };

/** The response of an import that may change the ids and names of documents. */
export const ImportedNames = Done.extend({
  data: z
    .array(z.object({ id: ObjectId, name: z.string() }))
    .describe('Id and name of each stored document, in order'),
});
