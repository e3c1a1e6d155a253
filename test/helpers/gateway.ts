import type { Role } from '#server/kernel/roles.ts';
import { openService } from './service.ts';

type Options = { as?: Role; ifMatch?: string };

/** A service, and requests at paths below `/automationgateway`; `admin` calls unless said otherwise. */
export async function openGateway(environment?: Record<string, string>) {
  const service = await openService(environment);
  const send = (method: string, path: string, body?: unknown, { as = 'admin', ifMatch }: Options = {}) =>
    service.send(as, method, `/automationgateway${path}`, body, {
      headers: ifMatch === undefined ? {} : { 'If-Match': ifMatch },
    });

  /** The same, for requests that must succeed: their body, as the caller of the test expects it. */
  const done = async <Body>(
    method: string,
    path: string,
    body?: unknown,
    options?: Options,
  ): Promise<Body> => {
    const answer = await send(method, path, body, options);
    if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.json as Body;
  };
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
