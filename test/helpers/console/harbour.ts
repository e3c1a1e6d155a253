import { openFleet } from '../devices/fleet.ts';
import { createPerson } from '../people.ts';
import { task, workflowOf } from '../workflows.ts';

/** A service with one document, or a few, of most kinds that the console shows. */
export async function openHarbour() {
  const fleet = await openFleet();
  const service = { ...fleet, send: fleet.service };
  const { done, run, tree, backUp } = fleet;
  const admin = await fleet.as('admin');

  await backUp({ 'quay-1': 'ip http server\n', 'quay-2': 'ip http server\n', 'quay-3': 'ip http server\n' });
  for (const name of ['quay-1', 'quay-2', 'quay-3']) {
    await fleet.service('admin', 'POST', '/automationgateway/inventory/cli', {
      host: { name, host: '127.0.0.1', port: 9, device_type: 'cisco_ios', username: 'u', password: 'p' },
    });
  }
  const made = await tree('hostname quay\n<e/>ntp server 192.0.2.9\n{d/}ip http server\n', { site: 'quay' });
  await made.place('base', ['quay-1', 'quay-2', 'quay-3']);
  const reports = await run(made.at('base'));
  const { data: proposals } = await done<{ data: { id: string }[] }>('POST', '/remediations', {
    options: { reportIds: reports.slice(0, 2).map(({ id }) => id), removeDisallowed: true },
  });
  const [first, second] = proposals as [{ id: string }, { id: string }];
  const { root } = await admin.configurationManager.getVersion({ treeId: made.id, version: 'initial' });
  const group = await done<{ id: string }>('POST', '/devicegroup', {
    groupName: 'Quays',
    deviceNames: 'quay-1',
  });
  const selected = await done<{ id: string }>('POST', '/devicegroup', {
    groupName: 'All quays',
    selection: { pattern: 'quay-*' },
  });
  const createWorkflow = (name: string, tasks: Parameters<typeof workflowOf>[1]) =>
    admin.automationStudio.createWorkflow({ automation: workflowOf(name, tasks) });
  const startJob = async (workflow: string) =>
    (await admin.operationsManager.startJob({ workflow })).data._id;
  const schema = { type: 'object', properties: { site: { type: 'string', title: 'Site' } } };
  await admin.jsonForms.createForm({ form: { name: 'Which site', schema } });
  await createWorkflow('Ask for a site', {
    a1: {
      ...task(
        'ShowJSONForm',
        { formId: 'Which site', formData: {} },
        { export: '$var.job.site' },
        { type: 'manual', app: 'JsonForms', view: '/json-forms/task/ShowJSONForm' },
      ),
      summary: 'Name the site',
    },
  });
  await createWorkflow('Parse a text', {
    a1: { ...task('parse', { text: 'no JSON {' }, { textObject: null }), summary: 'Read it' },
  });
  const waiting = await startJob('Ask for a site');
  const failing = await startJob('Parse a text');
  const createAutomation = async (name: string) => {
    const { data: automation } = await admin.operationsManager.createAutomation({
      automation: { name, componentType: 'workflows', componentName: 'Ask for a site' },
    });
    await admin.operationsManager.createTrigger({
      trigger: {
        ...{ actionType: 'automations', actionId: automation._id, enabled: true },
        ...{ type: 'manual', name: 'By hand', formId: 'Which site' },
      },
    });
    return automation._id;
  };
  const automationId = await createAutomation('Visits');
  const otherAutomationId = await createAutomation('Other visits');
  const model = {
    openapi: '3.0.3',
    info: { title: 'Sites', version: '1.0' },
    servers: [{ url: service.url }],
    paths: {
      '/health/status': { get: { operationId: 'status', responses: { 200: { description: 'Its state' } } } },
    },
  };
  await admin.integrationModels.createModel({ model: JSON.stringify(model) });
  await admin.integrations.createIntegration({
    properties: {
      ...{ name: 'sites', type: 'Adapter', virtual: true },
      properties: { id: 'sites', type: 'Sites:1.0' },
    },
  });
  await admin.secrets.createProvider({
    provider: { name: 'variables', kind: 'environment', prefix: 'SWITCHYARD_SECRET_' },
  });
  await admin.notifications.createChannel({
    channel: {
      name: 'Desk',
      type: 'webhook',
      url: 'https://desk.example.net/',
      secret: 'a-key-of-the-desk-41',
    },
  });
  const account = await createPerson(service, ['apiread']);
  const { data: exported } = await admin.configurationManager.exportTree({ treeId: made.id });
  const storm = await admin.configurationManager.createCampaign({
    name: 'Storm',
    treeId: made.id,
    selection: { names: ['quay-3'] },
    removeDisallowed: true,
  });
  return {
    service,
    done,
    run,
    tree,
    backUp,
    startJob,
    admin,
    account,
    exported,
    treeId: made.id,
    /** The id of the spec of the root of that tree. */
    nodeId: root.attributes?.configId ?? '',
    reportIds: reports.map(({ id }) => id),
    proposalIds: [first.id, second.id] as const,
    groupId: group.id,
    selectedGroupId: selected.id,
    campaignId: storm.id,
    automationId,
    otherAutomationId,
    /** A job that waits for a person, and one that failed. */
    waiting,
    failing,
  };
}
