import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { access, document, flagOf, orderedText, requiredTextOf, textOf } from '../../columns.ts';
import type { Form } from '../../schemas/assets/form.ts';
import type { InstalledPrebuilt, Prebuilt } from '../../schemas/assets/prebuilt.ts';
import type { Project } from '../../schemas/assets/project.ts';
import type { Tag } from '../../schemas/assets/tag.ts';
import type { Template } from '../../schemas/assets/template.ts';
import type { AnalyticTemplate, CommandTemplate } from '../../schemas/network/mop-template.ts';
import type { Actor } from '../../schemas/primitives.ts';
import type { Automation } from '../../schemas/workflow/automation.ts';
import type { Transformation } from '../../schemas/workflow/transformation.ts';
import type { Trigger } from '../../schemas/workflow/trigger.ts';
import type { Workflow } from '../../schemas/workflow/workflow.ts';

export const projects = pgTable(
  'projects',
  {
    ...document<Project>(),
    name: requiredTextOf('name'),
    iid: integer().generatedAlwaysAs(sql`(doc ->> 'iid')::integer`),
    lastUpdated: textOf('lastUpdated', 'last_updated'),
    /** `account:<id>` and `group:<id>` of the readers (contract/lifecycle#5.1). */
    readers: jsonb().generatedAlwaysAs(sql`doc #> '{accessControl,read}'`),
  },
  (t) => [
    uniqueIndex('projects_name').on(t.name),
    uniqueIndex('projects_iid').on(t.iid),
    index('projects_readers').using('gin', t.readers),
  ],
);

/** The project that owns the asset; null for a global one. A project is deleted only after its assets. */
const projectId = () => text('project_id').references((): AnyPgColumn => projects.id);

export const workflows = pgTable(
  'workflows',
  {
    ...document<Workflow>(),
    projectId: projectId(),
    name: requiredTextOf('name'),
    type: textOf('type'),
    lastUpdated: textOf('last_updated'),
  },
  // The indexes hold all columns that a page and its total need, including access, so that skipped rows are not read.
  (t) => [
    uniqueIndex('workflows_name').on(t.name),
    index('workflows_project').on(t.projectId),
    index('workflows_by_name').on(t.name, t.id, t.projectId),
    index('workflows_by_type').on(t.type, t.name, t.id, t.projectId),
    index('workflows_by_last_updated').on(t.lastUpdated.desc().nullsLast(), t.id, t.projectId),
    index('workflows_by_start').on(sql`lower(name) text_pattern_ops`, t.name, t.id, t.projectId),
  ],
);

export const transformations = pgTable(
  'transformations',
  { ...document<Transformation>(), projectId: projectId(), name: requiredTextOf('name') },
  (t) => [uniqueIndex('transformations_name').on(t.name), index('transformations_project').on(t.projectId)],
);

export const templates = pgTable(
  'templates',
  {
    ...document<Template>(),
    projectId: projectId(),
    name: requiredTextOf('name'),
    group: textOf('group', 'template_group'),
    type: textOf('type'),
  },
  (t) => [
    uniqueIndex('templates_name').on(t.name, t.group),
    index('templates_project').on(t.projectId),
    index('templates_group').on(t.group),
  ],
);

export const forms = pgTable(
  'forms',
  { ...document<Form>(), projectId: projectId(), name: requiredTextOf('name') },
  (t) => [uniqueIndex('forms_name').on(t.name), index('forms_project').on(t.projectId)],
);

/** Command and analytic templates: their id is their name (contract/lifecycle#7). */
export const commandTemplates = pgTable(
  'command_templates',
  { ...document<CommandTemplate>(), projectId: projectId(), name: requiredTextOf('name') },
  (t) => [index('command_templates_project').on(t.projectId)],
);

export const analyticTemplates = pgTable(
  'analytic_templates',
  { ...document<AnalyticTemplate>(), projectId: projectId(), name: requiredTextOf('name') },
  (t) => [index('analytic_templates_project').on(t.projectId)],
);

/**
 * References between documents: written with the referring document, and checked before a document is deleted or renamed.
 * The target is stored by id once it is known, and by the given name until then. A null kind is a project-scoped name
 * (`@<projectId>: Name`) where the field does not determine the kind.
 */
export const assetReferences = pgTable(
  'asset_references',
  {
    sourceKind: text('source_kind').notNull(),
    sourceId: orderedText('source_id').notNull(),
    targetKind: text('target_kind'),
    targetName: orderedText('target_name'),
    targetId: orderedText('target_id'),
  },
  (t) => [
    index('asset_references_source').on(t.sourceId, t.sourceKind),
    index('asset_references_target').on(t.targetId, t.targetKind),
    index('asset_references_name').on(t.targetName),
  ],
);

export const automations = pgTable(
  'automations',
  {
    ...document<Automation>(),
    ...access(),
    name: requiredTextOf('name'),
    componentId: textOf('componentId', 'component_id'),
  },
  (t) => [uniqueIndex('automations_name').on(t.name), index('automations_component').on(t.componentId)],
);

export const triggers = pgTable(
  'triggers',
  {
    ...document<Trigger>(),
    name: requiredTextOf('name'),
    type: textOf('type'),
    enabled: flagOf('enabled'),
    actionId: text('action_id')
      .notNull()
      .references(() => automations.id, { onDelete: 'cascade' }),
    routeName: textOf('routeName', 'route_name'),
    source: textOf('source'),
    topic: textOf('topic'),
    /** Next due time of a schedule, in milliseconds since 1970. */
    nextRunAt: bigint('next_run_at', { mode: 'number' }).generatedAlwaysAs(
      sql`(doc ->> 'nextRunAt')::double precision::bigint`,
    ),
  },
  (t) => [
    index('triggers_action').on(t.actionId),
    uniqueIndex('triggers_route').on(t.routeName).where(sql`type = 'endpoint'`),
    index('triggers_event').on(t.source, t.topic).where(sql`type = 'eventSystem' and enabled`),
    index('triggers_due').on(t.nextRunAt).where(sql`type = 'schedule' and enabled`),
  ],
);

export const prebuilts = pgTable(
  'prebuilts',
  {
    ...document<InstalledPrebuilt>(),
    name: requiredTextOf('name'),
    /** The package as it was imported, which an export returns. */
    package: jsonb().$type<Prebuilt>().notNull(),
  },
  (t) => [uniqueIndex('prebuilts_name').on(t.name)],
);

/**
 * Authors of imported documents that have no account here, as described in their files: documents store only the id, and
 * an export must lose nothing (contract/lifecycle#users).
 */
export const importedAuthors = pgTable('imported_authors', {
  id: text().primaryKey(),
  doc: jsonb().$type<Actor>().notNull(),
});

export const tags = pgTable('tags', { ...document<Tag>(), name: requiredTextOf('name') }, (t) => [
  uniqueIndex('tags_name').on(t.name),
]);

/** The documents that carry a tag (contract/lifecycle#5.7). */
export const tagReferences = pgTable(
  'tag_references',
  {
    tagId: text('tag_id')
      .notNull()
      .references(() => tags.id, { onDelete: 'cascade' }),
    refId: orderedText('ref_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.refId, t.tagId] }), index('tag_references_tag').on(t.tagId)],
);
