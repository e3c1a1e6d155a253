import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** The name and password that the proxy asks for. */
export const PROXY_CREDENTIALS = 'wanderer:pass%20word';
const ACCEPTED = `Basic ${Buffer.from('wanderer:pass word').toString('base64')}`;

/**
 * Starts an HTTP proxy that asks for credentials and resolves names itself: every name leads to this machine, names below
 * `denied.example.net` nowhere.
 *
 * @returns its port, and what it was asked for
 */
export async function openProxy() {
  const seen: string[] = [];
  const isAccepted = (given: string | undefined) => given === ACCEPTED;
  const isDenied = (host: string) => host.endsWith('denied.example.net');
  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? '');
    seen.push(`${incoming.method} ${url.href}`);
    if (!isAccepted(incoming.headers['proxy-authorization']))
      return void outgoing.writeHead(407, { 'Proxy-Authenticate': 'Basic realm="proxy"' }).end();
    const { 'proxy-authorization': _, 'proxy-connection': __, ...headers } = incoming.headers;
    const onward = request(
      {
        host: '127.0.0.1',
        port: url.port,
        method: incoming.method,
        path: `${url.pathname}${url.search}`,
        headers,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    return void incoming.pipe(onward);
  });
  server.on('connect', (incoming, socket) => {
    seen.push(`CONNECT ${incoming.url}`);
    socket.on('error', () => undefined);
    const [host = '', port] = (incoming.url ?? '').split(':');
    if (!isAccepted(incoming.headers['proxy-authorization']))
      return void socket.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="proxy"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
      );
    if (isDenied(host)) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const far = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      far.pipe(socket);
      socket.pipe(far);
    });
    far.on('error', () => socket.destroy());
    socket.on('close', () => far.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
