import type { WriteContext } from '#server/kernel/documents/documents.service.ts';
import type { WriteAuthor } from '../stored/kinds.ts';

export type { ReadContext, WriteContext } from '#server/kernel/documents/documents.service.ts';

/** Returns the author of the writes of this request. */
export const authorOf = ({ principal, platform }: WriteContext): WriteAuthor => ({
  id: principal.id,
  username: principal.username,
  now: platform.now(),
});
