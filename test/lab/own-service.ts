import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';

/** An answer of the service. */
type Answer = { isOk: boolean; status: number; text: string };

/** Sends a request to the service; a body is sent as JSON. */
export type Request = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/**
 * Returns how the demo sends requests to the service that it has started.
 *
 * @param url where the service listens
 * @param certificate the certificate of the service, as PEM text; nobody need have signed it, and it may name any host
 */
export function requestsTo(url: string, certificate: string | undefined): Request {
  const agent = certificate === undefined ? undefined : agentFor(new X509Certificate(certificate));
  return async (method, path, body, headers = {}) => {
    const options = { method, headers: { 'Content-Type': 'application/json', ...headers } };
    const sent = agent
      ? httpsRequest(`${url}${path}`, { ...options, agent })
      : httpRequest(`${url}${path}`, options);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(sent, 'response');
    const status = response.statusCode ?? 0;
    return { isOk: status >= 200 && status < 300, status, text: await text(response) };
  };
}

/** Returns an agent that sends nothing to a server without exactly this certificate. */
function agentFor({ fingerprint256 }: X509Certificate): Agent {
  const agent = new Agent();
  const open = (options: ConnectionOptions, done: (error: Error | null, socket?: TLSSocket) => void) => {
    const socket = connect({ ...options, rejectUnauthorized: false });
    socket.once('error', done);
    socket.once('secureConnect', () => {
      if (socket.getPeerX509Certificate()?.fingerprint256 === fingerprint256) done(null, socket);
      else
        socket.destroy(new Error('another server answers with a certificate that is not that of TLS_CERT'));
    });
  };
  return Object.assign(agent, { createConnection: open });
}
