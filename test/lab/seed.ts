import { setTimeout as sleep } from 'node:timers/promises';
import type { Request } from './own-service.ts';
import type { Program, Started } from './program.ts';
import { backUpFleet, type Send, seedPlan } from './seed-fleet.ts';
import { seedSystems } from './seed-systems.ts';
import { BACKUPS, nameOf, RULES, SECOND_ACCOUNT, WORKFLOWS } from './world.ts';

/** The programs of the lab that are registered in the service. */
export type Lab = {
  /** By device type. */
  devices: Map<string, Program>;
  /** By what is wrong with them. */
  moody: Map<string, Program>;
  gnoi: Program;
  orchestrator: Program;
  cmdb: Program;
  tickets: Program;
};

/** Time that a compliance run of the demo may take, in milliseconds. */
const PATIENCE_MS = 30_000;

/**
 * Tell a service of the lab, and of a small world around it, as any client would: by requests to its public interface.
 *
 * @throws Error when a request is rejected
 */
export async function seedWorld(request: Request, password: string, lab: Lab): Promise<void> {
  const Authorization = `Bearer ${await signIn(request, password)}`;
  const send = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const { isOk, status, text } = await request(method, path, body, { Authorization });
    if (!isOk) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    // What the documented endpoint answers.
    return JSON.parse(text) as Body;
  };

  await send('POST', '/automationgateway/inventory/cli/import', {
    hosts: [
      ...[...lab.devices].map(([device_type, { reported }]) => hostOf(device_type, device_type, reported)),
      ...[...lab.moody].map(([mood, { reported }]) => hostOf(mood, 'cisco_ios', reported)),
    ],
  });
  const { port, ...login } = lab.gnoi.reported;
  await send('POST', '/automationgateway/inventory/grpc', {
    host: { name: 'lab-gnoi', host: '127.0.0.1', port, ...login, tls: { enabled: false }, tags: ['lab'] },
  });
  await send('POST', '/adapters', { properties: adapterOf(lab.orchestrator) });
  await send('POST', '/adapters/lab-orchestrator/sync', {});
  // What `restCall` may reach in the demo: the orchestrator of the lab.
  await send('PUT', '/outgoing/targets', {
    targets: [{ host: '127.0.0.1', ports: [lab.orchestrator.reported.port], schemes: ['http'] }],
  });

  await backUpFleet(send);
  await send('POST', '/configuration_manager/import/backups', {
    backups: BACKUPS.map((backup) => ({ ...backup, provider: 'gateway', type: 'native' })),
  });
  const tree = await send<Parameters<typeof seedPlan>[1][string]>('POST', '/configuration_manager/configs', {
    name: 'Lab routers',
    deviceType: 'cisco-ios',
  });
  await send('PUT', '/configuration_manager/node/config', {
    treeId: tree.id,
    treeVersion: 'initial',
    nodePath: 'base',
    updateVariables: true,
    data: { template: RULES, variables: { ntp: '192.0.2.9' } },
  });
  const devices = [nameOf('cisco_ios'), ...BACKUPS.map(({ name }) => name)];
  await send('POST', `/configuration_manager/configs/${tree.id}/initial/base/devices`, { devices });
  await send('POST', '/configuration_manager/devicegroup', {
    groupName: 'Lab',
    deviceNames: devices.join(','),
  });
  const { batchId } = await send<{ batchId: string }>('POST', '/configuration_manager/compliance_reports', {
    options: { treeId: tree.id, version: 'initial', nodePath: 'base' },
  });
  await seedPlan(send, { cisco_ios: tree });
  for (const automation of WORKFLOWS) await send('POST', '/automation-studio/automations', { automation });
  await seedSystems(send, lab.cmdb, lab.tickets);
  for (const name of ['Ask for the version', 'Change with a confirmation']) {
    const { data } = await send<{ data: { _id: string } }>('POST', '/operations-manager/automations', {
      name,
      description: 'Started by hand',
      componentType: 'workflows',
      componentName: name,
    });
    await send('POST', '/operations-manager/triggers', {
      trigger: { name, type: 'manual', actionId: data._id, actionType: 'automations', enabled: true },
    });
  }
  await seedTour(send);

  const end = Date.now() + PATIENCE_MS;
  const status = `/configuration_manager/compliance_reports/batch/${batchId}/status`;
  while ((await send<{ status: string }>('GET', status)).status === 'running') {
    if (Date.now() > end) throw new Error('the first compliance run did not end');
    await sleep(50);
  }
}

/** A second administrator, for what needs two people, and the tour of the console for the first. */
async function seedTour(send: Send): Promise<void> {
  const { results } = await send<{ results: { _id: string; name: string }[] }>(
    'GET',
    '/authorization/roles?limit=100',
  );
  const admin = results.find(({ name }) => name === 'admin');
  await send('POST', '/authorization/accounts', {
    account: {
      username: SECOND_ACCOUNT.username,
      password: SECOND_ACCOUNT.password,
      assignedRoles: [{ roleId: admin?._id }],
    },
  });
  await send('PATCH', '/user/settings', { preferences: { tour: { done: [] } } });
}

const hostOf = (called: string, device_type: string, { port, username, password, enable }: Started) => ({
  name: nameOf(called),
  host: '127.0.0.1',
  port,
  device_type,
  username,
  password,
  ...(typeof enable === 'string' && { enablePassword: enable }),
  tags: ['lab'],
});

async function signIn(request: Request, password: string): Promise<string> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const { isOk, status, text } = await request('POST', '/login', { user: { username: 'admin', password } });
    if (isOk) return text;
    if (Date.now() > end) throw new Error(`signing in answered ${status}: ${text}`);
    await sleep(50);
  }
}

const adapterOf = ({ reported }: Program) => ({
  name: 'lab-orchestrator',
  type: 'Adapter',
  model: '@vendor/adapter-orchestrator',
  properties: {
    id: 'lab-orchestrator',
    type: 'Orchestrator',
    brokers: ['device'],
    groups: [],
    properties: {
      default: true,
      protocol: 'http',
      host: '127.0.0.1',
      port: reported.port,
      base_path: '/restconf',
      authentication: { auth_method: 'basic', username: reported.username, password: reported.password },
      timeouts: { connect: 2000, request: 10_000 },
    },
  },
});
