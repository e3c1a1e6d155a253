import type { SQL } from 'drizzle-orm';
import { type Database, perDatabase } from '#db/client.ts';
import { sql, statementOf } from '#db/statement.ts';
import { changeSince, LOGGED, SEEN } from '../counting/change-log.ts';
import type { Resource } from './resource.ts';

/** Totals kept at once; the one that was asked for least lately goes first. */
const KEPT = 500;
/** Fewer documents than this are counted in a few milliseconds. */
const WORTH_KEEPING = 5000;
/** Characters of a count with its values, beyond which it is not kept. */
const LONGEST = 4000;

/** A total, and what the statement saw that counted it. */
type CachedTotal = { seen: string; total: string };

const keptOf = perDatabase(() => new Map<string, CachedTotal>());

/** The total of a filter that was counted before. */
export type TotalCache = {
  /** What the page must tell beside its documents (`SEEN`). */
  seen: SQL;
  /** What was counted, brought up to date, as a scalar query: null where that cannot be done. Undefined: never counted. */
  total: SQL | undefined;
  keep: (seen: string, total: string) => void;
};

/**
 * Counting what matches a filter takes as long as there are matches, and a caller who turns pages asks for it with each.
 * So it is counted once, and what was written since is added to that (decision 0060).
 *
 * @param where as a whole, `access` included; asks of columns alone
 * @returns undefined for what is not remembered
 */
export function totalCacheOf(
  db: Database,
  { source, always }: Resource,
  { count, where, access }: { count: SQL; where: SQL; access: SQL | undefined },
): TotalCache | undefined {
  if (source === 'given' || always || !LOGGED.has(source)) return undefined;
  const key = JSON.stringify(statementOf(count));
  if (key.length > LONGEST) return undefined;
  const kept = keptOf(db);
  const known = kept.get(key);
  const change = known && changeSince(known.seen, source, access, where);
  const keep = (seen: string, total: string) => {
    kept.delete(key);
    if (Number(total) < WORTH_KEEPING) return;
    const [oldest] = kept.keys();
    if (kept.size >= KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(key, { seen, total });
  };
  return { seen: SEEN, total: change && sql`(${known.total}::bigint + ${change})::text`, keep };
}
