import { type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { z } from 'zod';
import { type FieldType, fieldOf } from './fields.ts';
import type { Sort } from './query.ts';

/** A table of documents: what a list needs of it. */
export type DocumentsTable = PgTable & { id: AnyPgColumn; doc: AnyPgColumn };

/** A collection that can be listed, filtered and sorted by the fields that its schema declares. */
export type Resource = {
  name: string;
  schema: z.core.$ZodType;
  /** A table, or `given`: documents that the caller hands over with each call. */
  source: DocumentsTable | 'given';
  /** Fields that stand in a generated column; what is asked of them can use an index. */
  columns: ReadonlyMap<string, AnyPgColumn>;
  defaultSort: readonly Sort[];
  unlimited: boolean;
  always: SQL | undefined;
  coarse: ReadonlyMap<string, Coarse>;
  marks: SQL;
};

/**
 * A column with a coarser value of a field of text, such as its start, which has the index. What changes with every write
 * of a row would have to be moved in that index each time; while nothing indexed changes, the row alone is written.
 */
export type Coarse = {
  column: AnyPgColumn;
  /** The same of any text, in the same order: `a < b` means `of(a) <= of(b)`. */
  of: (text: SQL) => SQL;
};

type ResourceDefinition = {
  /** One word for messages: `automations`. */
  name: string;
  /** The documents' schema, which says what their fields are. */
  schema: z.core.$ZodType;
  source: DocumentsTable | 'given';
  /** Dotted field → its generated column; `_id` is the row's id unless said otherwise. */
  columns?: Record<string, AnyPgColumn>;
  /** The order of a caller who asks for none; else by id, a given list as it was given. */
  defaultSort?: readonly Sort[];
  /** Absent `limit` means everything, not 25 (contract/lifecycle#0.5). */
  unlimited?: boolean;
  /** What every listed row meets, whoever asks: for a table that holds more than this resource. */
  always?: SQL;
  /** Field with a column whose index stands on a coarser one. */
  coarse?: Record<string, Coarse>;
  /** Which documents of a page are marked, as a condition on the row `d`: those that are not shown as they are stored. */
  marks?: SQL;
};

const COLUMN_TYPES: Record<FieldType, RegExp> = {
  text: /^(text|varchar|character varying)/,
  number: /^(smallint|integer|bigint|double precision|real|numeric)/,
  boolean: /^boolean/,
  object: /^$/,
};

/**
 * Declare a collection for `list`, once at start.
 *
 * Columns of text should be declared `text collate "C"`: lists compare and sort bytes, and an index serves only the
 * collation it was made with. An index for descending order reads `(column desc nulls last, id)`, unless the column is
 * NOT NULL; one for prefixes `lower(column) text_pattern_ops`.
 *
 * @throws TypeError for a column or default sort that the schema does not bear out: a mistake of ours
 */
export function defineResource(definition: ResourceDefinition): Resource {
  const { name, schema, source, defaultSort = [], unlimited = false, always } = definition;
  const { marks = sql`false` } = definition;
  const columns = new Map(Object.entries(definition.columns ?? {}));
  for (const [field, column] of columns) {
    const known = fieldOf(schema, field);
    if (!known || known.many || !COLUMN_TYPES[known.type].test(column.getSQLType())) {
      throw new TypeError(`${name}: column ${column.name} does not fit the field ${field}`);
    }
  }
  if (source !== 'given' && !columns.has('_id')) columns.set('_id', source.id);
  for (const { field } of defaultSort) {
    if (!sortable(schema, field)) throw new TypeError(`${name}: cannot be sorted by ${field}`);
  }
  const coarse = new Map(Object.entries(definition.coarse ?? {}));
  return { name, schema, source, columns, defaultSort, unlimited, always, coarse, marks };
}

/** Whether a list may be sorted by a field: it has one value. `_id` stands for the row itself, declared or not. */
export function sortable(schema: z.core.$ZodType, name: string): boolean {
  const field = fieldOf(schema, name);
  return name === '_id' || (field !== undefined && !field.many && field.type !== 'object');
}
