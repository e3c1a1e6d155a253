import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { afterAll } from 'vitest';

type Claims = Record<string, unknown>;
export type Forgery = {
  claims?: Claims;
  header?: Record<string, unknown>;
  /** Signs with another key than the published one, with a shared secret (HS256), or not at all. */
  by?: 'other key' | 'client secret' | 'public key' | 'nobody';
  /** Changes the finished token. */
  change?: (token: string) => string;
};

/**
 * A provider of a test: its token endpoint returns whatever identity token the test forges, and fields of `answer.metadata`
 * replace those of its discovery document.
 *
 * @param tls key and certificate of an issuer that begins with https://
 */
export async function openForgingServer(clientSecret: string, tls?: { key: string; cert: string }) {
  const own = await generateKeyPair('RS256', { extractable: true });
  const other = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'own', use: 'sig', alg: 'RS256' };
  const answer = { token: '' as string | undefined, metadata: {} };
  const listener: RequestListener = (request, response) => {
    const send = (body: object) =>
      void response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/keys') return send({ keys: [jwk] });
    if (request.url === '/token')
      return send({
        access_token: 'an access token',
        token_type: 'bearer',
        expires_in: 60,
        id_token: answer.token,
      });
    return send({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      ...answer.metadata,
    });
  };
  const server = tls ? createSecureServer(tls, listener) : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Returns a token with these claims, forged as the test asks. */
  const forge = async (
    claims: Claims,
    { claims: more, header, by, change = (token) => token }: Forgery = {},
  ) => {
    const all = Object.fromEntries(
      Object.entries({ ...claims, ...more }).filter(([, value]) => value !== undefined),
    );
    if (by === 'nobody') {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      return change(`${part({ alg: 'none', ...header })}.${part(all)}.`);
    }
    const secrets = { 'client secret': clientSecret, 'public key': await exportSPKI(own.publicKey) };
    const secret = by === 'client secret' || by === 'public key' ? secrets[by] : undefined;
    const alg = secret === undefined ? 'RS256' : 'HS256';
    const key =
      secret === undefined ? (by === 'other key' ? other : own).privateKey : new TextEncoder().encode(secret);
    return change(
      await new SignJWT(all)
        .setProtectedHeader({ alg, kid: 'own', ...header })
        .sign(key, { crit: { x: true } }),
    );
  };
  return { issuer, answer, forge };
}
