import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

type Token = { endsAt: number; renewable: boolean };

/**
 * A server that speaks the part of Vault's HTTP interface that the platform uses: tokens, AppRole, and a KV engine of
 * version 2 (https://developer.hashicorp.com/vault/api-docs). Its answers have the fields of those of a real server.
 */
export async function openVaultServer({ port = 0 }: { port?: number } = {}) {
  const tokens = new Map<string, Token>([
    ['root-token', { endsAt: Number.POSITIVE_INFINITY, renewable: false }],
  ]);
  const secrets = new Map<string, Record<string, unknown>>();
  const requests: string[] = [];
  const state = {
    ...{ ttlSeconds: 3600, failures: 0, roleId: 'role-1', secretId: 'secret-id-1', namespace: '' },
    /** The status of every answer, and the health of a server that answers no requests; null: it answers them. */
    down: null as { status: number; health: object } | null,
  };

  const grant = () => {
    const client_token = `hvs.${randomUUID()}`;
    tokens.set(client_token, { endsAt: Date.now() + state.ttlSeconds * 1000, renewable: true });
    return client_token;
  };
  const answerTo = async (request: IncomingMessage): Promise<[number, object]> => {
    const path = (request.url ?? '').replace('/v1/', '');
    requests.push(`${request.method} ${path}`);
    if (state.down !== null)
      return path === 'sys/health'
        ? [state.down.status, state.down.health]
        : [state.down.status, { errors: [`of ${request.headers['x-vault-token']}`] }];
    if (state.failures > 0) {
      state.failures -= 1;
      return [503, { errors: ['Vault is sealed'] }];
    }
    if ((request.headers['x-vault-namespace'] ?? '') !== state.namespace)
      return [404, { errors: ['no namespace'] }];
    if (path === 'auth/approle/login') {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const given = JSON.parse(Buffer.concat(parts).toString()) as Record<string, string>;
      if (given.role_id !== state.roleId || given.secret_id !== state.secretId)
        return [400, { errors: ['invalid role or secret ID'] }];
      return [200, { auth: { client_token: grant(), lease_duration: state.ttlSeconds, renewable: true } }];
    }
    const held = String(request.headers['x-vault-token'] ?? '');
    const token = tokens.get(held);
    if (!token || token.endsAt < Date.now()) return [403, { errors: ['permission denied'] }];
    if (path === 'auth/token/lookup-self') return [200, { data: { ttl: 0, renewable: token.renewable } }];
    if (path === 'auth/token/renew-self') {
      token.endsAt = Date.now() + state.ttlSeconds * 1000;
      return [200, { auth: { client_token: held, lease_duration: state.ttlSeconds, renewable: true } }];
    }
    const [, name = ''] = /^secret\/data\/(.+)$/.exec(path) ?? [];
    const data = secrets.get(decodeURIComponent(name));
    if (!data) return [404, { errors: [] }];
    return [200, { data: { data, metadata: { version: 1 } }, lease_duration: 0, renewable: false }];
  };

  const server = createServer(async (request, response) => {
    const [status, body] = await answerTo(request);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    if (!server.listening) return;
    server.closeAllConnections();
    const closed = once(server, 'close');
    server.close();
    await closed;
  };
  afterAll(close);
  const { port: own } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${own}`, port: own, secrets, tokens, requests, state, close };
}
