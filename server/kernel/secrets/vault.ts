import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

/**
 * The place of a sealed text: its table, the id of its row, and its path or purpose there. A text sealed for one place
 * does not open at another.
 */
export type SealLocation = readonly [table: string, row: string, ...path: string[]];

/** Seals what must be stored but never shown; the key never reaches the database (contract/lifecycle#secrets). */
export type Vault = {
  /**
   * Encrypts with AES-256-GCM and a fresh nonce, bound to the place; the text names its version, so that a later cipher
   * can coexist.
   */
  seal: (plain: string, place: SealLocation) => string;
  /**
   * Opens a text sealed for this place, with this key or the previous one. A text of version 1 is bound to no place.
   *
   * @throws Error when it was sealed with another key or for another place, or was modified
   */
  open: (sealed: string, place: SealLocation) => string;
  /**
   * Reseals what an older version or the previous key sealed; returns any other text unchanged, including one that does
   * not open.
   */
  renew: (sealed: string, place: SealLocation) => string;
  /** Returns a separate 32-byte key for one purpose, derived from the master key. */
  derive: (purpose: string) => Buffer;
  /** Returns that key of the previous master key, while there is one. */
  derivePrevious: (purpose: string) => Buffer | null;
};

const UNBOUND = 'sealed:v1:';
const BOUND = 'sealed:v2:';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Returns whether a stored text is sealed. */
export const isSealed = (text: string) => text.startsWith(BOUND) || text.startsWith(UNBOUND);

/**
 * Opens a vault.
 *
 * @param key 32 bytes
 * @param previous the previous key, while secrets sealed with it are stored
 */
export function openVault(key: Buffer, previous?: Buffer): Vault {
  if (key.length !== 32 || (previous && previous.length !== 32))
    throw new Error('the secret key must have 32 bytes');
  const vault: Vault = {
    seal(plain, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      cipher.setAAD(boundTo(place));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return BOUND + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
    },
    open(sealed, place) {
      if (!isSealed(sealed)) throw new Error('the text is not encrypted');
      if (!previous || opensWith(key, sealed, place)) return opened(sealed, key, place);
      return opened(sealed, previous, place);
    },
    renew(sealed, place) {
      if (sealed.startsWith(BOUND) && (!previous || opensWith(key, sealed, place))) return sealed;
      const opens = opensWith(key, sealed, place) || (previous && opensWith(previous, sealed, place));
      return opens ? vault.seal(vault.open(sealed, place), place) : sealed;
    },
    derive: (purpose) => derived(key, purpose),
    derivePrevious: (purpose) => (previous ? derived(previous, purpose) : null),
  };
  return vault;
}

const derived = (key: Buffer, purpose: string) =>
  createHmac('sha256', key).update(`switchyard:${purpose}`).digest();

function opensWith(key: Buffer, sealed: string, place: SealLocation): boolean {
  try {
    opened(sealed, key, place);
    return true;
  } catch {
    return false;
  }
}

function opened(sealed: string, key: Buffer, place: SealLocation): string {
  const bytes = Buffer.from(sealed.slice(BOUND.length), 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  if (sealed.startsWith(BOUND)) decipher.setAAD(boundTo(place));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString(
    'utf8',
  );
}

/** Returns a place as JSON, so that no two places have the same bytes. */
const boundTo = (place: SealLocation): Buffer => Buffer.from(JSON.stringify(place), 'utf8');

/** Returns SHA-256 in hexadecimal: stored instead of a token, and the key of a configuration's text. */
export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
