import type { Database } from '#db/client.ts';
import type { AccountLookup } from './access.ts';
import type { Context, Platform, Request, WorkPlatform } from './platform.ts';
import type { Caller } from './principal.ts';

/** The named parts of the platform. */
export type Uses<Part extends keyof Platform> = { platform: Pick<Platform, Part> };

/**
 * What reading for a caller needs: the database, the caller, and the named parts of the platform. The context of a request
 * has all that the types of this file name, so a router passes it on; durable work makes one (decision 0014).
 */
export type ReadContext<Part extends keyof Platform = never> = {
  db: Database;
  principal: Caller;
} & ([Part] extends [never] ? unknown : Uses<Part>);

/** Context of a write for a caller; `db` is the transaction. */
export type WriteContext<Part extends keyof Platform = never> = ReadContext<'now' | 'vault' | Part> & {
  platform: { access: AccountLookup };
  request: Pick<Request, 'ifMatch'>;
  answer: Context['answer'];
};

/** Context of a call to a device or another system for a caller; `db` is not a transaction, because a call takes long. */
export type DeviceContext = ReadContext<keyof WorkPlatform> & {
  request: Pick<Request, 'id' | 'gone'>;
  /** True: the commands only read, so read access to the host is sufficient (contract/lifecycle#4.1). */
  reads?: boolean;
};

/** Context of work that runs for no caller: the database and the platform, or the named parts of it. */
export type SystemContext<Part extends keyof Platform = keyof WorkPlatform> = { db: Database } & Uses<Part>;
