import { type NotNull, sql } from 'drizzle-orm';
import { boolean, customType, integer, jsonb, timestamp } from 'drizzle-orm/pg-core';

/** Text in byte order, whatever the database's locale: pages sort the same everywhere, and every index can serve them. */
export const orderedText = customType<{ data: string }>({ dataType: () => 'text collate "C"' });

/**
 * Returns a generated column with a property of the document. Filters and sorting use such columns, not the document
 * itself.
 *
 * @param field name of the property
 * @param column name of the column
 */
export const textOf = (field: string, column = field) =>
  orderedText(column).generatedAlwaysAs(sql.raw(`doc ->> '${field}'`));
/**
 * Returns the same for a property that every stored document has; the database does not enforce that.
 *
 * @param field name of the property
 * @param column name of the column
 */
export const requiredTextOf = (field: string, column = field) => {
  const made = textOf(field, column);
  return made as NotNull<typeof made>;
};
/**
 * Returns a generated column that holds whether a boolean field of the document is true.
 *
 * @param field name of the field
 * @param column name of the column
 */
export const flagOf = (field: string, column = field) =>
  boolean(column).generatedAlwaysAs(sql.raw(`doc -> '${field}' = 'true'::jsonb`));

/** Returns the columns of a document table: the id, the document itself, its revision, and when it was last written. */
export const document = <Doc>() => ({
  id: orderedText().primaryKey(),
  doc: jsonb().$type<Doc>().notNull(),
  rev: integer().notNull().default(1),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
});

/**
 * Returns the columns of the groups that may read and write a document (gbac): group ids, or null where everyone with
 * the role may.
 */
export const access = () => ({
  readGroups: jsonb('read_groups').generatedAlwaysAs(sql`doc #> '{gbac,read}'`),
  writeGroups: jsonb('write_groups').generatedAlwaysAs(sql`doc #> '{gbac,write}'`),
});

/** Returns a column with a moment. @param name of the column */
export const moment = (name: string) => timestamp(name, { withTimezone: true });
