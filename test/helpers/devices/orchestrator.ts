import { once } from 'node:events';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { afterAll } from 'vitest';
import { openOrchestrator as openPeer } from '../../lab/orchestrator/orchestrator.ts';

/** The lab's orchestrator in this process; it ends with the test file. */
export async function openOrchestrator(...options: Parameters<typeof openPeer>) {
  const peer = await openPeer(...options);
  afterAll(peer.close);
  return peer;
}

/** An adapter that points at an orchestrator on loopback. */
export const orchestratorAdapter = (
  name: string,
  port: number,
  connection: Record<string, unknown> = {},
) => ({
  name,
  type: 'Adapter',
  model: '@vendor/adapter-orchestrator',
  properties: {
    id: name,
    type: 'Orchestrator',
    brokers: ['device'],
    groups: [],
    properties: {
      protocol: 'http',
      host: '127.0.0.1',
      port,
      base_path: '/restconf',
      authentication: { auth_method: 'basic', username: 'bar', password: 'Orch-Secret-7' },
      timeouts: { connect: 2000, request: 5000 },
      ...connection,
    },
  },
  isEncrypted: true,
  virtual: false,
});

/** A port on loopback that nothing listens on. */
export async function closedPort(): Promise<number> {
  const server = createSocketServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
