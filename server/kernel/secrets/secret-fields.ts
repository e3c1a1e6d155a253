import type { Issue } from '../errors.ts';
import { issue } from '../validation/document-issues.ts';
import { MASK } from './redact.ts';
import { isReference } from './references.ts';
import { placeOf } from './seals.ts';
import { isSet } from './secret-names.ts';
import type { Vault } from './vault.ts';

/** The fields of a kind of document that hold secrets, where their sealed texts are stored beside the document. */
export type SecretFields<Field extends string> = {
  /** The table whose rows the texts are sealed for. */
  table: string;
  fields: readonly Field[];
  /** Where a request holds the fields: `["remote","credential"]`. */
  path: readonly string[];
};

/** Values of secret fields: secrets, references to them, or masks. */
type Values<Field extends string> = { readonly [name in Field]?: string | null | undefined };

/** Sealed texts by field. */
type Sealed = Readonly<Record<string, string>>;

/** The text that is shown in place of a secret. */
export const SHOWN = MASK.password;

/**
 * Separates the secrets from the fields of a document: new ones are sealed, a mask keeps the stored one. A reference is no
 * secret: it is stored and shown as it is (decision 0121).
 *
 * @param id of the row that the texts are sealed for
 * @param given the fields as they would be stored
 * @param stored the sealed texts of the row so far
 * @returns the fields that are set, as they are shown, and the sealed texts
 */
export function sealedFields<Field extends string>(
  { table, fields }: SecretFields<Field>,
  vault: Pick<Vault, 'seal'>,
  id: string,
  given: Values<Field>,
  stored: Sealed = {},
): { shown: { [name in Field]?: string }; secrets: Record<string, string> } {
  const shown: { [name in Field]?: string } = {};
  const secrets: Record<string, string> = {};
  for (const field of fields) {
    const value = given[field];
    if (!isSet(value)) continue;
    if (isReference(value)) shown[field] = value;
    else {
      const sealed =
        value === SHOWN ? stored[field] : vault.seal(String(value), placeOf([table, id], [field]));
      if (sealed === undefined) continue;
      secrets[field] = sealed;
      shown[field] = SHOWN;
    }
  }
  return { shown, secrets };
}

/**
 * Returns the secrets that are sealed for a row, by field.
 *
 * @param id the row that they were sealed for
 * @param sealed its sealed texts by field
 * @returns the fields that hold a secret; they must not be stored or answered
 */
export function openedFields<Field extends string>(
  { table, fields }: SecretFields<Field>,
  vault: Pick<Vault, 'open'>,
  id: string,
  sealed: Sealed,
): { [name in Field]?: string } {
  const opened: { [name in Field]?: string } = {};
  for (const field of fields) {
    const text = sealed[field];
    if (text !== undefined) opened[field] = vault.open(text, placeOf([table, id], [field]));
  }
  return opened;
}

/** Returns an issue for each field of a new document that holds a mask: nothing is stored that it could stand for. */
export const maskedIssues = <Field extends string>(
  { fields, path }: SecretFields<Field>,
  given: Values<Field>,
): Issue[] =>
  fields
    .filter((field) => given[field] === SHOWN)
    .map((field) =>
      issue([...path, field], 'The value is masked and no secret is stored: send the secret itself'),
    );

/**
 * Returns an issue for each secret that was stored and that the caller did not send again. A secret never follows a document
 * to another system: who moves it must know the secret.
 *
 * @param before the fields as stored
 * @param after the fields with the updates
 * @param updates the fields that the caller sent
 * @param message why the secret is needed
 */
export const keptIssues = <Field extends string>(
  { fields, path }: SecretFields<Field>,
  { before, after, updates }: { before: Values<Field>; after: Values<Field>; updates: Values<Field> },
  message: string,
): Issue[] =>
  fields
    .filter((field) => {
      const isSent = updates[field] !== undefined && updates[field] !== SHOWN;
      return isSet(before[field]) && isSet(after[field]) && !isSent;
    })
    .map((field) => issue([...path, field], message, 'ambiguous'));
