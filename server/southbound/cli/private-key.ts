import { createPrivateKey, type KeyObject } from 'node:crypto';
import ssh2, { type ParsedKey } from 'ssh2';

/**
 * Reads a private key: as OpenSSH or PuTTY write it, PKCS#1, SEC 1, or PKCS#8, encrypted or not.
 *
 * @param text the key as PEM or PPK text
 * @param passphrase of an encrypted key; absent: it has none
 * @returns null: it is no private key, or the passphrase is wrong
 */
export function readPrivateKey(text: string, passphrase: string | undefined): ParsedKey | null {
  return parse(text, passphrase) ?? readPkcs8(text, passphrase);
}

function parse(text: string, passphrase?: string): ParsedKey | null {
  const parsed = ssh2.utils.parseKey(text, passphrase);
  const [first] = Array.isArray(parsed) ? parsed : [parsed];
  return first instanceof Error || !first?.isPrivateKey() ? null : first;
}

/** The library reads every form but PKCS#8, in which OpenSSL and stores of secrets write keys. */
function readPkcs8(text: string, passphrase: string | undefined): ParsedKey | null {
  if (!/-----BEGIN (?:ENCRYPTED )?PRIVATE KEY-----/.test(text)) return null;
  try {
    const key = createPrivateKey({
      key: text,
      format: 'pem',
      ...(passphrase !== undefined && { passphrase }),
    });
    return parse(pemOf(key));
  } catch {
    return null;
  }
}

function pemOf(key: KeyObject): string {
  if (key.asymmetricKeyType === 'ed25519') return opensshOf(key);
  const type = key.asymmetricKeyType === 'ec' ? 'sec1' : 'pkcs1';
  return String(key.export({ type, format: 'pem' }));
}

/** Writes an Ed25519 key as OpenSSH does (PROTOCOL.key of OpenSSH), the only form of it that the library reads. */
function opensshOf(key: KeyObject): string {
  const { x = '', d = '' } = key.export({ format: 'jwk' });
  const publicPart = Buffer.from(x, 'base64url');
  const secretPart = Buffer.concat([Buffer.from(d, 'base64url'), publicPart]);
  const publicKey = Buffer.concat([field('ssh-ed25519'), field(publicPart)]);
  const comment = field('');
  const check = Buffer.alloc(8);
  const secret = Buffer.concat([check, publicKey, field(secretPart), comment]);
  const padding = Buffer.from(Array.from({ length: -secret.length & 7 }, (_, index) => index + 1));
  const count = Buffer.from([0, 0, 0, 1]);
  const body = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    field('none'),
    field('none'),
    field(''),
    count,
    field(publicKey),
    field(Buffer.concat([secret, padding])),
  ]);
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${body.toString('base64').replace(/.{70}/g, '$&\n')}\n-----END OPENSSH PRIVATE KEY-----\n`;
}

/** Returns a value behind its length, as SSH writes it (RFC 4251, 5). */
function field(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
