import { ACCOUNT } from '../lab/devices/simulator.ts';
import { host, type Step, step } from './step.ts';

const reached = (host: string, ...commands: string[]) => ({
  cliSendCommandParameters: { host, commands, connection_options: { device_type: 'frr' } },
});

type Account = { port: number; username: string; password: string };

/** The inventory of the gateway, and what is sent to its devices. @param ports where the lab's gNOI target and device listen, and the account of the target */
export const gatewaySteps = (target: Account, vtysh: { port: number }): Step[] => [
  step('automationgateway.listDeviceTypes', { queryOptions: { limit: 2, sort: 'device_type' } }),
  step('automationgateway.createCredential', { credential: { name: 'net-ro', password: 'hush' } }),
  step('automationgateway.createCredential', { credential: { name: 'net-ro' } }),
  step('automationgateway.getCredential', { name: 'net-ro' }),
  step('automationgateway.createHost', {
    kind: 'grpc',
    host: { name: 'leaf-1', host: '127.0.0.1', tls: { enabled: false }, ...target },
  }),
  step('automationgateway.executeTraceroute', { host: 'leaf-1', destination: '198.51.100.9' }),
  step('automationgateway.executeTraceroute', { host: 'leaf-9', destination: '198.51.100.9' }),
  step('automationgateway.executeTraceroute', { host: 'leaf-1', destination: '198.51.100.105' }),
  step('automationgateway.testGrpcHost', { name: 'leaf-1' }, { measured: true }),
  step('automationgateway.createHost', {
    kind: 'cli',
    host: {
      name: 'vtysh-1',
      host: '127.0.0.1',
      port: vtysh.port,
      device_type: 'frr',
      username: ACCOUNT.username,
      password: ACCOUNT.password,
    },
  }),
  step('automationgateway.testHost', { name: 'vtysh-1' }, { measured: true }),
  step('automationgateway.testHost', { name: 'nobody' }),
  step('automationgateway.sendCommand', reached('vtysh-1', 'show version'), { measured: true }),
  step('automationgateway.sendCommand', reached('vtysh-1', 'show\nversion')),
  step('automationgateway.sendCommand', reached('nobody', 'show version')),
  step(
    'automationgateway.sendCommands',
    { hosts: ['vtysh-1', 'nobody'], commands: ['show version'] },
    { measured: true },
  ),
  step('automationgateway.createPolicy', { policy: { name: 'reads', allow: ['show'] } }),
  step('automationgateway.createPolicy', { policy: { name: 'reads' } }),
  step('automationgateway.createPolicy', { policy: { name: 'none', roles: ['nobody'] } }),
  step('automationgateway.sendCommand', reached('vtysh-1', 'reload')),
  step('automationgateway.getPolicy', { name: 'reads' }),
  step('automationgateway.replacePolicy', { name: 'reads', policy: { name: 'reads', deny: ['reload'] } }),
  step('automationgateway.listPolicies', { queryOptions: { sort: 'name' } }),
  step('automationgateway.deletePolicy', { name: 'reads' }),
  step('automationgateway.deletePolicy', { name: 'reads' }),
  step('automationgateway.deleteHost', { kind: 'cli', name: 'vtysh-1' }),
  step('automationgateway.listHistory', { queryOptions: { limit: 3 } }, { measured: true }),
  step('automationgateway.replaceCredential', {
    name: 'net-ro',
    credential: { name: 'net-ro', username: 'svc' },
  }),
  step('automationgateway.listCredentials', { queryOptions: { equals: 'net-ro', equalsField: 'name' } }),
  step('automationgateway.createHost', { kind: 'cli', host }),
  step('automationgateway.createHost', { kind: 'cli', host }),
  step('automationgateway.createHost', {
    kind: 'cli',
    host: { ...host, name: 'bad', host: '169.254.169.254', device_type: 'toaster' },
  }),
  step('automationgateway.createHost', { kind: 'toaster', host }),
  step('automationgateway.getHost', { kind: 'cli', name: 'edge-1' }),
  step('automationgateway.getHost', { kind: 'grpc', name: 'edge-1' }),
  step('automationgateway.updateHost', { kind: 'cli', name: 'edge-1', updates: { port: 2222 } }),
  step('automationgateway.updateHost', {
    kind: 'cli',
    name: 'edge-1',
    updates: { tags: ['north'], created: '2026-01-01T00:00:00.000Z' },
  }),
  step('automationgateway.replaceHost', {
    kind: 'cli',
    name: 'edge-1',
    host: { ...host, password: '********' },
  }),
  step('automationgateway.setHostKey', { name: 'edge-1', fingerprint: `SHA256:${'k'.repeat(43)}` }),
  step('automationgateway.importHosts', {
    kind: 'grpc',
    hosts: [
      { name: 'leaf-1', host: '192.0.2.21' },
      { name: 'leaf-1', host: '192.0.2.22' },
    ],
  }),
  step('automationgateway.listHosts', {
    kind: 'cli',
    queryOptions: { contains: 'EDGE', containsField: 'name' },
  }),
  step('automationgateway.listHosts', {
    kind: 'cli',
    queryOptions: { contains: 'L', containsField: 'password' },
  }),
  step('automationgateway.exportHosts', { kind: 'grpc' }),
  step('automationgateway.deleteCredential', { name: 'net-ro' }),
];
