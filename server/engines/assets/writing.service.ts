import type { Database } from '#db/client.ts';
import type { Caller } from '#server/engines/access/principal.ts';
import type { Author } from './kinds.ts';

/** The part of a request's context that reading assets touches. */
export type Reading = { db: Database; principal: Caller };

/** The part that writing them touches; `db` is the transaction. */
export type Writing = Reading & { platform: { now: () => Date }; request: { ifMatch: string | null } };

/** Who writes in this request. */
export const authorOf = ({ principal, platform }: Writing): Author => ({
  id: principal.id,
  username: principal.username,
  now: platform.now(),
});
