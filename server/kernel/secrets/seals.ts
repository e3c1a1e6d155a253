import { mapSecrets, type Path } from './redact.ts';
import { isReference } from './references.ts';
import { isSet } from './secret-names.ts';
import { isSealed, type SealLocation, type Vault } from './vault.ts';

/** The row that holds secrets: its table, and its permanent id. */
export type RowOfSecrets = readonly [table: string, row: string];

/**
 * Returns the place that a secret is sealed for. Elements of a list move, so their secrets belong to the list as a whole.
 */
export const placeOf = ([table, row]: RowOfSecrets, at: Path): SealLocation => [
  table,
  row,
  ...at.map((segment) => (typeof segment === 'number' ? '*' : segment)),
];

/** Returns the `seal` function of `keepSecrets` for one row. */
export const sealingFor =
  ({ seal }: Pick<Vault, 'seal'>, row: RowOfSecrets) =>
  (plain: string, at: Path): string =>
    seal(plain, placeOf(row, at));

/**
 * Returns a document with all secrets sealed by the newest version and under the current key; called at each write, for
 * secrets stored by an earlier version.
 */
export const withFreshSeals = <Document>(
  { seal, renew }: Pick<Vault, 'seal' | 'renew'>,
  row: RowOfSecrets,
  document: Document,
): Document =>
  // Only secrets are replaced, by other texts.
  mapSecrets(document, (secret, at) => {
    if (typeof secret === 'string' && isSealed(secret)) return renew(secret, placeOf(row, at));
    return isSet(secret) && !isReference(secret) ? seal(JSON.stringify(secret), placeOf(row, at)) : secret;
  }) as Document;

/** Returns a document whose sealed secrets are all sealed under the current key; what is not sealed stays as it is. */
export const withRenewedSeals = <Document>(
  { renew }: Pick<Vault, 'renew'>,
  row: RowOfSecrets,
  document: Document,
): Document =>
  mapSecrets(document, (secret, at) =>
    typeof secret === 'string' && isSealed(secret) ? renew(secret, placeOf(row, at)) : secret,
  ) as Document;

/** Returns a document with its secrets opened; each sealed text is JSON. */
export const openedDocument = <Document>(
  { open }: Pick<Vault, 'open'>,
  row: RowOfSecrets,
  document: Document,
): Document =>
  mapSecrets(document, (secret, at) =>
    typeof secret === 'string' && isSealed(secret) ? JSON.parse(open(secret, placeOf(row, at))) : secret,
  ) as Document;
