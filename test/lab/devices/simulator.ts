import type { AddressInfo, Socket } from 'node:net';
import ssh2, { type Algorithms, type Connection } from 'ssh2';
import type { ConfiguredDevice } from './configured-device.ts';
import type { Mood } from './moods.ts';
import type { Script } from './script.ts';
import { openShell } from './shell.ts';

/** Who may sign in to a simulated device. */
export const ACCOUNT = { username: 'svc', password: 'Lantern-77-pass', enable: 'Lantern-88-enable' };

type Options = {
  mood?: Mood;
  /** Its configuration; absent: it has none but that of its mood. */
  configured?: ConfiguredDevice;
  account?: typeof ACCOUNT;
  /** Decides instead of the account who may sign in, as a server of accounts does. */
  accepts?: (username: string, password: string) => Promise<boolean>;
  /** PEM of its host keys; absent: a new one. */
  hostKeys?: string[];
  algorithms?: Partial<Record<keyof Algorithms, string[]>>;
  port?: number;
  host?: string;
};

/** A new host key as PEM text. */
export function newHostKey(kind: 'ed25519' | 'rsa' = 'ed25519'): string {
  if (kind === 'rsa') return ssh2.utils.generateKeyPairSync('rsa', { bits: 2048 }).private;
  for (;;) {
    const { private: key } = ssh2.utils.generateKeyPairSync('ed25519');
    // Now and then the library makes one that it cannot read.
    if (!(ssh2.utils.parseKey(key) instanceof Error)) return key;
  }
}

/** A device that speaks SSH as a script says; its mood may change while it runs. */
export async function openDevice(
  script: Script,
  {
    mood = {},
    configured,
    account = ACCOUNT,
    accepts = async (username, password) => username === account.username && password === account.password,
    hostKeys,
    algorithms,
    port = 0,
    host = '127.0.0.1',
  }: Options = {},
) {
  const open = new Set<Connection>();
  const device = {
    port: 0,
    mood,
    /** Commands that it read, in all sessions. */
    heard: [] as string[],
    sessions: 0,
    /** Sessions in which Ctrl-C was typed. */
    stopped: 0,
    logins: 0,
    open,
    /** Forwards connections to others when it is a host to go through. */
    forwards: false,
    close: () =>
      new Promise<void>((resolve) => {
        for (const connection of open) connection.end();
        server.close(() => resolve());
        setTimeout(() => {
          for (const connection of open) (connection as unknown as { _sock: Socket })._sock.destroy();
        }, 50).unref();
      }),
  };
  const server = new ssh2.Server(
    {
      hostKeys: hostKeys ?? [newHostKey()],
      ...(script.ident && { ident: script.ident }),
      ...(algorithms && { algorithms: algorithms as unknown as Algorithms }),
    },
    (connection) => {
      open.add(connection);
      connection.on('error', () => undefined);
      (connection as unknown as { _sock: Socket })._sock.setNoDelay(true);
      connection.on('close', () => open.delete(connection));
      connection.on('authentication', (ctx) => {
        const { auth = 'password', login } = device.mood;
        const name = ctx.username.split('+')[0] ?? '';
        if (auth === 'none' || script.inBand) return ctx.accept();
        const way = auth === 'questions' ? 'keyboard-interactive' : 'password';
        if (ctx.method !== way) return ctx.reject([way]);
        device.logins += 1;
        if (login === 'drops') return void connection.end();
        const check = async (password = '') =>
          login !== 'refuses' && (await accepts(name, password)) ? ctx.accept() : ctx.reject([way]);
        if (ctx.method === 'password') return void check(ctx.password);
        if (ctx.method === 'keyboard-interactive') {
          const { asksToo } = device.mood;
          return void ctx.prompt(
            [...(asksToo ? [asksToo.prompt] : []), 'Password: '].map((prompt) => ({ prompt, echo: false })),
            (answers) => {
              if (asksToo && answers.shift() !== asksToo.answer) return ctx.reject([way]);
              void check(answers[0]);
            },
          );
        }
      });
      connection.on('tcpip', async (accept, reject, { destIP, destPort }) => {
        if (!device.forwards) return void reject();
        const { connect } = await import('node:net');
        const socket = connect(destPort, destIP, () => {
          const channel = accept();
          channel.pipe(socket).pipe(channel);
        });
        socket.on('error', () => reject());
      });
      connection.on('session', (accept) => {
        const session = accept();
        session.on('pty', (yes) => yes?.());
        session.on('shell', (yes) => {
          const channel = yes();
          device.sessions += 1;
          const shell = openShell(
            script,
            () => device.mood,
            {
              write: (bytes) => void (channel.writable && channel.write(bytes)),
              hangUp: () => connection.end(),
              heard: (command) => void device.heard.push(command),
            },
            account,
            configured?.openSession(),
          );
          channel.on('data', (bytes: Buffer) => {
            const before = shell.wasStopped();
            shell.typed(bytes);
            if (!before && shell.wasStopped()) device.stopped += 1;
          });
          channel.on('close', shell.ended);
          channel.on('error', () => undefined);
        });
      });
    },
  );
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  device.port = (server.address() as AddressInfo).port;
  return device;
}

/** A simulated device that runs. */
export type Device = Awaited<ReturnType<typeof openDevice>>;
