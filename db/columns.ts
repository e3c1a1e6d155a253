import { type NotNull, sql } from 'drizzle-orm';
import { boolean, customType, integer, jsonb, timestamp } from 'drizzle-orm/pg-core';

/** Text in byte order, whatever the database's locale: pages sort the same everywhere, and every index can serve them. */
export const orderedText = customType<{ data: string }>({ dataType: () => 'text collate "C"' });

/** A generated column with a property of the document. Filters and sorting use such columns, not the document itself. */
export const textOf = (member: string, column = member) =>
  orderedText(column).generatedAlwaysAs(sql.raw(`doc ->> '${member}'`));
/** The same for a property that every stored document has; the database does not enforce that. */
export const requiredTextOf = (member: string, column = member) => {
  const made = textOf(member, column);
  return made as NotNull<typeof made>;
};
/** Returns a generated column that holds whether a boolean field of the document is true. */
export const flagOf = (member: string, column = member) =>
  boolean(column).generatedAlwaysAs(sql.raw(`doc -> '${member}' = 'true'::jsonb`));

/** The columns of a document table: the id, the document itself, its revision, and when it was last written. */
export const document = <Doc>() => ({
  id: orderedText().primaryKey(),
  doc: jsonb().$type<Doc>().notNull(),
  rev: integer().notNull().default(1),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
});

/** The groups that may read and write a document (gbac): group ids, or null where everyone with the role may. */
export const access = () => ({
  readGroups: jsonb('read_groups').generatedAlwaysAs(sql`doc #> '{gbac,read}'`),
  writeGroups: jsonb('write_groups').generatedAlwaysAs(sql`doc #> '{gbac,write}'`),
});
