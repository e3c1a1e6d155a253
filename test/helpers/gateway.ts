import { openService, requestsBelow } from './service.ts';

/** A service, and requests at paths below `/automationgateway`; `admin` calls unless said otherwise. */
export async function openGateway(environment?: Record<string, string>) {
  const service = await openService(environment);
  const { send, done } = requestsBelow(service, '/automationgateway');
  return { ...service, service: service.send, send, done };
}

let counter = 0;

/** An invented host of the cli inventory, with a name of its own. */
export const cliHost = (more: Record<string, unknown> = {}) => ({
  name: `edge-${++counter}`,
  host: '192.0.2.11',
  device_type: 'cisco_ios',
  username: 'svc',
  password: 'Lantern-42',
  ...more,
});

/** An invented host of the grpc inventory, with a name of its own. */
export const grpcHost = (more: Record<string, unknown> = {}) => ({
  name: `leaf-${++counter}`,
  host: '192.0.2.21',
  username: 'svc',
  password: 'Lantern-43',
  ...more,
});
