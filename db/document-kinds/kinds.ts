import { z } from 'zod';
import { deviceOrigins } from '../device-origins.ts';
import { Form } from '../schemas/assets/form.ts';
import type { ComponentType } from '../schemas/assets/project.ts';
import type { SearchKind } from '../schemas/assets/search.ts';
import { Template } from '../schemas/assets/template.ts';
import { AnalyticTemplate, CommandTemplate } from '../schemas/network/mop-template.ts';
import { Transformation } from '../schemas/workflow/transformation.ts';
import { Workflow } from '../schemas/workflow/workflow.ts';
import * as adapter from '../tables/adapters/adapters.ts';
import { adapterCatalogues } from '../tables/adapters/catalogues.ts';
import { integrationModels } from '../tables/adapters/integration-models.ts';
import { adapterPackages } from '../tables/adapters/packages.ts';
import * as asset from '../tables/assets.ts';
import * as core from '../tables/documents.ts';
import * as fleet from '../tables/fleet.ts';
import * as gateway from '../tables/gateway.ts';
import { gitRemotes } from '../tables/git.ts';
import { gatewayCalls } from '../tables/history.ts';
import { inventorySources } from '../tables/inventory.ts';
import { jobs, jobTasks } from '../tables/jobs.ts';
import { notificationChannels, notificationRules } from '../tables/notifications.ts';
import { outgoingTargets } from '../tables/outgoing.ts';
import { compliancePlans, planInstances } from '../tables/plans.ts';
import { commandPolicies } from '../tables/policies.ts';
import { remediations } from '../tables/remediations.ts';
import { retentionRuns, retentionSettings } from '../tables/retention.ts';
import { secretProviders } from '../tables/secrets.ts';
import { accessDefault, signInProviders } from '../tables/sign-in.ts';
import type { ComponentFacts, Endpoint, KindDefinition, Search, Stamps } from './definition.ts';

const READERS = ['admin', 'apiread'] as const;
const DESIGNERS = ['admin', 'apiread', 'designer'] as const;
const OPERATORS = ['admin', 'apiread', 'engineering', 'support'] as const;
const EVERYBODY = ['admin', 'apiread', 'designer', 'engineering', 'support'] as const;

const STAMPS = { made: 'created', madeBy: 'createdBy', changed: 'lastUpdated', changedBy: 'lastUpdatedBy' };
const ID = { _id: z.string().optional() };

const endpoint = (permission: string, roles: Endpoint['roles']): Endpoint => ({ permission, roles });
const search = (permission: string, roles: Endpoint['roles'], path: string): Search => ({
  permission,
  roles,
  path,
});
const manager = (method: string) => `ConfigurationManager.${method}`;

/** Properties that most kinds in projects share. */
const COMPONENT = {
  access: 'project',
  stamps: STAMPS,
  authors: 'id',
  idMembers: ['_id'],
  // Errors of a draft are found anew by every import.
  notExported: ['errors'],
  counted: {},
  references: {},
} as const;

const MOP = {
  ...COMPONENT,
  authors: 'username',
  namedById: true,
  stampedHere: true,
  notExported: ['_id', 'errors'],
} as const;

/*
 * Every kind of document, declared once (docs/decisions/0010): code for documents of several kinds reads this list and
 * has none of its own. test/db/document-kinds.test.ts compares each entry with the database.
 */
const KINDS = {
  accessDefault: { table: accessDefault, word: 'Access default', access: 'role' },
  account: { table: core.accounts, word: 'Account', access: 'role', counted: { onlyTotals: true } },
  adapter: {
    table: adapter.adapters,
    word: 'Adapter',
    access: 'role',
    search: search('Adapters.listAdapters', READERS, '/adapters/:id'),
    events: endpoint('Adapters.getAdapter', READERS),
  },
  adapterCatalogue: {
    table: adapterCatalogues,
    word: 'Adapter catalogue',
    called: 'Catalogue',
    access: 'role',
  },
  adapterPackage: { table: adapterPackages, word: 'Adapter package', called: 'Package', access: 'role' },
  adapterDevice: { table: adapter.adapterDevices, word: 'Device', access: 'domain' },
  application: { table: core.applications, word: 'Application', access: 'role' },
  audit: { table: core.audit, word: 'Audit entry', access: 'role', counted: { onlyTotals: true } },
  automation: {
    table: asset.automations,
    word: 'Automation',
    access: 'list',
    unique: 'automations_name',
    stamps: STAMPS,
    counted: { described: true },
    references: { componentId: { kind: 'workflow', by: 'id' } },
    search: search('OperationsManager.listAutomations', EVERYBODY, '/operations-manager/automations/:id'),
    events: endpoint('OperationsManager.getAutomation', EVERYBODY),
  },
  backup: {
    table: core.backups,
    word: 'Backup',
    access: 'list',
    stamps: { changed: 'lastUpdated' },
    counted: {},
    events: endpoint(manager('getBackup'), READERS),
  },
  backupPolicy: { table: fleet.backupPolicies, word: 'Backup policy', access: 'role' },
  backupSchedule: {
    table: fleet.backupSchedules,
    word: 'Backup schedule',
    access: 'role',
    unique: 'backup_schedules_name',
    stamps: STAMPS,
    events: endpoint(manager('getBackupRun'), READERS),
  },
  campaign: {
    table: fleet.campaigns,
    word: 'Campaign',
    access: 'domain',
    events: endpoint(manager('getCampaign'), [...READERS, 'engineering']),
  },
  commandPolicy: {
    table: commandPolicies,
    word: 'Command policy',
    access: 'role',
    stamps: { changed: 'lastUpdated' },
  },
  credential: {
    table: gateway.gatewayCredentials,
    word: 'Credential',
    access: 'role',
    stamps: { changed: 'lastUpdated' },
  },
  device: {
    table: deviceOrigins,
    word: 'Device',
    access: 'list',
    search: search(manager('searchDevices'), READERS, '/configuration_manager/devices/:name'),
  },
  deviceGroup: {
    table: gateway.deviceGroups,
    word: 'Device group',
    access: 'list',
    unique: 'device_groups_name',
    counted: {},
    stamps: { ...STAMPS, changed: 'updated' },
    search: search(manager('listDeviceGroups'), READERS, '/configuration_manager/deviceGroups/:id'),
    events: endpoint(manager('getDeviceGroup'), READERS),
  },
  deviceTemplate: {
    table: gateway.deviceTemplates,
    word: 'Device template',
    access: 'list',
    unique: 'device_templates_name',
    stamps: { ...STAMPS, changed: 'updated', changedBy: 'updatedBy' },
    search: search(manager('searchDeviceTemplates'), READERS, '/configuration_manager/templates/search'),
    events: endpoint(manager('searchDeviceTemplates'), READERS),
  },
  gatewayCall: { table: gatewayCalls, word: 'Call', access: 'domain' },
  gitRemote: {
    table: gitRemotes,
    word: 'Git remote',
    called: 'Remote',
    access: 'role',
    unique: 'git_remotes_name',
    stamps: STAMPS,
    events: endpoint('Git.getRun', ['admin']),
  },
  group: { table: core.groups, word: 'Group', access: 'role' },
  host: {
    table: gateway.gatewayHosts,
    word: 'Host',
    access: 'list',
    counted: { by: gateway.gatewayHosts.kind, onlyTotals: true },
    stamps: { changed: 'lastUpdated' },
  },
  integrationModel: { table: integrationModels, word: 'Integration model', called: 'Model', access: 'role' },
  job: {
    table: jobs,
    word: 'Job',
    access: 'domain',
    events: endpoint('OperationsManager.getJob', OPERATORS),
  },
  jsonForm: {
    ...COMPONENT,
    table: asset.forms,
    word: 'JSON form',
    unique: 'forms_name',
    authors: 'username',
    idMembers: ['_id', 'id'],
    schema: Form.extend({ ...ID, id: ID._id }),
    notExported: ['_id', 'errors'],
    packaged: ['forms', 'json-forms'],
    counted: { described: true },
    search: search('JsonForms.listForms', DESIGNERS, '/json-forms/forms/:id'),
  },
  mopAnalyticTemplate: {
    ...MOP,
    table: asset.analyticTemplates,
    word: 'Analytic template',
    schema: AnalyticTemplate,
    unique: 'analytic_templates_pkey',
    packaged: ['mop-analytic-template'],
    search: search('Mop.listAnalyticTemplates', DESIGNERS, '/mop/listAnAnalyticTemplate/:id'),
  },
  mopCommandTemplate: {
    ...MOP,
    table: asset.commandTemplates,
    word: 'Command template',
    schema: CommandTemplate,
    unique: 'command_templates_pkey',
    packaged: ['mop-template'],
    search: search('Mop.listTemplates', DESIGNERS, '/mop/listATemplate/:id'),
  },
  notificationChannel: {
    table: notificationChannels,
    word: 'Notification channel',
    called: 'Channel',
    access: 'role',
    unique: 'notification_channels_name',
    stamps: STAMPS,
  },
  notificationRule: {
    table: notificationRules,
    word: 'Notification rule',
    called: 'Rule',
    access: 'domain',
    unique: 'notification_rules_name',
    stamps: STAMPS,
  },
  outgoingTargets: { table: outgoingTargets, word: 'Outgoing targets', access: 'role' },
  parser: {
    table: core.parsers,
    word: 'Config parser',
    called: 'Parser',
    access: 'list',
    unique: 'parsers_name',
    stamps: { changed: 'updated' },
    counted: {},
    search: search(manager('listParsers'), READERS, '/configuration_manager/configurations/parser'),
    events: endpoint(manager('listParsers'), READERS),
  },
  plan: {
    table: compliancePlans,
    word: 'Compliance plan',
    access: 'list',
    unique: 'compliance_plans_name',
    stamps: STAMPS,
    search: search(manager('searchPlans'), READERS, '/configuration_manager/compliance_plans/:id'),
    events: endpoint(manager('getPlan'), READERS),
  },
  planInstance: { table: planInstances, word: 'Compliance plan instance', access: 'domain' },
  prebuilt: {
    table: asset.prebuilts,
    word: 'Prebuilt',
    access: 'role',
    search: search('Prebuilts.listPrebuilts', READERS, '/prebuilts/:id'),
  },
  profile: { table: core.profiles, word: 'Profile', access: 'role' },
  project: {
    table: asset.projects,
    word: 'Project',
    access: 'members',
    stamps: STAMPS,
    counted: {},
    search: search('AutomationStudio.listProjects', DESIGNERS, '/automation-studio/projects/:id'),
  },
  remediation: { table: remediations, word: 'Remediation', access: 'domain' },
  retentionRun: {
    table: retentionRuns,
    word: 'Retention run',
    access: 'role',
    events: endpoint('Retention.getRun', ['admin']),
  },
  retentionSettings: { table: retentionSettings, word: 'Retention settings', access: 'role' },
  role: { table: core.roles, word: 'Role', access: 'role' },
  inventorySource: {
    table: inventorySources,
    word: 'Inventory source',
    called: 'Source',
    access: 'role',
    stamps: { changed: 'lastUpdated' },
    events: endpoint('Inventory.getRun', ['admin']),
  },
  secretProvider: {
    table: secretProviders,
    word: 'Secret provider',
    called: 'Provider',
    access: 'role',
    stamps: { changed: 'lastUpdated' },
  },
  signInProvider: { table: signInProviders, word: 'Sign-in provider', access: 'role' },
  spec: { table: core.specs, word: 'Config spec', access: 'domain' },
  tag: {
    table: asset.tags,
    word: 'Tag',
    access: 'role',
    search: search('Tags.listTags', DESIGNERS, '/tags/all'),
  },
  task: { table: jobTasks, word: 'Task', access: 'domain' },
  template: {
    ...COMPONENT,
    table: asset.templates,
    word: 'Template',
    unique: 'templates_name',
    schema: Template.extend(ID),
    packaged: ['template'],
    counted: { by: asset.templates.type, described: true },
    search: search('AutomationStudio.listTemplates', DESIGNERS, '/automation-studio/templates/:id'),
  },
  transformation: {
    ...COMPONENT,
    table: asset.transformations,
    word: 'Transformation',
    unique: 'transformations_name',
    schema: Transformation.extend(ID),
    packaged: ['transformation'],
    counted: { described: true },
    search: search('Transformations.listTransformations', DESIGNERS, '/transformations/:id'),
  },
  tree: {
    table: core.goldenTrees,
    word: 'Golden configuration tree',
    called: 'Tree',
    access: 'list',
    unique: 'golden_trees_name',
    stamps: STAMPS,
    counted: {},
    search: search(manager('listTrees'), READERS, '/configuration_manager/configs/:id'),
    events: endpoint(manager('getTree'), READERS),
  },
  treeVersion: { table: core.treeVersions, word: 'Version', access: 'domain' },
  trigger: {
    table: asset.triggers,
    word: 'Trigger',
    access: 'automation',
    stamps: STAMPS,
    references: { formId: { kind: 'jsonForm', by: 'either' }, jst: { kind: 'transformation', by: 'id' } },
    search: search('OperationsManager.listTriggers', EVERYBODY, '/operations-manager/triggers/:id'),
  },
  workflow: {
    ...COMPONENT,
    table: asset.workflows,
    word: 'Workflow',
    unique: 'workflows_name',
    schema: Workflow,
    packaged: ['workflow'],
    stamps: {
      made: 'created',
      madeBy: 'created_by',
      changed: 'last_updated',
      changedBy: 'last_updated_by',
    },
    // Findings about a workflow are specific to this installation: an import checks the workflow anew.
    notExported: ['_id', 'errors', 'warnings'],
    counted: { by: asset.workflows.type, described: true },
    search: search(
      'AutomationStudio.listWorkflows',
      EVERYBODY,
      '/automation-studio/workflows/detailed/:name',
    ),
  },
} as const satisfies Record<string, KindDefinition>;

export type DocumentKind = keyof typeof KINDS;

/** The kinds whose documents refer to others. */
export type SourceKind = {
  [K in DocumentKind]: (typeof KINDS)[K] extends { references: object } ? K : never;
}[DocumentKind];

/** The kinds whose documents record who created and who changed them. */
export type AuthoredKind = {
  [K in DocumentKind]: (typeof KINDS)[K] extends { stamps: Stamps } ? K : never;
}[DocumentKind];

/** The kinds whose documents have an access list and stamps of their own. */
export type ListedKind = {
  [K in DocumentKind]: (typeof KINDS)[K] extends { access: 'list'; stamps: object } ? K : never;
}[DocumentKind];

/** The type of the documents of a kind. */
export type DocumentOf<K extends DocumentKind> = (typeof KINDS)[K]['table']['$inferSelect']['doc'];

/** Every kind of document by its name. */
export const DOCUMENT_KINDS: Readonly<
  Record<DocumentKind, KindDefinition> &
    Record<ComponentType, ComponentFacts> &
    Record<SearchKind, { search: Search }> &
    Record<AuthoredKind, { stamps: Stamps }> &
    Record<ListedKind, { stamps: Pick<Stamps, 'changed'> & Partial<Stamps> }>
> = KINDS;

export const isDocumentKind = (name: string): name is DocumentKind => Object.hasOwn(KINDS, name);

/** Returns the names of the kinds that meet a condition, in alphabetical order. */
export const kindsWhere = (condition: (kind: KindDefinition) => unknown): DocumentKind[] =>
  (Object.keys(KINDS) as DocumentKind[]).filter((name) => condition(KINDS[name]));

/** Returns the word for a kind as used within a sentence: `workflow`, `JSON form`. */
export const wordWithin = (kind: DocumentKind): string =>
  KINDS[kind].word.replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase());
