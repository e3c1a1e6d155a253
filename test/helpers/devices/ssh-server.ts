import type { AddressInfo } from 'node:net';
import ssh2, { type AuthContext, type ServerChannel, type ServerConfig } from 'ssh2';
import type { CliPort, CliTarget } from '#server/southbound/cli/ports.ts';
import { newHostKey } from '../../lab/devices/simulator.ts';
import { at, never } from './cli.ts';

export type ServerOptions = Partial<ServerConfig> & {
  onAuthentication?: (context: AuthContext) => void;
  onLine?: (line: string, channel: ServerChannel) => void;
};

/** Starts a server of SSH that shows a prompt and treats sign-ins and lines as given. */
export async function openSshServer({
  onAuthentication = (context) => context.accept(),
  onLine,
  ...config
}: ServerOptions = {}) {
  const server = new ssh2.Server({ hostKeys: [newHostKey()], ...config }, (connection) => {
    connection.on('error', () => undefined);
    connection.on('authentication', onAuthentication);
    connection.on('session', (accept) => {
      const session = accept();
      session.on('pty', (yes) => yes?.());
      session.on('shell', (yes) => {
        const channel = yes();
        channel.write('edge-1#');
        channel.on('data', (bytes: Buffer) => {
          const line = bytes.toString().trim();
          channel.write(`${line}\r\n`);
          onLine?.(line, channel);
          if (channel.writable) channel.write('edge-1#');
        });
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

/** What a server of SSH is like, how it is signed in to, and the commands that it is sent. */
export type Served = Partial<CliTarget> & { commands?: string[]; server?: ServerOptions };

/** Runs commands on a server of SSH that is there for as long as they take. */
export async function runOnServer(
  cli: Pick<CliPort, 'run'>,
  { server, commands = ['show version'], ...target }: Served,
) {
  const device = await openSshServer(server);
  try {
    return await cli.run(at(device, target), commands, never());
  } finally {
    device.close();
  }
}
