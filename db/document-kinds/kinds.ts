import { deviceOrigins } from '../device-origins.ts';
import { Form } from '../schemas/assets/form.ts';
import type { ComponentType } from '../schemas/assets/project.ts';
import type { SearchKind } from '../schemas/assets/search.ts';
import { Template } from '../schemas/assets/template.ts';
import { AnalyticTemplate, CommandTemplate } from '../schemas/network/mop-template.ts';
import { Transformation } from '../schemas/workflow/transformation.ts';
import { Workflow } from '../schemas/workflow/workflow.ts';
import * as asset from '../tables/assets/assets.ts';
import { gitRemotes } from '../tables/git/remotes.ts';
import * as configuration from '../tables/golden-config/configurations.ts';
import * as fleet from '../tables/golden-config/fleet.ts';
import { compliancePlans, planInstances } from '../tables/golden-config/plans.ts';
import { remediations } from '../tables/golden-config/remediations.ts';
import * as identity from '../tables/identity/accounts.ts';
import { accessDefault, signInProviders } from '../tables/identity/sign-in.ts';
import * as adapter from '../tables/integrations/adapters.ts';
import { adapterCatalogues } from '../tables/integrations/catalogues.ts';
import { integrationModels } from '../tables/integrations/integration-models.ts';
import { adapterPackages } from '../tables/integrations/packages.ts';
import * as gateway from '../tables/network/gateway.ts';
import { gatewayCalls } from '../tables/network/gateway-calls.ts';
import { inventorySources } from '../tables/network/inventory.ts';
import { outgoingTargets } from '../tables/network/outgoing.ts';
import { commandPolicies } from '../tables/network/policies.ts';
import { notificationChannels, notificationRules } from '../tables/notifications/notifications.ts';
import { applications, audit, profiles } from '../tables/operations/platform.ts';
import { retentionRuns, retentionSettings } from '../tables/operations/retention.ts';
import { secretProviders } from '../tables/operations/secrets.ts';
import { jobs, jobTasks } from '../tables/workflow/jobs.ts';
import type { ComponentFacts, KindDefinition, Search, Stamps } from './definition.ts';
import {
  COMPONENT,
  DESIGNERS,
  EVERYBODY,
  endpoint,
  ID,
  MOP,
  manager,
  OPERATORS,
  READERS,
  STAMPS,
  search,
} from './shared.ts';

/*
 * Every kind of document, declared once (docs/decisions/0010): code for documents of several kinds reads this list and
 * has none of its own. test/db/document-kinds.test.ts compares each entry with the database.
 */
const KINDS = {
  accessDefault: { table: accessDefault, word: 'Access default', access: 'role' },
  account: { table: identity.accounts, word: 'Account', access: 'role', counted: { onlyTotals: true } },
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
  application: { table: applications, word: 'Application', access: 'role' },
  audit: { table: audit, word: 'Audit entry', access: 'role', counted: { onlyTotals: true } },
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
    table: configuration.backups,
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
  group: { table: identity.groups, word: 'Group', access: 'role' },
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
    idFields: ['_id', 'id'],
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
    table: configuration.parsers,
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
  profile: { table: profiles, word: 'Profile', access: 'role' },
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
  role: { table: identity.roles, word: 'Role', access: 'role' },
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
  spec: { table: configuration.specs, word: 'Config spec', access: 'domain' },
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
    table: configuration.goldenTrees,
    word: 'Golden configuration tree',
    called: 'Tree',
    access: 'list',
    unique: 'golden_trees_name',
    stamps: STAMPS,
    counted: {},
    search: search(manager('listTrees'), READERS, '/configuration_manager/configs/:id'),
    events: endpoint(manager('getTree'), READERS),
  },
  treeVersion: { table: configuration.treeVersions, word: 'Version', access: 'domain' },
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

/** Returns whether a text is the name of a document kind. */
export const isDocumentKind = (name: string): name is DocumentKind => Object.hasOwn(KINDS, name);

/** Returns the names of the kinds that meet a condition, in alphabetical order. */
export const kindsWhere = (condition: (kind: KindDefinition) => unknown): DocumentKind[] =>
  (Object.keys(KINDS) as DocumentKind[]).filter((name) => condition(KINDS[name]));

/** Returns the word for a kind as used within a sentence: `workflow`, `JSON form`. */
export const wordWithin = (kind: DocumentKind): string =>
  KINDS[kind].word.replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase());
