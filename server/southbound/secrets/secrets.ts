import type { SecretProvider } from '#db/schemas/operations/secret-provider.ts';
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
import { type Lease, openKv } from './kv.ts';
import { readSecretFile, readVariable } from './local.ts';

/** How long a value is used again, in seconds, unless the provider says otherwise. */
const CACHE_SECONDS = 30;
/** Most cached values; beyond it the oldest one is dropped. */
const MOST_CACHED = 5000;

export type SecretSources = {
  http: Pick<HttpPort, 'send'>;
  local: LocalSources;
  /** Returns a stored provider with opened secrets, by name, or the default one; undefined when there is none. */
  findProvider: (name: string | null) => Promise<SecretProvider | undefined>;
  /** Records that a secret is used. */
  record: (reference: string, provider: string, use: SecretUse, outcome: 'ok' | 'failed') => Promise<void>;
  now?: () => number;
};

/** Opens the resolver of a process: tokens and recently read values are kept in its memory only. */
export function openSecrets({
  http,
  local,
  findProvider,
  record,
  now = Date.now,
}: SecretSources): SecretResolver {
  const leases = new Map<string, { version: string; lease: Promise<Lease> }>();
  const values = new Map<string, { value: string; until: number }>();
  /** Reads of the same secret at the same time share one request. */
  const reading = new Map<string, Promise<string>>();

  const leaseFor = async (provider: SecretProvider, isNew: boolean): Promise<Lease> => {
    const kv = openKv(http, provider, now);
    const version = versionOf(provider);
    const known = leases.get(provider.name);
    const keep = (lease: Promise<Lease>) => {
      leases.set(provider.name, { version, lease });
      lease.catch(() => leases.get(provider.name)?.lease === lease && leases.delete(provider.name));
      return lease;
    };
    if (isNew || known?.version !== version) return keep(kv.signIn());
    const lease = await known.lease;
    if (now() < lease.renewAt) return lease;
    if (!lease.isRenewable || now() >= lease.endsAt) return keep(kv.signIn());
    return keep(kv.renew(lease).then((renewed) => renewed ?? kv.signIn()));
  };

  const readKv = async (provider: SecretProvider, { path, key }: Omit<SecretReference, 'provider'>) => {
    const kv = openKv(http, provider, now);
    let found = await kv.read(await leaseFor(provider, false), path);
    // The token may have been revoked: a new one decides.
    if (found === 'denied') found = await kv.read(await leaseFor(provider, true), path);
    if (found === 'denied') throw kv.denied(`the secret ${path}`);
    const names = Object.keys(found);
    const wanted = key ?? (names.length === 1 ? names[0] : undefined);
    if (wanted === undefined)
      throw secretFailure(
        'SECRET_NOT_FOUND',
        `${provider.name}: ${path} has several values: add $KEY_ and a name`,
      );
    const value = Object.hasOwn(found, wanted) ? found[wanted] : undefined;
    if (value === undefined || value === null)
      throw secretFailure('SECRET_NOT_FOUND', `${provider.name}: ${path} has no value ${wanted}`);
    return typeof value === 'string' ? value : JSON.stringify(value);
  };

  const readFrom = async (provider: SecretProvider, reference: Omit<SecretReference, 'provider'>) => {
    if (provider.kind === 'vault') return readKv(provider, reference);
    const whole =
      provider.kind === 'environment'
        ? readVariable(provider, reference.path, local)
        : await readSecretFile(provider, reference.path, local);
    return reference.key === null ? whole : memberOf(provider, whole, reference);
  };

  const readCached = async (provider: SecretProvider, text: string, reference: SecretReference) => {
    const cached = `${provider.name} ${versionOf(provider)} ${text}`;
    const known = values.get(cached);
    if (known && known.until > now()) return known.value;
    values.delete(cached);
    let read = reading.get(cached);
    if (!read) {
      read = readFrom(provider, reference).finally(() => reading.delete(cached));
      reading.set(cached, read);
    }
    const value = await read;
    const seconds = provider.cacheSeconds ?? CACHE_SECONDS;
    if (seconds > 0) {
      const [oldest] = values.keys();
      if (oldest !== undefined && values.size >= MOST_CACHED) values.delete(oldest);
      values.set(cached, { value, until: now() + seconds * 1000 });
    }
    return value;
  };

  const resolveOne = async (text: string, use: SecretUse): Promise<string> => {
    const reference = referenceOf(text);
    const provider = reference && (await findProvider(reference.provider));
    if (!reference || !provider) {
      const called = reference?.provider
        ? `the secret provider ${reference.provider}`
        : 'a default secret provider';
      throw secretFailure('SECRET_PROVIDER_UNKNOWN', `${use.name} needs ${called}, which does not exist`);
    }
    try {
      const value = await readCached(provider, text, reference);
      await record(text, provider.name, use, 'ok');
      return value;
    } catch (error) {
      await record(text, provider.name, use, 'failed');
      throw error;
    }
  };

  return {
    async resolve(value, use) {
      const references = referencesIn(value);
      if (references.size === 0) return value;
      const secrets = new Map<string, string>();
      for (const text of references) secrets.set(text, await resolveOne(text, use));
      // Only texts are replaced, by other texts.
      return withSecretsOf(value, secrets) as typeof value;
    },
    async test(provider, reference) {
      if (reference) await readFrom({ ...provider, lastUpdated: `test ${now()}` }, reference);
      else if (provider.kind === 'vault') await openKv(http, provider, now).signIn();
      leases.delete(provider.name);
    },
  };
}

const versionOf = ({ lastUpdated = '' }: SecretProvider) => lastUpdated;

/** Returns a value of a variable or file that holds a JSON object. */
function memberOf(
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
