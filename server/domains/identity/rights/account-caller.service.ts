import { eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { accounts } from '#db/tables/identity/accounts.ts';
import type { AccountLookup } from '#server/kernel/access.ts';
import { forbidden } from '#server/kernel/errors.ts';
import { type Caller, callerOf } from '#server/kernel/principal.ts';
import { narrowedCaller } from '../sessions/token-check.service.ts';
import { effectiveRightsOf } from './effective-rights.service.ts';

/** Dependencies of a look-up of a caller; the kernel's `access` has more. */
type CallerLookup = {
  db: Database;
  platform: { access: AccountLookup };
  /** Whether `db` is a transaction, in which nothing else may be awaited: read the rules before it begins. */
  isTransaction?: boolean;
};

/**
 * Returns an account as a caller with its current rights. Work that runs as an account calls this often: like the callers
 * of requests (docs/decisions/0003), the result is cached for a second at most, and until any right changes.
 *
 * @param roles names of the roles that count; absent: all
 * @returns undefined when the account does not exist or is inactive
 */
async function callerOfAccount(
  { db, platform, isTransaction = false }: CallerLookup,
  id: string,
  roles?: readonly string[],
): Promise<Caller | undefined> {
  const { callers, rules, knownRules, now } = platform.access;
  // No token and no key for a password contains a space after this word.
  const key = `account ${id}${roles ? ` ${JSON.stringify(roles)}` : ''}`;
  const at = now().getTime();
  const known = callers.get(key, at);
  if (known) return known;
  const epoch = callers.epoch();
  const accountRights = await effectiveRightsOf(db, id);
  if (!accountRights) return undefined;
  const { admins } = await (isTransaction ? knownRules() : rules());
  const caller = roles ? narrowedCaller(accountRights, admins, roles) : callerOf(accountRights, admins, null);
  // A transaction may see its own uncommitted changes, so its result is not cached.
  if (!isTransaction && epoch === callers.epoch()) callers.set(key, caller, at);
  return caller;
}

/**
 * Returns an account as a caller, for work that cannot continue without the account.
 *
 * @param part the account's part in the work, for the message
 * @param roles names of the roles that count, where a personal token narrowed them; absent: all
 * @throws ServiceError FORBIDDEN naming the account when it does not exist or is inactive
 */
export async function activeCaller(
  ctx: CallerLookup,
  id: string,
  part: string,
  roles?: readonly string[],
): Promise<Caller> {
  const caller = await callerOfAccount(ctx, id, roles);
  if (caller) return caller;
  const [account] = await ctx.db
    .select({ username: accounts.username })
    .from(accounts)
    .where(eq(accounts.id, id));
  throw forbidden(
    account
      ? `Account ${account.username} (${id}), ${part}, is inactive`
      : `Account ${id.slice(0, 100)}, ${part}, does not exist`,
  );
}
