/** The areas of the service in reading order, by their name in procedures. */
const AREAS: Record<string, string> = {
  session: 'Signing in and out, tokens for machines, and the current account.',
  signIn: 'Directories in which users sign in: OpenID Connect and LDAP.',
  oauth: 'Service accounts, and access tokens for them (RFC 6749 client credentials).',
  user: 'The account of the caller.',
  health: 'Health of the service and its parts, its versions, and metrics.',
  help: 'The description of the service itself.',
  authorization: 'Accounts, groups, roles, permissions and views.',
  profiles: 'Profiles: the settings of the service; one profile is active.',
  applications: 'Applications: the parts of the platform, with their settings and state.',
  adapterModels: 'Adapter models and the schemas of their settings.',
  adapters: 'Adapters: connections to orchestrators and other systems, with their settings and state.',
  integrations:
    'Integrations: other systems whose OpenAPI document is stored as a model, as tasks of workflows.',
  integrationModels: 'Integration models: OpenAPI documents whose operations are tasks of workflows.',
  secrets: 'Where secrets are that are read at each use: Vault, variables and files.',
  retention: 'How long documents are kept, and runs that archive and delete what is older.',
  outgoing: 'Targets to which jobs may send requests.',
  prebuilts:
    'Prebuilts: packages of workflows, forms, templates and other assets, validated and imported as one.',
  automationStudio: 'Projects, workflows and templates, and the components that projects are made of.',
  workflowBuilder: 'Workflows on the canvas: validation, and the schemas of their input and output.',
  workflowEngine: 'The workers that execute workflows, and metrics of jobs and tasks.',
  operationsManager: 'Automations, their triggers, and the jobs and tasks that run them.',
  configurationManager:
    'Devices, their backups, golden configuration trees and specs, compliance plans, reports and grades.',
  mop: 'Command templates and analytic templates: commands run on devices, with rules for their responses.',
  jsonForms: 'Forms that users fill in, as JSON schemas.',
  transformations: 'Transformations of JSON documents.',
  templateBuilder: 'Text and Jinja templates, and test runs of them.',
  tags: 'Labels on documents.',
  automationgateway:
    'The inventory of devices that are reached over SSH and gNOI, and commands and traces on them.',
  inventory: 'Devices by their properties, and systems from which the inventory is filled.',
  orchestratorManager:
    'Calls to network orchestrators over RESTCONF, their device drivers, and dry runs of commits.',
  lists: 'Lists as files.',
  events: 'The stream of events.',
  notifications: 'Notifications of events: channels, rules and deliveries.',
  git: 'Git repositories that documents are pushed to and pulled from.',
  audit: 'The audit log: who did what, when and from where.',
  search: 'Search over documents of all kinds.',
  schema: 'JSON schemas of the documents that the service stores.',
};

const DESCRIPTIONS = new Map(
  Object.entries(AREAS).map(([area, description], at) => [area.toLowerCase(), { at, description }]),
);

/** Returns `configurationManager` as tags and permissions spell it: `ConfigurationManager` (contract/lifecycle#0.8). */
export const tagOf = (name: string) => {
  const area = name.split('.', 1)[0] ?? name;
  return area.charAt(0).toUpperCase() + area.slice(1);
};

/** Returns the document's tags for these procedures; an area without a description here is described by its name. */
export function tagsOf(names: readonly string[]): { name: string; description: string }[] {
  const tags = [...new Set(names.map(tagOf))].map((name) => {
    const known = DESCRIPTIONS.get(name.toLowerCase());
    return {
      name,
      description: known?.description ?? `The area ${name}.`,
      at: known?.at ?? DESCRIPTIONS.size,
    };
  });
  return tags
    .sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1))
    .map(({ name, description }) => ({ name, description }));
}
