import { boolean, customType, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { document, orderedText } from '../../columns.ts';
import type { IntegrationModel } from '../../schemas/network/integration-model.ts';

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** OpenAPI documents as catalogues of tasks, by version id (docs/integration-models.md). */
export const integrationModels = pgTable('integration_models', {
  ...document<IntegrationModel>(),
  title: text().notNull(),
  /** Version of the OpenAPI Specification: 2.0, 3.0 or 3.1. */
  specification: text().notNull(),
  operationCount: integer('operation_count').notNull(),
  /** Security schemes of the document by name, as calls need them. */
  securitySchemes: jsonb('security_schemes').$type<object>().notNull(),
  /** Security schemes of the document by name, as the document declares them. */
  declaredSchemes: jsonb('declared_schemes').$type<object>().notNull(),
  /** The document as JSON text, compressed with gzip. No list reads this column. */
  source: bytea().notNull(),
});

/** The operations of the documents, each with all that a call of it needs. */
export const integrationOperations = pgTable(
  'integration_operations',
  {
    model: orderedText()
      .notNull()
      .references(() => integrationModels.id, { onDelete: 'cascade' }),
    /** Name of the task. */
    name: orderedText().notNull(),
    /** Position within the document. */
    place: integer().notNull(),
    method: text().notNull(),
    path: text().notNull(),
    summary: text().notNull(),
    tags: jsonb().$type<readonly string[]>().notNull(),
    deprecated: boolean().notNull(),
    operation: jsonb().$type<object>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.model, t.name] }),
    index('integration_operations_place').on(t.model, t.place),
  ],
);
