import type { SQL } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { mayRead, mayReadProject } from '#db/access.ts';
import { deviceOrigins } from '#db/device-origins.ts';
import { type DocumentsTable, defineResource, type Resource } from '#db/list/resource.ts';
import { Searched, type SearchKind } from '#db/schemas/assets/search.ts';
import { adapters } from '#db/tables/adapters.ts';
import {
  analyticTemplates,
  automations,
  commandTemplates,
  forms,
  prebuilts,
  projects,
  tags,
  templates,
  transformations,
  triggers,
  workflows,
} from '#db/tables/assets.ts';
import { goldenTrees, parsers } from '#db/tables/documents.ts';
import { deviceGroups, deviceTemplates } from '#db/tables/gateway.ts';
import { compliancePlans } from '#db/tables/plans.ts';
import { visible } from '#server/domains/assets/index.ts';
import { visibleTriggers } from '#server/domains/workflow/index.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { type Audience, BH, ORD, R, SR } from '#server/kernel/roles.ts';

/** How documents of one kind are searched. */
export type Kind = {
  kind: SearchKind;
  resource: Resource;
  /** Who may list them (contract/lifecycle#0.8): nobody else finds them. */
  audience: Exclude<Audience, string>;
  permission: string;
  /** Which of them a caller may see, as in their list. */
  access: (caller: Caller) => SQL | undefined;
  /** What its endpoints call one of them by. */
  key: 'id' | 'name';
  path: (key: string) => string;
};

const below = (folder: string) => (key: string) => `${folder}/${encodeURIComponent(key)}`;
/** Of a kind that has no endpoint for one document. */
const listed = (list: string) => () => list;

type Given = Omit<Kind, 'resource' | 'key' | 'access'> & Partial<Pick<Kind, 'key' | 'access'>>;

/** Where a table has no column of names, its ids are the names. */
const kind = (
  source: DocumentsTable & { name?: AnyPgColumn },
  { key = 'id', access = () => undefined, ...given }: Given,
): Kind => ({
  ...given,
  key,
  access,
  resource: defineResource({
    name: given.kind,
    schema: Searched,
    source,
    columns: { name: source.name ?? source.id },
  }),
});

/** The kinds by their names (db/schemas/assets/search.ts). */
export const KINDS: readonly Kind[] = [
  kind(adapters, {
    kind: 'adapter',
    audience: R,
    permission: 'Adapters.listAdapters',
    path: below('/adapters'),
  }),
  kind(automations, {
    kind: 'automation',
    audience: ORD,
    permission: 'OperationsManager.listAutomations',
    access: (caller) => mayRead(automations, caller),
    path: below('/operations-manager/automations'),
  }),
  kind(deviceOrigins, {
    kind: 'device',
    audience: R,
    permission: 'ConfigurationManager.searchDevices',
    access: (caller) => mayRead(deviceOrigins, caller),
    key: 'name',
    path: below('/configuration_manager/devices'),
  }),
  kind(deviceGroups, {
    kind: 'deviceGroup',
    audience: R,
    permission: 'ConfigurationManager.listDeviceGroups',
    access: (caller) => mayRead(deviceGroups, caller),
    path: below('/configuration_manager/deviceGroups'),
  }),
  kind(deviceTemplates, {
    kind: 'deviceTemplate',
    audience: R,
    permission: 'ConfigurationManager.searchDeviceTemplates',
    access: (caller) => mayRead(deviceTemplates, caller),
    path: listed('/configuration_manager/templates/search'),
  }),
  kind(forms, {
    kind: 'jsonForm',
    audience: SR,
    permission: 'JsonForms.listForms',
    access: (caller) => visible('jsonForm', caller),
    path: below('/json-forms/forms'),
  }),
  kind(analyticTemplates, {
    kind: 'mopAnalyticTemplate',
    audience: SR,
    permission: 'Mop.listAnalyticTemplates',
    access: (caller) => visible('mopAnalyticTemplate', caller),
    path: below('/mop/listAnAnalyticTemplate'),
  }),
  kind(commandTemplates, {
    kind: 'mopCommandTemplate',
    audience: SR,
    permission: 'Mop.listTemplates',
    access: (caller) => visible('mopCommandTemplate', caller),
    path: below('/mop/listATemplate'),
  }),
  kind(parsers, {
    kind: 'parser',
    audience: R,
    permission: 'ConfigurationManager.listParsers',
    access: (caller) => mayRead(parsers, caller),
    path: listed('/configuration_manager/configurations/parser'),
  }),
  kind(compliancePlans, {
    kind: 'plan',
    audience: R,
    permission: 'ConfigurationManager.searchPlans',
    access: (caller) => mayRead(compliancePlans, caller),
    path: below('/configuration_manager/compliance_plans'),
  }),
  kind(prebuilts, {
    kind: 'prebuilt',
    audience: R,
    permission: 'Prebuilts.listPrebuilts',
    path: below('/prebuilts'),
  }),
  kind(projects, {
    kind: 'project',
    audience: SR,
    permission: 'AutomationStudio.listProjects',
    access: (caller) => mayReadProject(projects, caller),
    path: below('/automation-studio/projects'),
  }),
  kind(tags, { kind: 'tag', audience: SR, permission: 'Tags.listTags', path: listed('/tags/all') }),
  kind(templates, {
    kind: 'template',
    audience: SR,
    permission: 'AutomationStudio.listTemplates',
    access: (caller) => visible('template', caller),
    path: below('/automation-studio/templates'),
  }),
  kind(transformations, {
    kind: 'transformation',
    audience: SR,
    permission: 'Transformations.listTransformations',
    access: (caller) => visible('transformation', caller),
    path: below('/transformations'),
  }),
  kind(goldenTrees, {
    kind: 'tree',
    audience: R,
    permission: 'ConfigurationManager.listTrees',
    access: (caller) => mayRead(goldenTrees, caller),
    path: below('/configuration_manager/configs'),
  }),
  kind(triggers, {
    kind: 'trigger',
    audience: ORD,
    permission: 'OperationsManager.listTriggers',
    access: visibleTriggers,
    path: below('/operations-manager/triggers'),
  }),
  kind(workflows, {
    kind: 'workflow',
    audience: BH,
    permission: 'AutomationStudio.listWorkflows',
    access: (caller) => visible('workflow', caller),
    key: 'name',
    path: below('/automation-studio/workflows/detailed'),
  }),
];
