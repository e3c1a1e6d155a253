import type { Writing } from '#server/kernel/documents/documents.service.ts';
import type { Author } from '../stored/kinds.ts';

export type { Reading, Writing } from '#server/kernel/documents/documents.service.ts';

/** Who writes in this request. */
export const authorOf = ({ principal, platform }: Writing): Author => ({
  id: principal.id,
  username: principal.username,
  now: platform.now(),
});
