import { sql } from 'drizzle-orm';
import type { MigrationMeta } from 'drizzle-orm/migrator';
import { type Database, rows } from './client.ts';

/** A statement of a migration that creates or drops an index, at the beginning of a line: what is indented depends on the server. */
const STATEMENT =
  /^(?:create (?:unique )?index (?:if not exists )?"?(?<created>\w+)"? on [^;]+|drop index (?:if exists )?"?(?<dropped>\w+)"?)/gim;

/** Returns the statements that create the indexes of the last migration's level, by the name of the index. */
function indexesOf(migrations: readonly MigrationMeta[]): Map<string, string> {
  const statements = new Map<string, string>();
  for (const { sql: texts } of migrations)
    for (const text of texts)
      for (const { 0: statement, groups } of text.matchAll(STATEMENT)) {
        if (groups?.created) statements.set(groups.created, statement.replace(/\s+/g, ' ').trim());
        if (groups?.dropped) statements.delete(groups.dropped);
      }
  return statements;
}

/**
 * Looks for indexes that somebody has dropped, or that are not valid: lists would be slow, and names would no longer be unique,
 * without a word.
 *
 * @param migrations all that were applied
 * @returns one line for each, with the statement that creates it
 */
export async function findMissingIndexes(
  db: Database,
  migrations: readonly MigrationMeta[],
): Promise<string[]> {
  const found = await rows<{ name: string }>(
    db,
    sql`select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
        where relnamespace = to_regnamespace('public') and indisvalid`,
  );
  const present = new Set(found.map(({ name }) => name));
  return [...indexesOf(migrations)].flatMap(([name, statement]) =>
    present.has(name)
      ? []
      : [`The index ${name} is missing or not valid: drop what is left of it, and run: ${statement}`],
  );
}
