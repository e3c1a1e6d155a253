import { connect, isIP, type Socket } from 'node:net';
import { createTransport } from 'nodemailer';
import { hostFault } from '#server/kernel/targets/targets.ts';
import { checkedLookup, TargetDenied } from '../lookup.ts';
import type { MailPort, MailServer, RejectedReceiver } from './ports.ts';

/** Time limits in milliseconds: for the connection, the greeting, and each answer of the server. */
const TIMEOUTS = { connect: 10_000, greeting: 10_000, socket: 15_000 };

type Timeouts = typeof TIMEOUTS;

/**
 * Opens the sender of mail.
 *
 * @param allowPrivateTargets whether loopback and link-local addresses may be reached
 * @param timeouts other time limits in milliseconds, for tests
 */
export const openMail = ({
  allowPrivateTargets,
  timeouts = TIMEOUTS,
}: {
  allowPrivateTargets: boolean;
  timeouts?: Timeouts;
}): MailPort => ({
  send: async (server, { id, headers, ...message }, signal) => {
    signal.throwIfAborted();
    const connection = await dial(server, allowPrivateTargets, timeouts);
    const leave = () => void connection.destroy();
    signal.addEventListener('abort', leave, { once: true });
    const transport = createTransport({
      ...optionsOf(server, timeouts),
      // The socket is connected to the address that was checked.
      getSocket: (_, done) => done(null, { connection }),
    });
    try {
      const sent = await transport.sendMail({
        ...message,
        to: [...message.to],
        messageId: `<${id}@switchyard>`,
        headers: { ...headers },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      return rejectedIn(sent);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', leave);
      transport.close();
      connection.destroy();
    }
  },
});

/** Returns the receivers that a server rejected, as the library reports them. */
const rejectedIn = (sent: object): RejectedReceiver[] => {
  const { rejectedErrors = [] } = sent as {
    rejectedErrors?: { recipient: string; responseCode?: number; response?: string }[];
  };
  return rejectedErrors.map(({ recipient, responseCode = 0, response = '' }) => ({
    address: recipient,
    isTemporary: responseCode >= 400 && responseCode < 500,
    reason: response,
  }));
};

const optionsOf = (
  { host, port, security, username, password, tls }: MailServer,
  { greeting, socket }: Timeouts,
) => ({
  host,
  port,
  secure: security === 'tls',
  requireTLS: security === 'starttls',
  ignoreTLS: security === 'none',
  ...(username && { auth: { user: username, pass: password ?? '' } }),
  tls: {
    // an address is no name of TLS (RFC 6066); the certificate is held against the host in any case
    ...(isIP(host) === 0 && { servername: host }),
    minVersion: 'TLSv1.2' as const,
    rejectUnauthorized: tls.rejectUnauthorized !== false,
    ...(tls.ca && { ca: tls.ca }),
  },
  greetingTimeout: greeting,
  socketTimeout: socket,
});

function dial(
  { host, port }: MailServer,
  allowPrivateTargets: boolean,
  { connect: connectMs }: Timeouts,
): Promise<Socket> {
  const fault = hostFault(host, allowPrivateTargets);
  if (fault) throw new TargetDenied(`the host ${fault}`);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, lookup: checkedLookup(allowPrivateTargets) });
    const timer = setTimeout(
      () => socket.destroy(new Error(`no connection within ${connectMs} ms`)),
      connectMs,
    );
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.removeListener('error', reject);
      // Later errors reach the code that uses the connection.
      socket.on('error', () => undefined);
      resolve(socket);
    });
    socket.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}
