import type { AddressInfo } from 'node:net';
import ssh2, { type AuthContext } from 'ssh2';
import { newHostKey } from '../../lab/devices/simulator.ts';

type Behaviour = {
  /** Its prompt, or the next one. */
  prompt: string | (() => string);
  /** What it answers to a command, without its prompt. Pieces come with pauses of the milliseconds between them. */
  answers: Readonly<Record<string, string | Buffer | readonly (string | number)[]>>;
  eol?: string;
  /** What it shows before the first prompt, in pieces with pauses; it reads nothing meanwhile. */
  greeting?: readonly (string | number)[];
  /** What it shows for a command that was typed; absent: each key, then the line end. */
  echo?: (command: string) => string;
  /** The one key that ends a command; absent: carriage return and line feed. */
  enter?: '\r' | '\n';
  authenticate?: (context: AuthContext) => void;
  /** Asked of the terminal before each prompt, which the device shows once it has read this answer. */
  asks?: { question: string; answer: string };
};

/**
 * Opens an SSH server that answers commands as a device of an unknown vendor may.
 *
 * @returns its port, the lines that it read, and how to close it
 */
export async function openAnsweringDevice({
  prompt,
  answers,
  eol = '\r\n',
  greeting = [],
  echo,
  enter,
  asks,
  authenticate = (context) => context.accept(),
}: Behaviour) {
  const read: string[] = [];
  const server = new ssh2.Server({ hostKeys: [newHostKey('rsa')] }, (connection) => {
    connection.on('error', () => undefined);
    connection.on('authentication', authenticate);
    connection.on('session', (accept) => {
      const session = accept();
      session.on('pty', (yes) => yes?.());
      session.on('shell', (yes) => {
        const channel = yes();
        channel.on('error', () => undefined);
        let typed = '';
        let isListening = false;
        /** The answer of the terminal so far, where one is awaited: no key of it is a command's. */
        let awaits: string | null = null;
        const send = async (pieces: readonly (string | number | Buffer)[]) => {
          for (const piece of pieces) {
            if (typeof piece !== 'number') channel.write(piece);
            else await new Promise((resolve) => setTimeout(resolve, piece));
          }
          if (!asks) return showPrompt();
          awaits = '';
          channel.write(asks.question);
        };
        const showPrompt = () => {
          channel.write(typeof prompt === 'string' ? prompt : prompt());
        };
        const run = (line: string) => {
          read.push(line);
          if (echo) channel.write(echo(line));
          else channel.write(eol);
          const answer = answers[line] ?? (line === '' ? '' : `no ${line}${eol}`);
          void send(typeof answer === 'string' || Buffer.isBuffer(answer) ? [answer] : answer);
        };
        channel.on('data', (bytes: Buffer) => {
          if (!isListening) return;
          for (const key of bytes.toString()) {
            if (awaits !== null) {
              awaits += key;
              if (!asks || !awaits.endsWith(asks.answer)) continue;
              awaits = null;
              showPrompt();
            } else if (key === enter || (!enter && (key === '\r' || key === '\n'))) {
              const line = typed;
              typed = '';
              run(line);
            } else if (key !== '\r' && key !== '\n') {
              typed += key;
              if (!echo) channel.write(key);
            }
          }
        });
        void send(greeting).then(() => {
          isListening = true;
        });
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    read,
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}
