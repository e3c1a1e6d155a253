import type { SecretProvider } from '#db/schemas/operations/secret-provider.ts';
import { keepLatest } from '#server/kernel/calculations/latest.ts';
import { ownField } from '#server/kernel/json/objects.ts';
import type { LocalSources } from '#server/kernel/secrets/local-sources.ts';
import {
  referenceOf,
  referencesIn,
  type SecretReference,
  withSecretsOf,
} from '#server/kernel/secrets/references.ts';
import type { SecretResolver, SecretUse } from '#server/kernel/secrets/resolver.ts';
import type { HttpPort } from '../http/ports.ts';
import { secretFailure } from './failures.ts';
import { readSecretFile, readVariable } from './local.ts';
import type { LeaseLog } from './vault-leases.ts';
import { openVaultSession } from './vault-session.ts';

/** How long a value is used again, in seconds, unless the provider says otherwise. */
const CACHE_SECONDS = 30;
/** Most cached values; beyond it the oldest one is dropped. */
const MOST_CACHED = 5000;

type VaultSession = ReturnType<typeof openVaultSession>;

export type SecretSources = {
  http: Pick<HttpPort, 'send'>;
  local: LocalSources;
  log: LeaseLog;
  /** Returns a stored provider with opened secrets, by name, or the default one; undefined when there is none. */
  findProvider: (name: string | null) => Promise<SecretProvider | undefined>;
  /** Records that a secret is used. @param lease id of the lease of a dynamic secret */
  record: (
    reference: string,
    provider: string,
    use: SecretUse,
    outcome: 'ok' | 'failed',
    lease: string | null,
  ) => Promise<void>;
  /** Stores whether the system of a provider can be used. @param fault why it cannot; null: it can */
  noteState: (provider: string, fault: string | null) => Promise<void>;
  now?: () => number;
};

/** The content of a path of a provider: values by name, or the text of a variable or file. */
type Found = { values: Record<string, unknown> | string; lease: string | null };

/** Opens the resolver of a process: tokens, leases and recently read values are kept in its memory only. */
export function openSecrets({
  http,
  local,
  log,
  findProvider,
  record,
  noteState,
  now = Date.now,
}: SecretSources): SecretResolver {
  const sessions = new Map<string, { version: string; session: VaultSession }>();
  const cache = new Map<string, { found: Found; until: number }>();
  /** Reads of the same secret at the same time share one request. */
  const reading = new Map<string, Promise<Found>>();

  const sessionWith = (provider: SecretProvider): VaultSession => {
    const version = versionOf(provider);
    const known = sessions.get(provider.name);
    if (known?.version === version) return known.session;
    const report = (fault: string | null) => noteState(provider.name, fault);
    const session = openVaultSession(http, provider, { now, log, report });
    sessions.set(provider.name, { version, session });
    void known?.session.close();
    return session;
  };

  const readFrom = async (provider: SecretProvider, path: string): Promise<Found> => {
    const values =
      provider.kind === 'vault'
        ? await sessionWith(provider).read(path)
        : provider.kind === 'environment'
          ? readVariable(provider, path, local)
          : await readSecretFile(provider, path, local);
    return { values, lease: null };
  };

  const readCached = async (provider: SecretProvider, path: string): Promise<Found> => {
    const cached = `${provider.name} ${versionOf(provider)} ${path}`;
    const known = cache.get(cached);
    if (known && known.until > now()) return known.found;
    cache.delete(cached);
    let read = reading.get(cached);
    if (!read) {
      read = readFrom(provider, path).finally(() => reading.delete(cached));
      reading.set(cached, read);
    }
    const found = await read;
    const seconds = provider.cacheSeconds ?? CACHE_SECONDS;
    if (seconds > 0) keepLatest(cache, MOST_CACHED, cached, { found, until: now() + seconds * 1000 });
    return found;
  };

  const find = async (provider: SecretProvider, path: string, address?: string): Promise<Found> => {
    if (!isDynamic(provider, path)) return readCached(provider, path);
    const { data, id } = await sessionWith(provider).lease(path, address);
    return { values: data, lease: id };
  };

  /** @param found what this call has found already: a name and its password come from the same answer */
  const resolveOne = async (
    text: string,
    use: SecretUse,
    found: Map<string, Promise<Found>>,
  ): Promise<string> => {
    const reference = referenceOf(text);
    const provider = reference && (await findProvider(reference.provider));
    if (!reference || !provider) {
      const called = reference?.provider
        ? `the secret provider ${reference.provider}`
        : 'a default secret provider';
      throw secretFailure('SECRET_PROVIDER_UNKNOWN', `${use.name} needs ${called}, which does not exist`);
    }
    let lease: string | null = null;
    try {
      const place = `${provider.name} ${reference.path}`;
      const read = found.get(place) ?? find(provider, reference.path, use.address);
      found.set(place, read);
      const secret = await read;
      lease = secret.lease;
      const value = secretIn(provider, secret, reference);
      await record(text, provider.name, use, 'ok', lease);
      return value;
    } catch (error) {
      await record(text, provider.name, use, 'failed', lease);
      throw error;
    }
  };

  return {
    async resolve(value, use) {
      const references = referencesIn(value);
      if (references.size === 0) return value;
      const secrets = new Map<string, string>();
      const found = new Map<string, Promise<Found>>();
      for (const text of references) secrets.set(text, await resolveOne(text, use, found));
      // Only texts are replaced, by other texts.
      return withSecretsOf(value, secrets) as typeof value;
    },
    async test(provider, reference) {
      if (provider.kind !== 'vault') {
        if (reference) secretIn(provider, await readFrom(provider, reference.path), reference);
        return;
      }
      // A session of its own: its token and leases end with the test.
      const report = (fault: string | null) => noteState(provider.name, fault);
      const session = openVaultSession(http, provider, { now, log, report });
      try {
        if (!reference) return await session.signIn();
        const values = isDynamic(provider, reference.path)
          ? (await session.lease(reference.path)).data
          : await session.read(reference.path);
        secretIn(provider, { values, lease: null }, reference);
      } finally {
        await session.close();
      }
    },
    async close() {
      const open = [...sessions.values()];
      sessions.clear();
      await Promise.all(open.map(({ session }) => session.close()));
    },
  };
}

/** Returns whether a path names a dynamic secret: it begins at the root of the server instead of the KV engine. */
const isDynamic = ({ kind }: SecretProvider, path: string) => kind === 'vault' && path.startsWith('/');

/** Returns the value that a reference means, of what its path has. @throws ServiceError */
function secretIn(
  provider: SecretProvider,
  { values }: Found,
  reference: Omit<SecretReference, 'provider'>,
): string {
  const { path, key } = reference;
  if (typeof values === 'string') return key === null ? values : fieldOfSecret(provider, values, reference);
  const names = Object.keys(values);
  const wanted = key ?? (names.length === 1 ? names[0] : undefined);
  if (wanted === undefined)
    throw secretFailure(
      'SECRET_NOT_FOUND',
      `${provider.name}: ${path} has several values: add $KEY_ and a name`,
    );
  const value = ownField(values, wanted);
  if (value === undefined || value === null)
    throw secretFailure('SECRET_NOT_FOUND', `${provider.name}: ${path} has no value ${wanted}`);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const versionOf = ({ lastUpdated = '' }: SecretProvider) => lastUpdated;

/** Returns a value of a variable or file that holds a JSON object. */
function fieldOfSecret(
  { name }: SecretProvider,
  text: string,
  { path, key }: Omit<SecretReference, 'provider'>,
): string {
  try {
    const value: unknown = (JSON.parse(text) as Record<string, unknown>)[key ?? ''];
    if (value !== undefined && value !== null)
      return typeof value === 'string' ? value : JSON.stringify(value);
  } catch {
    // No JSON object has the key.
  }
  throw secretFailure('SECRET_NOT_FOUND', `${name}: ${path} is not a JSON object with the member ${key}`);
}
