import { canonical } from '../json/canonical.ts';
import { isObject } from '../json/objects.ts';
import { isSet, type SecretKind, secretKind } from './secret-names.ts';

/** Where a member stands: names of objects, indexes of arrays. */
export type Path = readonly (string | number)[];

/** What a secret is shown as: one text for each kind (profiles), or the same mask for all. */
export type Placeholders = Readonly<Record<SecretKind, string>>;

type JsonObject = Readonly<Record<string, unknown>>;

/** How a profile shows its secrets (contract/resources#2.15). */
export const PROFILE_PLACEHOLDERS: Placeholders = {
  password: '<PASSWORD>',
  passphrase: '<PASSPHRASE>',
  token: '<ACCESS_TOKEN>',
};

/** How every other document shows them (contract/lifecycle#secrets). */
export const MASK: Placeholders = { password: '********', passphrase: '********', token: '********' };

const SHOWN = new Set([...Object.values(PROFILE_PLACEHOLDERS), ...Object.values(MASK)]);

/**
 * Which secret a member holds by its name, wherever it stands; null when it holds none (docs/decisions/0020).
 *
 * @see secret-names.ts for the names
 */
export function secretAt(path: Path): SecretKind | null {
  const name = path.at(-1);
  if (typeof name !== 'string' || isRepositoryScope(path) || isShownCommunity(path)) return null;
  const around = path.at(-2);
  return secretKind(name, typeof around === 'string' ? around : undefined);
}

/** Whether a dotted field is a secret or lies inside one: such a field can be neither filtered nor sorted by. */
export function isSecretField(field: string): boolean {
  const path = field.split('.');
  return path.some((_, index) => secretAt(path.slice(0, index + 1)) !== null);
}

/** The document as it may be seen: each secret that is set is its placeholder. */
export function redact<Document>(document: Document, placeholders: Placeholders, at: Path = []): Document {
  // The shape stays, but for secrets, which become text: their members are text in every schema that names them.
  return map(document, at, (value, kind) => (isSet(value) ? placeholders[kind] : value)) as Document;
}

/** What became of a document that a caller sent. */
export type RestoredDocument = {
  document: JsonObject;
  /** Secrets that came as a placeholder where none is stored: they stay unset. */
  unset: Path[];
  /** Placeholders in an element of a list of which it cannot be told which stored element it was. */
  ambiguous: Path[];
};

/**
 * A document as it is stored: new secrets sealed, placeholders replaced by what is stored at their place, null and ""
 * as they are, since they clear (contract/lifecycle#secrets). Elements of a list are recognised by what is not secret
 * about them, never by their place alone: a secret must not move to another host because a list was reordered.
 *
 * @param stored the document before, secrets sealed; undefined for a new one
 * @param seal makes text unreadable; it is given the secret's JSON and where it stands
 */
export function keepSecrets(
  sent: JsonObject,
  stored: JsonObject | undefined,
  seal: (plain: string, at: Path) => string,
): RestoredDocument {
  const unset: Path[] = [];
  const ambiguous: Path[] = [];
  const take = (value: unknown, before: unknown, at: Path): unknown => {
    if (kindIn(value, at) ?? kindIn(before, at)) {
      if (!isSet(value)) return value;
      if (!isPlaceholder(value)) return seal(JSON.stringify(value), at);
      if (before !== undefined) return before;
      unset.push(at);
      return '';
    }
    if (Array.isArray(value)) {
      const known = recogniser(before, at, ambiguous);
      return value.map((element, index) => take(element, known(element, index), [...at, index]));
    }
    if (!isObject(value)) return value;
    return mapMembers(value, (member, name) => take(member, memberOf(before, name), [...at, name]));
  };
  // An object of members comes out as one.
  return { document: take(sent, stored, []) as JsonObject, unset, ambiguous };
}

/** Members that tell one element of a list from the next, best first. */
const IDENTITY = ['id', '_id', 'name', 'host', 'hostname', 'ip', 'address', 'url'];

/** Finds the stored element that a sent one was; only for elements that hold placeholders is it of use. */
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

/** Where in a list each content stands, and each identity. */
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

/** All that is not secret about an element. */
const contentOf = (element: unknown, at: Path): string =>
  `content ${canonical(map(element, at, () => null))}`;

/** The member that names an element, when it has one. */
function identityOf(element: unknown): string | undefined {
  const member = IDENTITY.find((name) => memberOf(element, name) !== undefined);
  return member && `${member} ${JSON.stringify(memberOf(element, member))}`;
}

/** Where secrets stand whose value meets a condition. */
function secretsIn(value: unknown, at: Path, meets: (secret: unknown) => boolean): Path[] {
  const found: Path[] = [];
  map(value, at, (secret, _, path) => {
    if (meets(secret)) found.push(path);
    return secret;
  });
  return found;
}

/** A value with each of its secrets replaced, wherever one stands. */
export const mapSecrets = (value: unknown, replace: (secret: unknown, at: Path) => unknown): unknown =>
  map(value, [], (secret, _, at) => replace(secret, at));

/** A value with each of its secrets replaced; what lies inside a secret is not looked at. */
function map(
  value: unknown,
  at: Path,
  replace: (secret: unknown, kind: SecretKind, at: Path) => unknown,
): unknown {
  const kind = kindIn(value, at);
  if (kind) return replace(value, kind, at);
  if (Array.isArray(value)) return value.map((element, index) => map(element, [...at, index], replace));
  if (!isObject(value)) return value;
  return mapMembers(value, (member, name) => map(member, [...at, name], replace));
}

/** Profiles show the community that alarms are sent with (contract/resources#2.15). */
const isShownCommunity = ([section, ...below]: Path) =>
  section === 'alarmProps' && below.at(-1) === 'community';

/** What an earlier version took for a secret by a name such as `tokenLifetime` is sealed, and stays one until it is replaced. */
const kindIn = (value: unknown, at: Path): SecretKind | null =>
  secretAt(at) ?? (typeof value === 'string' && /^sealed:v\d:/.test(value) ? 'password' : null);

/**
 * Repositories are keyed by names of the operator's own: `@token-team` is no token (contract/resources#2.15, repoConfigs).
 */
const isRepositoryScope = ([section, member, ...below]: Path) =>
  section === 'prebuiltProps' && member === 'repoConfigs' && below.length === 1;

const isPlaceholder = (value: unknown) => typeof value === 'string' && SHOWN.has(value);

const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** A member that is undefined is not there: only typed callers can send one. */
const mapMembers = (members: JsonObject, each: (member: unknown, name: string) => unknown): JsonObject =>
  Object.fromEntries(
    Object.entries(members)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, each(member, name)]),
  );
