import { type Database, rows } from '#db/client.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { sql } from '#db/statement.ts';

/** Longest chain of service accounts that created each other. */
const LONGEST = 20;

/**
 * Returns whether an account is in the hands of one of some other accounts' users: whoever creates a service account knows its
 * secret, so that it is no second pair of eyes for them, nor they for it.
 *
 * @param account id of the account
 * @param others ids of the other accounts; null and undefined stand for nobody
 */
export async function isSamePerson(
  db: Database,
  account: string,
  others: readonly (string | null | undefined)[],
): Promise<boolean> {
  const known = [...new Set(others.filter((one) => typeof one === 'string'))];
  if (known.includes(account)) return true;
  if (known.length === 0) return false;
  const found = await rows<{ id: string; owner: string }>(
    db,
    sql`with recursive chain (id, owner, depth) as (
          select given, given, 0 from unnest(${textArray([account, ...known])}) as given
          union all
          select chain.id, accounts.doc ->> 'createdBy', depth + 1 from chain join accounts on accounts.id = chain.owner
            where accounts.is_service_account and accounts.doc ->> 'createdBy' is not null and depth < ${LONGEST}::int)
        select distinct on (id) id, owner from chain order by id, depth desc`,
  );
  const ownerOf = new Map(found.map(({ id, owner }) => [id, owner]));
  return known.some((one) => ownerOf.get(one) === ownerOf.get(account));
}
