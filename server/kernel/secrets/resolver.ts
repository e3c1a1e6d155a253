import type { SecretProvider } from '#db/schemas/operations/secret-provider.ts';
import type { Caller } from '../principal.ts';

/** The use of a secret, as the audit trail records it. */
export type SecretUse = {
  /** Table of the document that refers to the secret. */
  kind: string;
  /** Id or name of that document. */
  name: string;
  /** The account that the work runs for; null for work of the platform itself. */
  account: Pick<Caller, 'id' | 'username' | 'credential'> | null;
  /** Address of the host that it is for; some dynamic secrets are made for one host. */
  address?: string;
};

/** Reads secrets from the systems that store them, at the time of their use (docs/secrets.md). */
export type SecretResolver = {
  /**
   * Returns a stored value with its references replaced by the secrets. Each use is audited. Never pass what a caller sent:
   * only documents that an admin stored may refer to secrets.
   *
   * @param value a document with its sealed secrets already opened; it is returned as it is when it holds no reference
   * @param use what needs the secrets
   * @returns the value with secrets, which must not outlive the call
   * @throws ServiceError CONFLICT when the provider or the secret does not exist; BAD_GATEWAY or GATEWAY_TIMEOUT when the
   *   provider cannot be reached or denies it, with `reason` and `retryable`
   */
  resolve: <Value>(value: Value, use: SecretUse) => Promise<Value>;
  /**
   * Reads one secret by a provider that need not be stored, and returns nothing of it. What it signs in for ends with it.
   *
   * @param reference path and key; absent: only signs in
   * @throws ServiceError as `resolve`
   */
  test: (provider: SecretProvider, reference?: { path: string; key: string | null }) => Promise<void>;
  /** Ends leases and tokens in the systems that made them; called when the process stops. */
  close: () => Promise<void>;
};
