import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { afterAll } from 'vitest';

/** A user of the provider. */
export type OidcUser = { name: string; groups: string[]; email?: string };

/**
 * An OpenID Connect provider (oidc-provider) on a free port. Whoever opens its sign-in page is signed in as `user.current`.
 *
 * @param authentication the only way in which it lets clients prove themselves; absent: all of them
 */
export async function openOidcServer({ authentication }: { authentication?: 'client_secret_post' } = {}) {
  const users = new Map<string, OidcUser>();
  const user = { current: '' };
  let handle: ReturnType<Provider['callback']> | undefined;
  let provider: Provider | undefined;
  const server = createServer(async (request, response) => {
    if (!provider || !handle) return void response.writeHead(503).end();
    if (!request.url?.startsWith('/interaction/')) return void handle(request, response);
    const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login') {
      const result = { login: { accountId: user.current } };
      return void provider.interactionFinished(request, response, result);
    }
    const grant =
      (grantId && (await provider.Grant.find(grantId))) ||
      new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params.client_id) });
    grant.addOIDCScope(String(params.scope));
    const consent = { grantId: await grant.save() };
    await provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    issuer,
    users,
    user,
    /** Begins to answer, for a client whose platform is at `platform` and knows this provider by `id`. */
    start(platform: string, id: string) {
      provider = new Provider(issuer, {
        clients: [
          {
            client_id: 'switchyard',
            client_secret: 'lantern-quarry-46',
            redirect_uris: [`${platform}/sign_in/oidc/${id}/callback`],
            post_logout_redirect_uris: [`${platform}/`],
            backchannel_logout_uri: `${platform}/sign_in/oidc/${id}/backchannel_logout`,
            backchannel_logout_session_required: true,
            grant_types: ['authorization_code', 'refresh_token'],
            ...(authentication && { token_endpoint_auth_method: authentication }),
          },
        ],
        ...(authentication && { clientAuthMethods: [authentication] }),
        claims: { openid: ['sub'], profile: ['preferred_username', 'name', 'groups'], email: ['email'] },
        features: {
          devInteractions: { enabled: false },
          backchannelLogout: { enabled: true },
          rpInitiatedLogout: { enabled: true },
        },
        // Its own `fetch` refuses loopback addresses.
        fetch: (url, options) => {
          const { dispatcher: _, ...plain } = options as RequestInit & { dispatcher?: unknown };
          return fetch(url, plain as RequestInit);
        },
        pkce: { required: () => true },
        interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
        issueRefreshToken: async () => true,
        rotateRefreshToken: true,
        findAccount: (_, id) => {
          const found = users.get(id);
          if (!found) return undefined;
          return {
            accountId: id,
            claims: async () => ({
              sub: id,
              preferred_username: found.name,
              name: found.name.toUpperCase(),
              groups: found.groups,
              ...(found.email && { email: found.email }),
            }),
          };
        },
        cookies: { keys: ['a key of this test only'] },
        ttl: {
          AccessToken: 3600,
          IdToken: 3600,
          Session: 3600,
          Interaction: 600,
          Grant: 3600,
          RefreshToken: 3600,
        },
      });
      handle = provider.callback();
    },
    /** Stops answering, as a provider that is away. */
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
