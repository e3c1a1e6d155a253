import type { SQL } from 'drizzle-orm';
import { type Database, perDatabase } from '#db/client.ts';
import { sql, statementOf } from '#db/statement.ts';
import { changeSince, LOGGED, SEEN } from '../counting/change-log.ts';
import { type CountedTotal, storedTotal, storeTotal } from '../counting/shared-totals.ts';
import type { Resource } from './resource.ts';

/** Maximum number of totals kept; the least recently updated is dropped first. */
const MOST_TOTALS = 500;
/** Fewer documents than this are counted in a few milliseconds. */
const WORTH_KEEPING = 5000;
/** Maximum length, in characters, of the count statement with its values. */
const LONGEST = 4000;

const totalsOf = perDatabase(() => new Map<string, CountedTotal>());

/** The remembered total of a filter. */
export type TotalCache = {
  /** The expression that the page must return beside its documents (`SEEN`). */
  seen: SQL;
  /** The total brought up to date, as a scalar query: null where that is impossible. Undefined: never counted. */
  total: SQL | undefined;
  keep: (seen: string, total: string) => void;
};

/**
 * Returns the remembered total of a filter. Counting takes time proportional to the matches, and every page needs the
 * total. So matches are counted once, by one process, and the total is corrected by the edits since (decision 0060).
 *
 * @param where the whole clause, including `access`; it uses columns only
 * @returns undefined for totals that are not remembered
 */
export async function totalCacheOf(
  db: Database,
  { source, always }: Resource,
  { count, where, access }: { count: SQL; where: SQL; access: SQL | undefined },
): Promise<TotalCache | undefined> {
  if (source === 'given' || always || !LOGGED.has(source)) return undefined;
  const key = JSON.stringify(statementOf(count));
  if (key.length > LONGEST) return undefined;
  const kept = totalsOf(db);
  const known = kept.get(key) ?? (await storedTotal(db, key));
  const change = known && changeSince(known.seen, source, access, where);
  const keep = (seen: string, total: string) => {
    kept.delete(key);
    if (Number(total) < WORTH_KEEPING) return;
    const [oldest] = kept.keys();
    if (kept.size >= MOST_TOTALS && oldest !== undefined) kept.delete(oldest);
    kept.set(key, { seen, total });
    storeTotal(db, key, { seen, total });
  };
  return { seen: SEEN, total: change && sql`(${known.total}::bigint + ${change})::text`, keep };
}
