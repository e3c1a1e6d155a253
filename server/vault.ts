import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

/** Seals what must be stored but never shown; the key never touches the database (lifecycle §0.7, Secrets). */
export type Vault = {
  /** AES-256-GCM with a fresh nonce; the text tells its version, so that a later cipher can live beside it. */
  seal: (plain: string) => string;
  /** @throws Error when the text was not sealed with this key, or was changed since */
  open: (sealed: string) => string;
  /** A key of its own for one purpose, derived from the master key: 32 bytes. */
  derive: (purpose: string) => Buffer;
};

const MARK = 'sealed:v1:';

/** Whether a stored text is sealed. */
export const isSealed = (text: string) => text.startsWith(MARK);

/** @param key 32 bytes */
export function openVault(key: Buffer): Vault {
  if (key.length !== 32) throw new Error('the secret key must have 32 bytes');
  return {
    seal(plain) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return MARK + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
    },
    open(sealed) {
      if (!isSealed(sealed)) throw new Error('the text is not sealed');
      const bytes = Buffer.from(sealed.slice(MARK.length), 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    },
    derive: (purpose) => createHmac('sha256', key).update(`switchyard:${purpose}`).digest(),
  };
}

/** SHA-256 in hexadecimal: what is stored of a token, and what a configuration's text is kept under. */
export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
