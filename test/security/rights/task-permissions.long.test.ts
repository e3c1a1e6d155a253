import { beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '#db/schemas/workflow/job.ts';
import { authorizeTask, operationsOf } from '#server/domains/workflow/tasks/authorize.ts';
import { CATALOGUE } from '#server/domains/workflow/tasks/catalogue.ts';
import { operations } from '#server/http/operations.ts';
import { ROLES } from '#server/kernel/roles.ts';
import { liveDevices } from '../../helpers/devices/live-devices.ts';
import { openOrchestrator, orchestratorAdapter } from '../../helpers/devices/orchestrator.ts';
import { openWebService } from '../../helpers/devices/web-service.ts';
import { openJobs } from '../../helpers/jobs/running-jobs.ts';
import {
  ADAPTER_ENDPOINTS,
  ADAPTERS,
  ENDPOINTS,
  WITHOUT_ENDPOINT,
} from '../../helpers/jobs/task-endpoints.ts';
import { createPerson, type Person, sendAs, signIn } from '../../helpers/people.ts';
import { task, workflowOf } from '../../helpers/workflows.ts';

type Json = Record<string, unknown>;

const audiences = new Map(operations.map(({ permission, meta }) => [permission, meta.audience]));

/** The roles that an endpoint of the router lets in. */
function rolesOf(permission: string): readonly string[] {
  const audience = audiences.get(permission);
  if (typeof audience !== 'object') throw new Error(`no endpoint ${permission} asks for roles`);
  return audience;
}

const keyOf = ({ app, name }: { app: string; name: string }) => `${app}.${name}`;
const isAdapter = (app: string) => ADAPTERS.some((one) => one.app === app);

/** The endpoints whose rights a task needs: as written down above, else as it declares. */
const endpointsOf = (app: string, name: string): readonly string[] =>
  isAdapter(app)
    ? ADAPTER_ENDPOINTS
    : (ENDPOINTS[`${app}.${name}`] ?? operationsOf(app, name).map(({ permission }) => permission));

/** The incoming values of a task, as its entry has them for an example. */
function examplesOf(key: string): Json {
  const incoming = CATALOGUE.find((one) => keyOf(one) === key)?.incoming ?? {};
  return Object.fromEntries(
    Object.entries(incoming).flatMap(([name, { schema }]) =>
      Array.isArray(schema.examples) ? [[name, schema.examples[0]]] : [],
    ),
  );
}

describe('what tasks declare', () => {
  test('every task that does more than work on values, or wait, needs an endpoint', () => {
    const withoutOne = CATALOGUE.filter(
      ({ effect, requires }) => requires.length === 0 && effect !== 'pure' && effect !== 'wait',
    );
    expect(withoutOne.map(keyOf).sort()).toEqual(WITHOUT_ENDPOINT);
    const keys = CATALOGUE.map(keyOf);
    expect(Object.keys(ENDPOINTS).filter((key) => !keys.includes(key))).toEqual([]);
  });

  test.each([...CATALOGUE, ...ADAPTERS])(
    '$app.$name declares the endpoints that it calls, with the roles of their routers',
    ({ app, name }) => {
      const declared = operationsOf(app, name);
      expect(declared.map(({ permission }) => permission)).toEqual(endpointsOf(app, name));
      for (const { permission, audience } of declared)
        expect(audience, permission).toEqual(rolesOf(permission));
    },
  );
});

test('each task lets in whom all of its endpoints let in: each role alone, none, and custom roles', () => {
  let cells = 0;
  const open: string[] = [];
  for (const { app, name } of [...CATALOGUE, ...ADAPTERS]) {
    const endpoints = endpointsOf(app, name);
    const others = [...audiences.keys()].filter((permission) => !endpoints.includes(permission));
    const subjects: { roles: string[]; permissions: string[] }[] = [
      { roles: [], permissions: [] },
      ...ROLES.map((role) => ({ roles: [role], permissions: [] })),
      { roles: [], permissions: [...endpoints] },
      // All but the one: nothing else opens it.
      ...endpoints.map((one) => ({
        roles: [],
        permissions: [...others, ...endpoints.filter((other) => other !== one)],
      })),
    ];
    for (const subject of subjects) {
      const lacking = endpoints.find(
        (one) =>
          !rolesOf(one).some((role) => subject.roles.includes(role)) && !subject.permissions.includes(one),
      );
      const reason = lacking === undefined ? null : `Needs one of the roles: ${rolesOf(lacking).join(', ')}`;
      cells += 1;
      if (authorizeTask(subject, { app, name }) !== reason)
        open.push(`${app}.${name} ${JSON.stringify(subject)}`);
    }
  }
  console.log(`task permissions: ${cells} cells tried, ${open.length} open`);
  expect(open).toEqual([]);
  expect(cells).toBeGreaterThan(9 * CATALOGUE.length);
});

describe('jobs', async () => {
  const service = await openJobs();
  const { send, done } = service;
  const web = await openWebService((_, response) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"ok":true}'),
  );
  const orchestrator = await openOrchestrator();
  const make = async (method: string, path: string, body: unknown): Promise<Json> => {
    const answer = await send('admin', method, path, body);
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return answer.json as Json;
  };
  const device = liveDevices(make, service.platform.cli);

  /** What each task is given, and what shows that it was done: success, or the words of its engine. */
  type Deed = { incoming: Json; ends?: RegExp };
  let deeds: Record<string, Deed> = {};
  /** A task that is given nothing here gets the examples of its entry; it may find nothing. */
  const deedOf = (key: string): Deed => deeds[key] ?? { incoming: examplesOf(key), ends: /./ };
  let permitted: Record<string, Person> = {};
  let nobody: Person | undefined;
  const tokens = new Map<Person, Promise<string>>();
  /** The token of an account, which signs in once. */
  const tokenOf = (person: Person) => {
    const token = tokens.get(person) ?? signIn(service, person);
    tokens.set(person, token);
    return token;
  };

  /** An account that may start jobs by manual triggers, and has these permissions besides. */
  async function personWith(permissions: readonly string[]): Promise<Person> {
    const allowedMethods = ['OperationsManager.runManualTrigger', ...permissions].map((permission) => {
      const [provenance = '', name = ''] = permission.split('.');
      return { provenance, name };
    });
    const { data } = await make('POST', '/authorization/roles', {
      role: { name: `role-${Math.random()}`, allowedMethods, allowedViews: [] },
    });
    return createPerson(service, [], { assignedRoles: [{ roleId: (data as { _id: string })._id }] });
  }

  const all = [...CATALOGUE.filter(({ requires }) => requires.length > 0), ...ADAPTERS].map(keyOf);

  beforeAll(async () => {
    const { name: edge } = await device(['hostname edge']);
    await make('POST', '/adapters', {
      properties: orchestratorAdapter('main', orchestrator.port, { default: true }),
    });
    const rest = orchestratorAdapter('Gitlab', web.port, { base_path: '/api' });
    await make('POST', '/adapters', {
      properties: {
        ...rest,
        model: '@vendor/adapter-rest',
        properties: { ...rest.properties, type: 'Rest' },
      },
    });
    await make('POST', '/automationgateway/inventory/http', {
      host: { name: 'service-1', host: '127.0.0.1', port: web.port, protocol: 'http' },
    });
    await make('POST', '/configuration_manager/devicegroup', {
      groupName: 'Routers',
      groupDescription: '',
      deviceNames: [],
    });
    await make('PUT', '/outgoing/targets', {
      targets: [{ host: '127.0.0.1', schemes: ['http'], ports: [web.port] }],
    });
    const template = { group: 'Any', data: '{}' };
    await make('POST', '/automation-studio/templates', {
      template: { ...template, name: 'Port', type: 'jinja2', template: 'port {{ port }}' },
    });
    await make('POST', '/automation-studio/templates', {
      template: {
        ...template,
        name: 'Words',
        type: 'textfsm',
        template: `Value WORD (\\w+)\n\nStart\n  ^\${WORD} -> Record\n`,
      },
    });
    const transformation = await make('POST', '/transformations', {
      name: 'Nothing',
      incoming: [],
      outgoing: [],
      steps: [],
      functions: [],
      comments: [],
    });
    await make('POST', '/mop/createTemplate', {
      mop: {
        name: 'Look',
        passRule: true,
        commands: [{ command: 'show version', passRule: true, rules: [] }],
      },
    });
    await make('POST', '/mop/createAnalyticTemplate', { template: { name: 'Same', prepostCommands: [] } });
    const run = { commands_results: [] };
    const missing = '65f0c1d2e3a4b5c6d7e8f901';
    const instance = { '/vpn:vpn': [{ name: 'blue', vlan: 7 }] };
    deeds = {
      'AGManager.itential_cli': { incoming: { _hosts: [edge], command: ['show version'] } },
      'AGManager.itential_netmiko_set_config': { incoming: { _hosts: [edge], lines: ['mtu 9000'] } },
      'GatewayManager.sendCommand': { incoming: { inventory: [edge], commands: ['show version'] } },
      'GatewayManager.sendConfig': { incoming: { inventory: [edge], config: 'mtu 9000' } },
      'NSO.addDevice': {
        incoming: { deviceInfo: { name: 'ce3', address: '192.0.2.53', 'device-type': 'netconf', ned: 'x' } },
      },
      'NSO.checkSyncDevices': { incoming: { devices: ['ce1'] } },
      'NSO.dryRunXML': { incoming: { payload: '<vpn/>' } },
      'NSO.fetchSSHKey': { incoming: { device: 'ce1' } },
      'NSO.provisionXML': { incoming: { payload: '<vpn/>' } },
      'NSO.runAction': { incoming: { params: { path: '/ncs:devices/device{ce1}/check-sync' } } },
      'NSO.syncFrom': { incoming: { name: 'ce1' } },
      'NSO.syncFromDevices': { incoming: { devices: ['ce1'] } },
      'ServiceCog.getInstance': { incoming: { model: '/vpn:vpn', value: 'blue' } },
      'ServiceCog.saveInstances': { incoming: { instance } },
      'ServiceCog.testInstances': { incoming: { instance } },
      'AppArtifacts.componentDiscovery': { incoming: { entryPoint: { transformation: ['Nothing'] } } },
      'AutomationGateway.addDeviceToDeviceGroup': { incoming: { name: 'Routers', devices: [edge] } },
      'AutomationGateway.connectDevice': { incoming: { name: edge } },
      'AutomationGateway.createDeviceRaw': {
        incoming: { name: 'edge-new', variables: { ansible_host: '192.0.2.77' } },
      },
      'AutomationGateway.sendRequest': {
        incoming: { host: 'service-1', endpoint: '/pools', method: 'GET' },
      },
      'AutomationGateway.gnoiTraceroute': {
        incoming: { host: 'leaf-0', destination: '192.0.2.1' },
        ends: /leaf-0 does not exist/,
      },
      'AutomationGateway.selectDevices': { incoming: { selection: { names: [edge] } } },
      'AutomationGateway.sendCommand': { incoming: { host: edge, commands: ['show version'] } },
      'ConfigurationManager.backUpDevice': { incoming: { name: edge } },
      'ConfigurationManager.getComplianceReportDetail': {
        incoming: { reportId: missing },
        ends: /does not exist/,
      },
      'ConfigurationManager.getComplianceReportsByBatch': {
        incoming: { batchId: missing },
        ends: /does not exist/,
      },
      'ConfigurationManager.getDeviceBackupById': { incoming: { id: missing }, ends: /does not exist/ },
      'ConfigurationManager.getDevicesFiltered': { incoming: { options: { filter: { name: edge } } } },
      'ConfigurationManager.getGoldenConfigTrees': { incoming: {} },
      'ConfigurationManager.isAlive': { incoming: { name: edge } },
      'ConfigurationManager.searchCompliancePlanInstances': { incoming: {} },
      'ConfigurationManager.searchCompliancePlans': { incoming: { name: '^Nightly$' } },
      'ConfigurationManager.runComplianceForTree': { incoming: { treeId: missing }, ends: /does not exist/ },
      'ConfigurationManager.runCompliance': { incoming: { treeId: missing }, ends: /does not exist/ },
      'ConfigurationManager.runCompliancePlan': { incoming: { planId: missing }, ends: /does not exist/ },
      'MOP.RunCommand': { incoming: { command: 'show version', device: edge } },
      'MOP.RunCommandDevices': { incoming: { command: 'show version', devices: [edge] } },
      'MOP.RunCommandTemplate': { incoming: { template: 'Look', devices: [edge] } },
      'MOP.RunCommandTemplateSingleCommand': {
        incoming: { templateId: 'Look', commandIndex: 0, devices: [edge] },
      },
      'MOP.listATemplate': { incoming: { name: 'Look' } },
      'MOP.listAnAnalyticTemplate': { incoming: { name: 'Same' } },
      'MOP.runAnalyticsTemplate': { incoming: { pre: run, post: run, analytic_template_name: 'Same' } },
      'MOP.runAnalyticsTemplateDevices': {
        incoming: { pre: run, post: run, analytic_template_name: 'Same' },
      },
      'OrchestratorManager.restAction': {
        incoming: { adapterId: 'main', params: { path: '/restconf/data', method: 'GET' } },
        ends: /responded with status/,
      },
      'OrchestratorManager.restQuery': {
        incoming: { adapterId: 'main', params: { path: '/restconf/data' } },
        ends: /main/,
      },
      'OrchestratorManager.validateCommit': {
        incoming: { servicePath: '/vpn:vpn', serviceData: { name: 'blue' } },
        ends: /main/,
      },
      'TemplateBuilder.applyTemplate': { incoming: { name: 'Port', variables: { port: 1 } } },
      'TemplateBuilder.parseTemplate': { incoming: { name: 'Words', text: 'one' } },
      'TemplateBuilder.renderJinjaTemplate': { incoming: { name: 'Port', context: { port: 1 } } },
      'WorkFlowEngine.restCall': { incoming: { method: 'GET', url: `${web.url}/call` } },
      'WorkFlowEngine.transformation': {
        incoming: { tr_id: transformation._id, variableMap: {}, options: {} },
      },
      'Gitlab.genericAdapterRequest': { incoming: { uriPath: '/generic', restMethod: 'GET' } },
      'Gitlab.createIssue': { incoming: { title: 'x' } },
    };
    nobody = await personWith([]);
    permitted = {};
    for (const key of all) {
      const [app = '', name = ''] = key.split('.');
      permitted[key] = await personWith(endpointsOf(app, name));
    }
  });

  /** Runs one task in a job of this account, started by a trigger that it may run. */
  async function jobOf(key: string, person: Person | undefined): Promise<Job> {
    const [app = '', name = ''] = key.split('.');
    const location = app === 'Gitlab' ? 'Adapter' : 'Application';
    const called = `${key} of ${person?.username}`;
    const { _id: componentId } = await service.store(
      workflowOf(called, { a: task(name, deedOf(key).incoming, {}, { app, location, type: 'automatic' }) }),
    );
    const action = await done<{ _id: string }>('POST', '/automations', {
      name: called,
      componentType: 'workflows',
      componentId,
    });
    const trigger = await done<{ _id: string }>('POST', '/triggers', {
      name: 'By hand',
      type: 'manual',
      actionId: action._id,
      enabled: true,
    });
    if (!person) throw new Error('nobody to start it');
    const token = await tokenOf(person);
    const path = `/operations-manager/triggers/manual/${trigger._id}/run`;
    const answer = await sendAs(service, token, 'POST', path, { formData: {} });
    expect(answer.status, answer.text).toBe(200);
    const { _id } = (answer.json as { data: Job }).data;
    return service.until(_id, ({ status }) => status !== 'running');
  }

  const reportedIn = ({ error }: Job) => String(error?.[0]?.message ?? '');

  test.each(all)('%s is done for an account with the permissions of its endpoints alone', async (key) => {
    const job = await jobOf(key, permitted[key]);
    const { ends } = deedOf(key);
    expect(reportedIn(job)).not.toContain('Needs one of the roles');
    if (ends && job.status !== 'complete') expect(reportedIn(job)).toMatch(ends);
    else expect(job.status, reportedIn(job)).toBe('complete');
  });

  test.each(all)('%s ends in error for an account without them, and does nothing', async (key) => {
    const [app = '', name = ''] = key.split('.');
    const [endpoint = ''] = endpointsOf(app, name);
    const before = web.seen.length;
    const job = await jobOf(key, nobody);
    expect(job.status).toBe('error');
    expect(reportedIn(job)).toBe(`Needs one of the roles: ${rolesOf(endpoint).join(', ')}`);
    expect(web.seen.length).toBe(before);
  });
});
