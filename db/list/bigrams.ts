import type { SQL } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { type Database, rows } from '#db/client.ts';
import { sql } from '#db/statement.ts';
import { hasBigrams } from '../counting/names.ts';
import type { Condition } from './query.ts';
import type { Resource } from './resource.ts';
import { operandOf } from './row-expressions.ts';

/** With more expected rows than this, a scan in the order of the page is faster. */
const FEW_ROWS = 50_000;
/** Maximum number of bigrams in a query: more exclude hardly any rows. */
const MOST = 20;

/**
 * Marks the conditions that search a substring which only bigrams can find, and for which few rows are expected: one or
 * two characters, or longer ones without three successive letters or digits, which trigrams cannot index. Asking the
 * planner costs a millisecond; it decides which index to read, never which rows match.
 *
 * @returns the conditions in the same order, `rare` set where few rows are expected
 */
export async function markRare(
  db: Database,
  resource: Resource,
  where: readonly Condition[],
): Promise<Condition[]> {
  const marked: Condition[] = [];
  for (const condition of where) {
    const found = indexed(resource, condition);
    const rare = found !== undefined && (await expected(db, resource, found)) <= FEW_ROWS;
    marked.push(rare ? { ...condition, rare } : condition);
  }
  return marked;
}

/** Returns a condition that a name contains a substring, and that its bigrams match. @param part valid for `bigramsIn` */
export const hasPart = (column: AnyPgColumn, part: string): SQL =>
  sql`strpos(lower(${column}), ${part.toLowerCase()}) > 0 and ${soughtBy(column, bigramsIn(part) ?? '')}`;

const soughtBy = (column: AnyPgColumn, query: string): SQL => sql`bigrams(${column}) @@ ${query}::tsquery`;

function indexed(resource: Resource, { field, op, values }: Condition): SQL | undefined {
  if (op !== 'contains' || !resource.columns.has(field)) return undefined;
  const { column } = operandOf(resource, field);
  const query = bigramsIn(String(values[0] ?? ''));
  return column && query !== undefined && hasBigrams(column) ? soughtBy(column, query) : undefined;
}

/** Returns how many rows the planner expects, from its statistics. */
async function expected(db: Database, { source }: Resource, condition: SQL): Promise<number> {
  const [row] = await rows<{ 'QUERY PLAN': string }>(
    db,
    sql`explain (format json) select from ${source} where ${condition}`,
  );
  const [{ Plan }] = JSON.parse(row?.['QUERY PLAN'] ?? '[{}]') as [{ Plan?: { 'Plan Rows': number } }];
  return Plan?.['Plan Rows'] ?? Number.POSITIVE_INFINITY;
}

/**
 * Returns a tsquery for the bigrams that the function `bigrams` finds in every name with this substring.
 *
 * @returns undefined for a substring that trigrams find, that is not ASCII, or that has no bigram
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

/** Separates bigrams while the database computes them, so no bigram contains it. */
const SEPARATOR = '\n';

const quoted = (lexeme: string): string => `'${lexeme.replace(/['\\]/g, '$&$&')}'`;
