import { sql } from 'drizzle-orm';
import { index, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { access, document, orderedText, requiredTextOf, textOf } from '../../columns.ts';
import type { ListedBackup } from '../../schemas/golden-config/backup.ts';
import type { ConfigParser } from '../../schemas/golden-config/config-parser.ts';
import type { StoredSpec } from '../../schemas/golden-config/config-spec.ts';
import type { GoldenTree, TreeVersion } from '../../schemas/golden-config/golden-tree.ts';

export const parsers = pgTable(
  'parsers',
  { ...document<ConfigParser>(), ...access(), name: requiredTextOf('name') },
  (t) => [uniqueIndex('parsers_name').on(t.name)],
);

export const goldenTrees = pgTable(
  'golden_trees',
  {
    ...document<GoldenTree>(),
    ...access(),
    name: requiredTextOf('name'),
    deviceType: textOf('deviceType', 'device_type'),
  },
  (t) => [uniqueIndex('golden_trees_name').on(t.name), index('golden_trees_device_type').on(t.deviceType)],
);

export const treeVersions = pgTable(
  'tree_versions',
  {
    ...document<TreeVersion>(),
    treeId: text('tree_id')
      .notNull()
      .references(() => goldenTrees.id, { onDelete: 'cascade' }),
    version: requiredTextOf('version'),
  },
  (t) => [uniqueIndex('tree_versions_version').on(t.treeId, t.version)],
);

export const specs = pgTable(
  'config_specs',
  {
    ...document<StoredSpec>(),
    /** The version whose node owns this spec; null for one that no node owns yet. */
    versionId: text('version_id').references(() => treeVersions.id, { onDelete: 'cascade' }),
  },
  (t) => [
    index('config_specs_version').on(t.versionId),
    index('config_specs_sections').on(t.versionId).where(sql`jsonb_typeof(doc -> 'sections') = 'object'`),
  ],
);

/** The text of a configuration, stored once for all backups with the same text. */
export const rawConfigs = pgTable('raw_configs', {
  sha256: text().primaryKey(),
  content: text().notNull(),
});

/**
 * A time as text that sorts by bytes in order of time; otherwise `04:05:06Z`, `04:05:06.000Z` and `04:05:06.5Z` would sort
 * wrongly because their precision differs.
 */
const momentOf = (field: string) =>
  orderedText(field).generatedAlwaysAs(
    sql.raw(`rtrim(regexp_replace(rtrim(doc ->> '${field}', 'Z'), '(\\.[0-9]*?)0+$', '\\1'), '.')`),
  );

export const backups = pgTable(
  'backups',
  {
    ...document<ListedBackup>(),
    ...access(),
    name: requiredTextOf('name'),
    date: momentOf('date'),
    sha256: requiredTextOf('sha256'),
  },
  (t) => [
    // the newest backup of a device comes first here
    index('backups_newest').on(t.name, t.date.desc().nullsLast(), t.id.desc()),
    index('backups_date').on(t.date.desc().nullsLast(), t.id),
    index('backups_sha256').on(t.sha256),
  ],
);
