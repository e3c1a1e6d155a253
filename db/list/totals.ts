import type { SQL } from 'drizzle-orm';
import { stampOf } from '#db/counts.ts';
import { statementOf } from '#db/statement.ts';
import type { Resource } from './resource.ts';

/** Totals kept at once; the one that was kept first goes first. */
const KEPT = 500;
/** Fewer documents than this are counted in a few milliseconds. */
const WORTH_KEEPING = 5000;
/** Characters of a count with its values, beyond which it is not kept. */
const LONGEST = 4000;

const kept = new Map<string, { stamp: string; total: string }>();

/** The total of a filter, for as long as no document is written that it may count. */
export type Remembering = {
  /** What the page must tell beside its documents (`stampOf`). */
  stamp: SQL;
  known: { stamp: string; total: string } | undefined;
  keep: (stamp: string, total: string) => void;
};

/**
 * Counting what matches a filter takes as long as there are matches, and a caller who turns pages asks for it with each.
 * So it is counted once for each state of the table: a page tells the state it was read from, in the same snapshot, and
 * only a total of that very state stands beside it.
 *
 * @returns undefined where a total depends on more than the stamp tells
 */
export function rememberingOf(
  { source, always }: Resource,
  count: SQL,
  access?: SQL,
): Remembering | undefined {
  const stamp = source === 'given' || always ? undefined : stampOf(source, access);
  if (!stamp) return undefined;
  const key = JSON.stringify(statementOf(count));
  if (key.length > LONGEST) return undefined;
  const keep = (told: string, total: string) => {
    kept.delete(key);
    if (Number(total) < WORTH_KEEPING) return;
    const [oldest] = kept.keys();
    if (kept.size >= KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(key, { stamp: told, total });
  };
  return { stamp, known: kept.get(key), keep };
}
