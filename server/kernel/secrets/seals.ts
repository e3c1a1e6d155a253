import { mapSecrets, type Path } from './redact.ts';
import { isSet } from './secret-names.ts';
import { isSealed, type SealContext, type Vault } from './vault.ts';

/** The row whose secrets are meant: its table and what it is known by for as long as it lives. */
export type RowOfSecrets = readonly [table: string, row: string];

/** The place that a secret of a document belongs to. Elements of a list move, so theirs belong to the list as a whole. */
export const placeOf = ([table, row]: RowOfSecrets, at: Path): SealContext => [
  table,
  row,
  ...at.map((segment) => (typeof segment === 'number' ? '*' : segment)),
];

/** Seals secrets of one row, each for its place: what `keepSecrets` is given. */
export const sealingFor =
  ({ seal }: Pick<Vault, 'seal'>, row: RowOfSecrets) =>
  (plain: string, at: Path): string =>
    seal(plain, placeOf(row, at));

/**
 * A document whose secrets are all sealed, by the newest version and under the present key: called when it is written, for
 * what an earlier version stored.
 */
export const withFreshSeals = <Document>(
  { seal, renew }: Pick<Vault, 'seal' | 'renew'>,
  row: RowOfSecrets,
  document: Document,
): Document =>
  // Secrets become other texts, and nothing else changes.
  mapSecrets(document, (secret, at) => {
    if (typeof secret === 'string' && isSealed(secret)) return renew(secret, placeOf(row, at));
    return isSet(secret) ? seal(JSON.stringify(secret), placeOf(row, at)) : secret;
  }) as Document;

/** A document with its secrets open; what was sealed is JSON. */
export const openedDocument = <Document>(
  { open }: Pick<Vault, 'open'>,
  row: RowOfSecrets,
  document: Document,
): Document =>
  mapSecrets(document, (secret, at) =>
    typeof secret === 'string' && isSealed(secret) ? JSON.parse(open(secret, placeOf(row, at))) : secret,
  ) as Document;
