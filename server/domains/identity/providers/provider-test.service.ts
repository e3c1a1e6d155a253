import * as oauth from 'oauth4webapi';
import type { Database } from '#db/client.ts';
import { find, noteChange } from '#db/collection.ts';
import type { SignInProvider } from '#db/schemas/identity/sign-in-provider.ts';
import { signInProviders } from '#db/tables/identity/sign-in.ts';
import type { SystemContext, Uses } from '#server/kernel/contexts.ts';
import { jsonOr } from '#server/kernel/json/json-or.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { elapsedMs } from '#server/kernel/timing/elapsed.ts';
import { tryLdap } from './ldap-client.service.ts';
import {
  authenticationOf,
  clientOf,
  keysOf,
  optionsOf,
  serverOf,
  settingsOf,
} from './oidc/oidc-client.service.ts';
import { CLIENT_ERRORS, clientRejected, withReason } from './oidc/oidc-failures.ts';
import { contactFailureOf, recordContact } from './provider-contacts.service.ts';
import { openProvider } from './providers.service.ts';

/**
 * Adds the tested provider to the audit row.
 *
 * @param id id of the provider
 */
export async function noteProviderTest(tx: Database, id: string): Promise<void> {
  const provider = await find(tx, signInProviders, id);
  noteChange(tx, { kind: 'sign_in_providers', id, name: provider?.doc.name ?? null });
}

/** The outcome of a test; `reason` is null when it succeeded. */
export type ProviderTest = { ok: boolean; reason: string | null; detail: string; latencyMs: number };

/**
 * Tries a provider: its discovery document and whether it accepts the client, or a bind and a search. Nothing changes but its status.
 *
 * @throws ServiceError NOT_FOUND
 */
export async function testProvider(
  ctx: SystemContext<'config' | 'vault' | 'http' | 'ldap'>,
  id: string,
): Promise<ProviderTest> {
  const provider = await openProvider(ctx, id, { disabled: true });
  const began = performance.now();
  const outcome = (failure: { reason: string; detail: string } | null): ProviderTest => ({
    ok: failure === null,
    reason: failure?.reason ?? null,
    detail: failure?.detail ?? 'It answers',
    latencyMs: elapsedMs(began),
  });
  try {
    if (provider.type === 'ldap') await tryLdap(ctx, provider);
    else {
      await serverOf(ctx, provider, true);
      await keysOf(ctx, provider);
      await tryClient(ctx, provider);
    }
    await recordContact(ctx.db, id, null);
    return outcome(null);
  } catch (error) {
    const failure = contactFailureOf(error);
    if (!failure) throw error;
    await recordContact(ctx.db, id, failure);
    return outcome(failure);
  }
}

/**
 * Tries whether a provider accepts this client, with a code that it never issued.
 *
 * @throws ServiceError with `reason`: CLIENT_REFUSED when it does not
 */
async function tryClient(ctx: Uses<'http' | 'config'>, provider: SignInProvider): Promise<void> {
  const server = await serverOf(ctx, provider);
  await withReason(provider, 'TOKEN_REFUSED', 'its token endpoint cannot be used', async () => {
    const response = await oauth.genericTokenEndpointRequest(
      server,
      clientOf(provider),
      authenticationOf(provider, server),
      'authorization_code',
      { code: oauth.generateRandomState(), redirect_uri: new URL('/', settingsOf(provider).issuer).href },
      optionsOf(ctx, provider),
    );
    const body: unknown = jsonOr(await response.text(), null);
    const error = isObject(body) && typeof body.error === 'string' ? body.error : null;
    const isRefused = error === null ? response.status === 401 : CLIENT_ERRORS.has(error);
    if (isRefused) throw clientRejected(provider);
  });
}
