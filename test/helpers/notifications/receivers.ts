import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll } from 'vitest';

/** A request as a receiver got it. */
export type Received = {
  headers: Record<string, string | string[] | undefined>;
  text: string;
  delivery: string;
  /** Ids of the events in the body of a webhook. */
  events: string[];
  accepted: boolean;
};

/** What a receiver answers to the request of this number, from 0. */
type Answer = (
  at: number,
  received: Received,
) => { status: number; text?: string; delayMs?: number; headers?: Record<string, string> };

/** Opens a receiver of webhooks on a free port; it is closed after the test file. */
export async function openReceiver(answer: Answer = () => ({ status: 204 })) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request.setEncoding('utf8')) text += part;
    const one: Received = {
      headers: request.headers,
      text,
      delivery: String(request.headers['x-switchyard-delivery']),
      events: eventsIn(text),
      accepted: false,
    };
    const at = received.push(one) - 1;
    const { status, text: body = '', delayMs = 0, headers = {} } = answer(at, one);
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    one.accepted = status < 300;
    response.writeHead(status, headers).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    accepted: () => received.filter((one) => one.accepted),
  };
}

function eventsIn(text: string): string[] {
  try {
    const { events = [] } = JSON.parse(text) as { events?: { id: string }[] };
    return events.map(({ id }) => id);
  } catch {
    return [];
  }
}

/** The signature that a webhook must carry. */
export const signatureOf = (text: string, key: string) =>
  `sha256=${createHmac('sha256', key).update(text).digest('hex')}`;

/**
 * Opens a mail server that accepts one account; it is closed after the test file. `rejects` has the status with which a
 * receiver is rejected, by its address.
 */
export async function openMailServer(username: string, password: string) {
  const rejects = new Map<string, number>();
  const messages: { from: string; to: string[]; text: string }[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    authMethods: ['PLAIN', 'LOGIN'],
    onAuth: ({ username: user, password: given }, _, done) => {
      if (user === username && given === password) return done(null, { user });
      // Some servers repeat what they were sent.
      return done(new Error(`wrong password ${given} for ${user}`));
    },
    onRcptTo: ({ address }, _, done) => {
      const responseCode = rejects.get(address);
      done(responseCode ? Object.assign(new Error('not now, or never'), { responseCode }) : undefined);
    },
    onData: (stream, session, done) => {
      let text = '';
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        messages.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          text,
        });
        done();
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  afterAll(() => server.close());
  return { port: (server.server.address() as AddressInfo).port, messages, rejects };
}
