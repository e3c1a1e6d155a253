import { index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { document, orderedText } from '../../columns.ts';
import type { StoredCatalogue } from '../../schemas/integrations/adapter-catalogue.ts';

/** Adapter types of which only the tasks are known, by type (docs/adapter-tasks.md). */
export const adapterCatalogues = pgTable('adapter_catalogues', {
  ...document<StoredCatalogue>(),
  taskCount: integer('task_count').notNull(),
});

/** The tasks of these types. */
export const adapterCatalogueTasks = pgTable(
  'adapter_catalogue_tasks',
  {
    type: orderedText()
      .notNull()
      .references(() => adapterCatalogues.id, { onDelete: 'cascade' }),
    name: orderedText().notNull(),
    /** Position within the catalogue. */
    place: integer().notNull(),
    summary: text().notNull(),
    task: jsonb().$type<object>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.type, t.name] }),
    index('adapter_catalogue_tasks_place').on(t.type, t.place),
  ],
);
