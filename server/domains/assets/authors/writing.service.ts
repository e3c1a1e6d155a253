import type { WriteContext } from '#server/kernel/contexts.ts';
import type { WriteAuthor } from '../stored/kinds.ts';

/** Returns the author of the writes of this request. */
export const authorOf = ({ principal, platform }: WriteContext): WriteAuthor => ({
  id: principal.id,
  username: principal.username,
  now: platform.now(),
});
