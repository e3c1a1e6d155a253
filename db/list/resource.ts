import type { SQL } from 'drizzle-orm';
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { z } from 'zod';
import { type FieldType, fieldOf } from './fields.ts';
import type { Sort } from './query.ts';

/** The parts of a document table that a list needs. */
export type DocumentsTable = PgTable & { id: AnyPgColumn; doc: AnyPgColumn };

/** A collection that can be listed, filtered and sorted by the fields that its schema declares. */
export type Resource = {
  name: string;
  schema: z.core.$ZodType;
  /** A table, or `given`: documents that the caller passes with each call. */
  source: DocumentsTable | 'given';
  /** Fields that have a generated column; conditions on them can use an index. */
  columns: ReadonlyMap<string, AnyPgColumn>;
  defaultSort: readonly Sort[];
  unlimited: boolean;
  always: SQL | undefined;
  alwaysOn: AnyPgColumn | undefined;
  coarse: ReadonlyMap<string, Coarse>;
  marks: SQL | undefined;
  whole: Whole | undefined;
  also: ReadonlyMap<string, Also>;
};

/** For a table that stores large properties of one field elsewhere: the document of a row with all of them. */
type Whole = { field: string; of: (row: SQL) => SQL };

/** An element of an array of which a condition may hold instead of a field of the document itself. */
type Also = {
  /** The field of the elements: `documents.id`. */
  field: string;
  /**
   * Whether equal texts are found by indexes: a hash of `doc #>> '{document,id}'`, and for the array an inverted one of
   * `(doc -> 'documents') jsonb_path_ops`. Only for values that few rows have: their ids are collected first.
   */
  indexed?: boolean;
};

/**
 * A column with a coarser value of a text field, such as its start, which is indexed instead of the field. A value that
 * changes with every write would have to be moved in its index each time; a write that changes no indexed column leaves
 * the indexes alone.
 */
export type Coarse = {
  column: AnyPgColumn;
  /** Makes any text coarser and preserves the order: `a < b` means `of(a) <= of(b)`. */
  of: (text: SQL) => SQL;
};

type ResourceDefinition = {
  /** The plural used in messages: `automations`. */
  name: string;
  /** The documents' schema, which declares their fields. */
  schema: z.core.$ZodType;
  source: DocumentsTable | 'given';
  /** Maps a dotted field to its generated column; `_id` is the row's id unless mapped otherwise. */
  columns?: Record<string, AnyPgColumn>;
  /** The order when the caller requests none; without it by id, or the order of the given documents. */
  defaultSort?: readonly Sort[];
  /** A missing `limit` means all rows, not 25 (contract/lifecycle#0.5). */
  unlimited?: boolean;
  /** A condition on every listed row, for a table that holds more than this resource. */
  always?: SQL;
  /** The only column that `always` reads, for a table that is counted by it. */
  alwaysOn?: AnyPgColumn;
  /** Fields whose column is indexed by a coarser one. */
  coarse?: Record<string, Coarse>;
  /** Condition on the row `d` that marks the documents of a page that are not shown as they are stored. */
  marks?: SQL;
  /** Where a table stores large properties of a field elsewhere. */
  whole?: Whole;
  /** Maps a field to one of the elements of an array: a condition on it holds for a row if it holds for one of these. */
  also?: Record<string, Also>;
};

const COLUMN_TYPES: Record<FieldType, RegExp> = {
  text: /^(text|varchar|character varying)/,
  number: /^(smallint|integer|bigint|double precision|real|numeric)/,
  boolean: /^boolean/,
  object: /^$/,
};

/**
 * Declares a collection for `list`, once at start.
 *
 * Text columns should be declared `text collate "C"`: lists compare and sort bytes, and an index serves only the collation
 * it was made with. An index for descending order is `(column desc nulls last, id)`, unless the column is NOT NULL; one
 * for prefixes is `lower(column) text_pattern_ops`.
 *
 * @throws TypeError for a column or default sort that does not fit the schema: a programming error
 */
export function defineResource(definition: ResourceDefinition): Resource {
  const { name, schema, source, defaultSort = [], unlimited = false, always, alwaysOn } = definition;
  const { marks, whole } = definition;
  const also = new Map(Object.entries(definition.also ?? {}));
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
  return {
    name,
    schema,
    source,
    columns,
    defaultSort,
    unlimited,
    always,
    alwaysOn,
    coarse,
    marks,
    whole,
    also,
  };
}

/** Returns whether a list may be sorted by a field, which must have one value. `_id` is the row's id, declared or not. */
export function sortable(schema: z.core.$ZodType, name: string): boolean {
  const field = fieldOf(schema, name);
  return name === '_id' || (field !== undefined && !field.many && field.type !== 'object');
}
