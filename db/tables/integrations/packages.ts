import { index, integer, jsonb, pgTable, primaryKey } from 'drizzle-orm/pg-core';
import { document, orderedText } from '../../columns.ts';
import type { AdapterPackage } from '../../schemas/integrations/adapter-package.ts';

/** Adapter packages by type; their code is stored on the hosts (docs/adapters.md). */
export const adapterPackages = pgTable('adapter_packages', document<AdapterPackage>());

/** The tasks of these packages. */
export const adapterPackageTasks = pgTable(
  'adapter_package_tasks',
  {
    type: orderedText()
      .notNull()
      .references(() => adapterPackages.id, { onDelete: 'cascade' }),
    name: orderedText().notNull(),
    /** Position within the package. */
    place: integer().notNull(),
    task: jsonb().$type<object>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.type, t.name] }),
    index('adapter_package_tasks_place').on(t.type, t.place),
  ],
);
