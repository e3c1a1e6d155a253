import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { type Member, mayRead, mayReadAsset, mayReadProject } from '../access.ts';
import type { Documents } from '../collection.ts';
import { automations, projects } from '../tables/assets/assets.ts';
import type { KindDefinition } from './definition.ts';
import { DOCUMENT_KINDS, type DocumentKind, type DocumentOf } from './kinds.ts';

/** Returns the table of a kind, for the functions of db/collection.ts. */
export const documentsOf = <K extends DocumentKind>(kind: K): Documents<DocumentOf<K>> =>
  DOCUMENT_KINDS[kind].table as unknown as Documents<DocumentOf<K>>;

/** Returns the only column that decides who may read documents of a kind; undefined where there is none. */
export function scopeColumnOf(kind: KindDefinition): PgColumn | undefined {
  if (kind.access === 'list') return kind.table.readGroups;
  if (kind.access === 'members') return kind.table.readers;
  return kind.access === 'project' ? kind.table.projectId : undefined;
}

/**
 * Returns the condition for the documents of a kind that a caller may read, for lists, totals, search and single reads.
 *
 * @returns undefined when the caller may read all of them
 * @throws Error for a kind whose domain decides who may read it
 */
export function readable(name: DocumentKind, reader: Member): SQL | undefined {
  const kind: KindDefinition = DOCUMENT_KINDS[name];
  switch (kind.access) {
    case 'list':
      return mayRead(kind.table, reader);
    case 'members':
      return mayReadProject(kind.table, reader);
    case 'project':
      return mayReadAsset(kind.table, projects, reader);
    case 'automation': {
      const started = mayRead(automations, reader);
      const { actionId } = kind.table;
      return started && sql`${actionId} in (select ${automations.id} from ${automations} where ${started})`;
    }
    case 'role':
      return undefined;
    default:
      throw new Error(`the domain of ${name} decides who may read it`);
  }
}
