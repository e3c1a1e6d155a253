import { ADMIN, CONFIG_READ, CONFIG_WRITE, JOB_START, WORKFLOW_READ } from '#server/kernel/roles.ts';
import { MOP } from './mop.ts';
import { operation } from './operations.ts';
import { ANY, LIST, needs, OBJECT, outgoingSchema, TEXT, takes, taskOf } from './task-type.ts';

const names = { items: { type: TEXT, examples: ['edge-1'] } };
/** Tasks that talk to devices, gateways and orchestrators, and those that compare device configurations. */
export const DEVICES = [
  ...MOP,
  taskOf('TemplateBuilder', 'renderJinjaTemplate', {
    summary: 'Render a Jinja template',
    description: 'Renders a stored Jinja template with variables',
    incoming: {
      name: needs(TEXT, 'Name of the template', 'Port'),
      context: takes(OBJECT, 'The values', { port: 'Gi0/1' }),
    },
    outgoing: { renderedTemplate: outgoingSchema(ANY, 'The text') },
    effect: 'read',
    requires: [operation('TemplateBuilder.renderJinja', WORKFLOW_READ)],
  }),
  taskOf('TemplateBuilder', 'parseTemplate', {
    summary: 'Parse a text with a template',
    description: 'Extracts records from a text with a stored text template',
    incoming: {
      name: needs(TEXT, 'Name of the template', 'show version'),
      text: needs(TEXT, 'The text', 'Version 17.9'),
    },
    outgoing: { records: outgoingSchema(LIST, 'The records') },
    effect: 'read',
    requires: [operation('TemplateBuilder.parseTemplate', WORKFLOW_READ)],
  }),
  taskOf('TemplateBuilder', 'applyTemplate', {
    summary: 'Fill a template',
    description: 'Renders a stored template with variables',
    incoming: {
      name: needs(TEXT, 'Name of the template', 'Port'),
      variables: takes(OBJECT, 'The values', { port: 'Gi0/1' }),
    },
    outgoing: { result: outgoingSchema(TEXT, 'The text') },
    effect: 'read',
    requires: [operation('TemplateBuilder.applyTemplate', WORKFLOW_READ)],
  }),
  taskOf('AutomationGateway', 'sendCommand', {
    summary: 'Send commands to a host',
    description: 'Runs commands on a host over SSH and returns the output of each one',
    incoming: {
      host: needs(TEXT, 'Name or address of the host', 'edge-1'),
      commands: needs(LIST, 'The commands', ['show version']),
      connection_options: takes(OBJECT, 'Settings of the connection to the host'),
    },
    outgoing: { result: outgoingSchema(OBJECT, 'Output of each command') },
    effect: 'unsafe',
    requires: [operation('Automationgateway.sendCommand', ADMIN)],
  }),
  taskOf('AutomationGateway', 'gnoiTraceroute', {
    summary: 'Trace a route',
    description: 'Traces the route from a host to a destination over gNOI',
    incoming: {
      host: needs(TEXT, 'Name of the host', 'edge-1'),
      destination: needs(TEXT, 'Address to trace to', '192.0.2.1'),
      options: takes(OBJECT, 'Further options of the trace'),
    },
    outgoing: { result: outgoingSchema(OBJECT, 'The hops') },
    effect: 'read',
    requires: [operation('Automationgateway.executeTraceroute', ADMIN)],
  }),
  taskOf('AutomationGateway', 'selectDevices', {
    summary: 'Select devices by their properties',
    description:
      'Returns the names of the devices that a selection matches and that the account of the job may see, for tasks that accept devices',
    incoming: {
      selection: needs(OBJECT, 'Names, pattern, tags, groups, platforms, sites, sources and exclude', {
        tags: ['core'],
      }),
    },
    outgoing: {
      devices: outgoingSchema(LIST, 'Names of the devices, in order', ['edge-1']),
      total: outgoingSchema(ANY, 'Number of devices', 1),
    },
    effect: 'read',
    requires: [operation('Inventory.listSelection', CONFIG_READ)],
  }),
  taskOf('OrchestratorManager', 'restAction', {
    summary: 'Call an action of an orchestrator',
    description: 'Sends a RESTCONF request to the orchestrator of an adapter',
    incoming: {
      adapterId: needs(TEXT, 'Name of the adapter', 'orchestrator-1'),
      params: takes(OBJECT, 'Method, path and query of the request', { path: '/restconf/data' }),
      body: takes(OBJECT, 'Body of the request', {}),
    },
    outgoing: { result: outgoingSchema(LIST, 'Status and body of the response', [{ result: '204' }]) },
    effect: 'unsafe',
    requires: [operation('OrchestratorManager.restAction', ADMIN)],
  }),
  taskOf('OrchestratorManager', 'restQuery', {
    summary: 'Query an orchestrator',
    description: 'Reads data over RESTCONF from the orchestrator of an adapter',
    incoming: {
      adapterId: needs(TEXT, 'Name of the adapter', 'orchestrator-1'),
      params: takes(OBJECT, 'Path and query of the request', { path: '/restconf/data' }),
    },
    outgoing: { instance_data: outgoingSchema(ANY, 'The data') },
    effect: 'read',
    requires: [operation('OrchestratorManager.restQuery', ADMIN)],
  }),
  taskOf('OrchestratorManager', 'validateCommit', {
    summary: 'Try a commit',
    description: 'Has an orchestrator validate a service instance without committing it',
    incoming: {
      servicePath: needs(TEXT, 'Path of the service', '/vpn:vpn'),
      serviceData: needs(OBJECT, 'The instance', { name: 'blue' }),
    },
    outgoing: {
      result: outgoingSchema(OBJECT, 'Whether the instance is valid, and the errors', { isValid: true }),
    },
    effect: 'read',
    requires: [operation('OrchestratorManager.validateCommit', ADMIN)],
  }),
  taskOf('ConfigurationManager', 'backUpDevice', {
    summary: 'Back up a device',
    description: 'Reads the configuration of a device and stores it as a backup',
    incoming: {
      name: needs(TEXT, 'Name of the device', 'edge-1'),
      options: takes(OBJECT, 'Description and notes of the backup', { description: 'before the change' }),
    },
    outgoing: {
      backup: outgoingSchema(OBJECT, 'Id and name of the backup'),
      status: outgoingSchema(OBJECT, 'The same, under the name that imported workflows read'),
    },
    effect: 'keyed',
    requires: [operation('ConfigurationManager.backUpDevice', CONFIG_WRITE)],
  }),
  taskOf('ConfigurationManager', 'runCompliancePlan', {
    summary: 'Run a compliance plan',
    description: 'Checks the devices of a compliance plan and waits for the result',
    incoming: { planId: needs(TEXT, 'Id of the plan', '65f0c1d2e3a4b5c6d7e8f901') },
    outgoing: {
      result: outgoingSchema(OBJECT, 'The run, with its counts'),
      response: outgoingSchema(OBJECT, '`instanceId` with the id of the run, as imported workflows read it'),
    },
    effect: 'keyed',
    requires: [
      operation('ConfigurationManager.runPlan', CONFIG_WRITE),
      operation('ConfigurationManager.searchPlanInstances', CONFIG_READ),
      operation('ConfigurationManager.getBatchStatus', CONFIG_READ),
    ],
  }),
  taskOf('ConfigurationManager', 'runCompliance', {
    summary: 'Check devices against a golden configuration',
    description: 'Checks devices against a node of a golden configuration tree',
    incoming: {
      treeId: needs(TEXT, 'Id of the tree', '65f0c1d2e3a4b5c6d7e8f901'),
      version: takes(TEXT, 'Version of the tree', 'initial'),
      nodePath: takes(TEXT, 'Node of the tree', 'base/access'),
      devices: takes(LIST, 'Names of the devices; absent: the devices of the node', undefined, names),
    },
    outgoing: { reports: outgoingSchema(LIST, 'A report for each device') },
    effect: 'keyed',
    requires: [
      operation('ConfigurationManager.runCompliance', CONFIG_WRITE),
      operation('ConfigurationManager.getBatchStatus', CONFIG_READ),
      operation('ConfigurationManager.getBatchReports', CONFIG_READ),
    ],
  }),
  taskOf('WorkFlowEngine', 'restCall', {
    displayName: 'Tools',
    summary: 'Call a web service',
    description: 'Sends an HTTP request with an idempotency key, so that the service can detect a repetition',
    incoming: {
      method: needs(TEXT, 'Method', 'GET'),
      url: needs(TEXT, 'URL', 'https://example.net/api'),
      headers: takes(OBJECT, 'Headers', {}),
      query: takes(OBJECT, 'Query parameters', {}),
      body: takes(ANY, 'Body', {}),
    },
    outgoing: { response: outgoingSchema(OBJECT, 'Status, headers and body of the response') },
    effect: 'keyed',
    // It has no endpoint: it reaches what our own endpoints do not, on behalf of anyone who may start a job.
    requires: [operation('OperationsManager.startJob', JOB_START)],
  }),
];
