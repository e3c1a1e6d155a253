import type { HostKind } from '#db/schemas/network/gateway-host.ts';
import type { JsonObject } from '#server/kernel/json/objects.ts';
import { keepSecrets, MASK, type Path, redact, secretAt } from '#server/kernel/secrets/redact.ts';
import { isReference } from '#server/kernel/secrets/references.ts';
import { placeOf, type RowOfSecrets, sealingFor } from '#server/kernel/secrets/seals.ts';
import type { Vault } from '#server/kernel/secrets/vault.ts';

/** Sealed texts by their path in the document: `["tls","key"]` → `sealed:v1:…`. */
export type Sealed = Readonly<Record<string, string>>;

/** A document for storage: its secrets are masked, and stored separately. */
export type SplitDocument<Document> = {
  document: Document;
  secrets: Record<string, string>;
  /** Paths of masks for which nothing is stored: they stay unset. */
  unset: string[];
  /** Paths of masks in a list that changed, so that the secret cannot be determined. */
  ambiguous: Path[];
};

/**
 * Separates the secrets from a document that a caller sent (contract/lifecycle#secrets): new ones are sealed, a mask
 * keeps the stored one, null and "" clear it.
 *
 * @param stored the previous document and its secrets; undefined for a new one
 * @param row to which the sealed texts are bound
 */
export function splitSecrets<Document extends JsonObject>(
  sent: Document,
  stored: { document: JsonObject; secrets: Sealed } | undefined,
  vault: Pick<Vault, 'seal'>,
  row: RowOfSecrets,
): SplitDocument<Document> {
  const before = stored && (withSecrets(stored.document, stored.secrets) as JsonObject);
  const { document, unset, ambiguous } = keepSecrets(sent, before, sealingFor(vault, row));
  const secrets: Record<string, string> = {};
  collect(document, [], secrets);
  return {
    // Only secrets change, from one text to another.
    document: redact(document, MASK) as Document,
    secrets,
    unset: unset.map((path) => path.join('.')),
    ambiguous,
  };
}

/** Returns the document with the sealed secrets at their paths, as `keepSecrets` requires. */
function withSecrets(value: unknown, secrets: Sealed, at: Path = []): unknown {
  const sealed = secretAt(at) === null ? undefined : secrets[JSON.stringify(at)];
  if (sealed !== undefined) return sealed;
  if (Array.isArray(value))
    return value.map((element, index) => withSecrets(element, secrets, [...at, index]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, withSecrets(field, secrets, [...at, name])]),
  );
}

function collect(value: unknown, at: Path, into: Record<string, string>): void {
  if (secretAt(at) !== null) {
    if (typeof value === 'string' && value !== '') into[JSON.stringify(at)] = value;
  } else if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) collect(element, [...at, index], into);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, field] of Object.entries(value)) collect(field, [...at, name], into);
  }
}

/** Returns the row that secrets of a host or credential are bound to; their names never change. */
export const hostRow = (kind: HostKind, name: string): RowOfSecrets => ['gateway_hosts', `${kind}/${name}`];
/** Returns the location to which the secrets of a credential are bound when they are encrypted. */
export const credentialRow = (name: string): RowOfSecrets => ['gateway_credentials', name];

/**
 * Returns the decrypted secret at a path, which was sealed as JSON; undefined if there is none.
 *
 * @param secrets sealed secrets, by their path as JSON
 * @param at path of the field in the document
 */
export function openedSecret(
  { open }: Pick<Vault, 'open'>,
  row: RowOfSecrets,
  secrets: Sealed,
  at: Path,
): unknown {
  const sealed = secrets[JSON.stringify(at)];
  if (isReference(sealed)) return sealed;
  return sealed === undefined ? undefined : JSON.parse(open(sealed, placeOf(row, at)));
}

/** Returns the same secrets, sealed with the current key and in the newest version. */
export const freshSecrets = (
  { renew }: Pick<Vault, 'renew'>,
  row: RowOfSecrets,
  secrets: Sealed,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(secrets).map(([place, sealed]) => [
      place,
      renew(sealed, placeOf(row, JSON.parse(place) as Path)),
    ]),
  );

/** Returns the paths of secrets that keep their stored value, in dotted notation. */
export const unchangedSecrets = (secrets: Sealed, stored: Sealed): string[] =>
  Object.entries(secrets)
    // A reference can be read: who sends it again means it.
    .filter(([place, sealed]) => stored[place] === sealed && !isReference(sealed))
    .map(([place]) => (JSON.parse(place) as string[]).join('.'));
