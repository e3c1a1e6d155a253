import type { SQL } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { type Database, rows } from '#db/client.ts';
import { sql } from '#db/statement.ts';
import { hasBigrams } from '../counting/names.ts';
import type { Condition } from './query.ts';
import type { Resource } from './resource.ts';
import { operandOf } from './row-expressions.ts';

/** More rows than this are found sooner in the order of the page. */
const FEW = 50_000;
/** Bigrams asked for at once: more leave hardly anything out. */
const MOST = 20;

/**
 * Mark the conditions that seek a part of a name which only its bigrams find, where few rows are expected to have them:
 * one or two characters, or others without a word of three, which trigrams tell nothing of. Asking the planner costs a
 * millisecond and says which index to read, never what matches.
 */
export async function markRare(
  db: Database,
  resource: Resource,
  where: readonly Condition[],
): Promise<Condition[]> {
  const marked: Condition[] = [];
  for (const condition of where) {
    const found = indexed(resource, condition);
    const rare = found !== undefined && (await expected(db, resource, found)) <= FEW;
    marked.push(rare ? { ...condition, rare } : condition);
  }
  return marked;
}

/** Whether a name has a part, as SQL that its bigrams are asked for first. @param part as `bigramsIn` takes it */
export const hasPart = (column: AnyPgColumn, part: string): SQL =>
  sql`strpos(lower(${column}), ${part.toLowerCase()}) > 0 and ${soughtBy(column, bigramsIn(part) ?? '')}`;

const soughtBy = (column: AnyPgColumn, query: string): SQL => sql`bigrams(${column}) @@ ${query}::tsquery`;

function indexed(resource: Resource, { field, op, values }: Condition): SQL | undefined {
  if (op !== 'contains' || !resource.columns.has(field)) return undefined;
  const { column } = operandOf(resource, field);
  const query = bigramsIn(String(values[0] ?? ''));
  return column && query !== undefined && hasBigrams(column) ? soughtBy(column, query) : undefined;
}

/** How many rows the planner expects, from its statistics. */
async function expected(db: Database, { source }: Resource, condition: SQL): Promise<number> {
  const [row] = await rows<{ 'QUERY PLAN': string }>(
    db,
    sql`explain (format json) select from ${source} where ${condition}`,
  );
  const [{ Plan }] = JSON.parse(row?.['QUERY PLAN'] ?? '[{}]') as [{ Plan?: { 'Plan Rows': number } }];
  return Plan?.['Plan Rows'] ?? Number.POSITIVE_INFINITY;
}

/**
 * What the function `bigrams` makes of every name that has this part, as a tsquery.
 *
 * @returns undefined for a part that trigrams find, or whose letters are lowered differently, or with nothing to ask for
 */
function bigramsIn(part: string): string | undefined {
  if (/[a-z0-9]{3}/i.test(part) || !/^[\0-\x7f]*$/.test(part)) return undefined;
  const small = part.toLowerCase();
  if (small.length === 1) return small === SEPARATOR ? undefined : `${quoted(small)}:*`;
  const found = new Set<string>();
  for (let at = 0; at + 1 < small.length && found.size < MOST; at++) {
    const bigram = small.slice(at, at + 2);
    if (!bigram.includes(SEPARATOR)) found.add(quoted(bigram));
  }
  return found.size === 0 ? undefined : [...found].join(' & ');
}

/** Stands between bigrams while the database makes them, and so in none. */
const SEPARATOR = '\n';

const quoted = (lexeme: string): string => `'${lexeme.replace(/['\\]/g, '$&$&')}'`;
