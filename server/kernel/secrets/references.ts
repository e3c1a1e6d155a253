import { isObject } from '../json/objects.ts';

/** A reference to a secret that another system stores. */
export type SecretReference = {
  /** Name of the provider; null: the default one. */
  provider: string | null;
  path: string;
  /** Name of the value at the path; null: the only one. */
  key: string | null;
};

const REFERENCE = /^\$SECRET_(?:([a-z][a-z0-9-]{0,62}):)?([^\s:]{1,500})(?: \$KEY_(\S{1,200}))?$/;

/**
 * Returns whether a value refers to a secret in another system: `$SECRET_vault:network/core $KEY_password`. A reference is
 * no secret itself: it is stored and shown as it is (decision 0121).
 */
export const isReference = (value: unknown): value is string =>
  typeof value === 'string' && value.startsWith('$SECRET_') && REFERENCE.test(value);

/** Returns the parts of a reference; undefined when the text is none. */
export function referenceOf(text: string): SecretReference | undefined {
  const [, provider = null, path = '', key = null] = REFERENCE.exec(text) ?? [];
  return path === '' ? undefined : { provider, path, key };
}

/**
 * Returns all references in a value, each once.
 *
 * @param value as JSON.parse returns it
 * @param found references of other values, to which these are added
 */
export function referencesIn(value: unknown, found: Set<string> = new Set()): Set<string> {
  if (isReference(value)) found.add(value);
  else if (Array.isArray(value)) for (const element of value) referencesIn(element, found);
  else if (isObject(value)) for (const field of Object.values(value)) referencesIn(field, found);
  return found;
}

/**
 * Returns a value with its references replaced.
 *
 * @param value as JSON.parse returns it
 * @param secrets the secret of each reference
 */
export function withSecretsOf(value: unknown, secrets: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return secrets.get(value) ?? value;
  if (Array.isArray(value)) return value.map((element) => withSecretsOf(element, secrets));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, withSecretsOf(field, secrets)]),
  );
}
