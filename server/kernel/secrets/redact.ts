import type { Issue } from '../errors.ts';
import { canonical } from '../json/canonical.ts';
import { fieldIn, isObject, type JsonObject } from '../json/objects.ts';
import { issue } from '../validation/document-issues.ts';
import { isReference } from './references.ts';
import { isSet, type SecretKind, secretKind } from './secret-names.ts';

/** The position of a field: names of objects, indexes of arrays. */
export type Path = readonly (string | number)[];

/** The text shown instead of a secret: one for each kind (profiles), or the same mask for all. */
export type Placeholders = Readonly<Record<SecretKind, string>>;

/** The placeholders in profiles (contract/resources#2.15). */
export const PROFILE_PLACEHOLDERS: Placeholders = {
  password: '<PASSWORD>',
  passphrase: '<PASSPHRASE>',
  token: '<ACCESS_TOKEN>',
};

/** The placeholders in every other document (contract/lifecycle#secrets). */
export const MASK: Placeholders = { password: '********', passphrase: '********', token: '********' };

const SHOWN = new Set([...Object.values(PROFILE_PLACEHOLDERS), ...Object.values(MASK)]);

/**
 * Returns which kind of secret a field holds by its name; null when it holds none (docs/decisions/0020).
 *
 * @see secret-names.ts for the names
 */
export function secretAt(path: Path): SecretKind | null {
  const name = path.at(-1);
  if (typeof name !== 'string' || isRepositoryScope(path) || isShownCommunity(path)) return null;
  const around = path.at(-2);
  if (name === 'value' && isScheme(path.slice(0, -1))) return 'token';
  return secretKind(name, typeof around === 'string' ? around : undefined);
}

/** Returns whether a dotted field is a secret or lies inside one: lists can neither filter nor sort by it. */
export function isSecretField(field: string): boolean {
  const path = field.split('.');
  return path.some((_, index) => secretAt(path.slice(0, index + 1)) !== null);
}

/** Returns a document with a placeholder for each secret that is set; parts without a secret are shared with it. */
export function redact<Document>(document: Document, placeholders: Placeholders, at: Path = []): Document {
  // Only secrets change, and become text: they are text in every schema that has them.
  return map(document, at, (value, kind) =>
    isSet(value) && !isReference(value) ? placeholders[kind] : value,
  ) as Document;
}

/** The result of restoring the secrets of a document that a caller sent. */
export type RestoredDocument = {
  document: JsonObject;
  /** Placeholders for which no secret is stored: they stay unset. */
  unset: Path[];
  /** Placeholders in a list element that matches no single stored element. */
  ambiguous: Path[];
};

/** Returns the issues of masks whose secret cannot be determined; the paths are those of `RestoredDocument.ambiguous`. */
export const ambiguousIssues = (paths: readonly Path[]): Issue[] =>
  paths.map((path) =>
    issue(
      [...path],
      'is the mask of a secret, but no stored element corresponds to this one: send the secret itself, or null',
      'ambiguous',
    ),
  );

/**
 * Returns a document as it is stored: new secrets are sealed, placeholders are replaced by the stored secret, null and
 * "" stay because they clear a secret (contract/lifecycle#secrets). List elements are matched by their fields that are
 * not secret, never by position alone: a secret must not move to another host because a list was reordered.
 *
 * @param sent document as the client sent it, with plain secrets or masks
 * @param stored the previous version, with sealed secrets; undefined for a new document
 * @param seal encrypts a secret's JSON; also receives its position
 */
export function keepSecrets(
  sent: JsonObject,
  stored: JsonObject | undefined,
  seal: (plain: string, at: Path) => string,
): RestoredDocument {
  const unset: Path[] = [];
  const ambiguous: Path[] = [];
  const take = (value: unknown, before: unknown, at: Path): unknown => {
    if (kindIn(value, at) ?? sealedKind(before)) {
      if (!isSet(value) || isReference(value)) return value;
      if (!isPlaceholder(value)) return seal(JSON.stringify(value), at);
      if (before !== undefined) return before;
      unset.push(at);
      return '';
    }
    if (Array.isArray(value)) {
      const known = recogniser(before, at, ambiguous);
      return mapElements(value, (element, index) => take(element, known(element, index), [...at, index]));
    }
    if (!isObject(value)) return value;
    return mapFields(value, (member, name) => take(member, fieldIn(before, name), [...at, name]));
  };
  // `take` returns an object for an object.
  return { document: take(sent, stored, []) as JsonObject, unset, ambiguous };
}

/** Fields that identify a list element, best first. */
const IDENTITY = ['id', '_id', 'name', 'host', 'hostname', 'ip', 'address', 'url'];

/** Returns a function that finds the stored element of a sent one; it searches only for elements with placeholders. */
function recogniser(stored: unknown, at: Path, ambiguous: Path[]) {
  let places: Map<string, number[]> | undefined;
  let lost = false;
  return (element: unknown, index: number): unknown => {
    const here = [...at, index];
    const masked = secretsIn(element, here, isPlaceholder);
    if (masked.length === 0 || !Array.isArray(stored)) return undefined;
    if (!places) {
      places = placesOf(stored, here);
      lost = stored.some((candidate) => secretsIn(candidate, here, isSet).length > 0);
    }
    const alike = places.get(contentOf(element, here)) ?? [];
    if (alike.length > 0) return stored[alike.includes(index) ? index : (alike[0] ?? index)];
    const [found, ...others] = places.get(identityOf(element) ?? '') ?? [];
    if (found !== undefined && others.length === 0) return stored[found];
    if (lost) ambiguous.push(...masked);
    return undefined;
  };
}

/** Returns the indexes of each content and each identity in a list. */
function placesOf(elements: readonly unknown[], at: Path): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [index, element] of elements.entries()) {
    for (const key of [contentOf(element, at), identityOf(element)]) {
      if (key === undefined) continue;
      const known = places.get(key);
      if (known) known.push(index);
      else places.set(key, [index]);
    }
  }
  return places;
}

/** Returns all of an element but its secrets. */
const contentOf = (element: unknown, at: Path): string =>
  `content ${canonical(map(element, at, () => null))}`;

/** Returns the field that identifies an element, if it has one. */
function identityOf(element: unknown): string | undefined {
  const member = IDENTITY.find((name) => fieldIn(element, name) !== undefined);
  return member && `${member} ${JSON.stringify(fieldIn(element, member))}`;
}

/** Returns the positions of secrets whose value meets a condition. */
function secretsIn(value: unknown, at: Path, meets: (secret: unknown) => boolean): Path[] {
  const found: Path[] = [];
  map(value, at, (secret, _, path) => {
    if (meets(secret)) found.push(path);
    return secret;
  });
  return found;
}

/**
 * Returns a value with each of its secrets replaced.
 *
 * @param value document, with field names that show which values are secrets
 * @param replace returns the value in place of a secret, which is at `at`
 */
export const mapSecrets = (value: unknown, replace: (secret: unknown, at: Path) => unknown): unknown =>
  map(value, [], (secret, _, at) => replace(secret, at));

/** Returns a value with each of its secrets replaced; it does not look inside a secret. */
function map(
  value: unknown,
  at: Path,
  replace: (secret: unknown, kind: SecretKind, at: Path) => unknown,
): unknown {
  const kind = kindIn(value, at);
  if (kind) return replace(value, kind, at);
  if (Array.isArray(value))
    return mapElements(value, (element, index) => map(element, [...at, index], replace));
  if (!isObject(value)) return value;
  return mapFields(value, (member, name) => map(member, [...at, name], replace));
}

/** Returns whether a field is the community of alarms, which profiles show (contract/resources#2.15). */
const isShownCommunity = (path: Path) => path[0] === 'alarmProps' && path.at(-1) === 'community';

/** Returns the kind of secret of a value, by the name of its field or because it is sealed. */
const kindIn = (value: unknown, at: Path): SecretKind | null =>
  (isObject(value) && isScheme(at) ? null : secretAt(at)) ?? sealedKind(value);

/**
 * Returns the kind of a sealed text. Earlier versions also sealed fields such as `tokenLifetime`: those stay secret until
 * they are replaced.
 */
const sealedKind = (value: unknown): SecretKind | null =>
  typeof value === 'string' && /^sealed:v\d:/.test(value) ? 'password' : null;

/**
 * Returns whether a field of an adapter holds the credential of one security scheme: its name is that of the scheme, such
 * as `tokenAuth`, and says nothing of the value.
 */
const isScheme = (path: Path) =>
  path.length === 4 && path[0] === 'properties' && path[1] === 'properties' && path[2] === 'authentication';

/**
 * Returns whether a field is a repository, keyed by an operator's own name: `@token-team` is no token
 * (contract/resources#2.15, repoConfigs).
 */
const isRepositoryScope = (path: Path) =>
  path.length === 3 && path[0] === 'prebuiltProps' && path[1] === 'repoConfigs';

const isPlaceholder = (value: unknown) => typeof value === 'string' && SHOWN.has(value);

/** Maps the elements of a list, which is returned itself when none changes. */
function mapElements(
  elements: readonly unknown[],
  each: (element: unknown, index: number) => unknown,
): readonly unknown[] {
  const mapped = elements.map(each);
  return mapped.some((element, index) => element !== elements[index]) ? mapped : elements;
}

/**
 * Maps the fields of an object, which is returned itself when none changes: most objects hold no secret, and a copy of one
 * with many fields is slow. An undefined field counts as missing: only typed callers can send one.
 */
function mapFields(fields: JsonObject, each: (member: unknown, name: string) => unknown): JsonObject {
  const mapped: [string, unknown][] = [];
  let isChanged = false;
  for (const [name, member] of Object.entries(fields)) {
    const next = member === undefined ? undefined : each(member, name);
    if (next !== member || member === undefined) isChanged = true;
    if (member !== undefined) mapped.push([name, next]);
  }
  return isChanged ? Object.fromEntries(mapped) : fields;
}
