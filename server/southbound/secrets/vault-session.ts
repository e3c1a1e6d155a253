import type { SecretProvider } from '#db/schemas/operations/secret-provider.ts';
import type { HttpPort } from '../http/ports.ts';
import { openVaultCalls } from './vault-calls.ts';
import { type LeaseLog, VaultLeases } from './vault-leases.ts';
import { VaultToken } from './vault-token.ts';

type SessionParts = {
  /** Returns the time in milliseconds since 1970. */
  now: () => number;
  log: LeaseLog;
  /** Called with the outcome of each request for a secret: why the server cannot be used, null when it can. */
  report: (fault: string | null) => Promise<void>;
};

/**
 * Opens a session with a Vault or OpenBao server: its token, and the dynamic secrets that were made with it.
 *
 * @param provider provider with opened secrets
 * @returns functions that sign in, read secrets, lease dynamic ones, and end the session
 */
export function openVaultSession(
  http: Pick<HttpPort, 'send'>,
  provider: SecretProvider,
  { now, log, report }: SessionParts,
) {
  const calls = openVaultCalls(http, provider, now);
  const token = new VaultToken(calls, { now, ownsToken: provider.auth?.method === 'approle', report });
  const leases = new VaultLeases(calls, token, { provider, now, log });
  return {
    /**
     * Signs in, unless there is a token that counts.
     *
     * @throws ServiceError
     */
    signIn: async (): Promise<void> => void (await token.get()),

    /**
     * Reads the newest version of a secret of the KV engine.
     *
     * @param path path in the engine
     * @returns its values by name
     * @throws ServiceError
     */
    read: (path: string): Promise<Record<string, unknown>> =>
      token.use((valid) => calls.read(valid, path), `the secret ${path}`),

    /**
     * Returns a dynamic secret, and the id of its lease.
     *
     * @param path path on the server with a leading `/`
     * @param address address of the host that it is for, where it is for one
     * @throws ServiceError
     */
    lease: (path: string, address?: string) => leases.lease(path, address),

    /** Ends the leases, and the token if Switchyard signed in for it. A server that does not answer ends them by itself. */
    async close(): Promise<void> {
      await leases.close();
      await token.close();
    },
  };
}
