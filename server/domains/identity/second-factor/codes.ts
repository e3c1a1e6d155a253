import { Secret, TOTP } from 'otpauth';
import { sha256 } from '#server/kernel/secrets/vault.ts';

/** Seconds for which a one-time password is valid (RFC 6238). */
export const PERIOD_S = 30;
/** Steps before and after the current one that are accepted, for clocks that differ. */
export const WINDOW = 1;
/** Bytes of a secret, as RFC 4226 recommends. */
export const SECRET_BYTES = 20;
/** Number of recovery codes of an account. */
export const RECOVERY_CODES = 10;
/** Random bytes of each recovery code. */
export const RECOVERY_BYTES = 10;

const totpOf = (username: string, secret: Secret) =>
  new TOTP({ issuer: 'Switchyard', label: username, algorithm: 'SHA1', digits: 6, period: PERIOD_S, secret });

/**
 * Returns a secret in base32, and the URI that authenticators read from a QR code.
 *
 * @param bytes the secret, at least 16 bytes
 */
export function describeSecret(
  username: string,
  bytes: Uint8Array<ArrayBuffer>,
): { secret: string; uri: string } {
  const secret = new Secret({ buffer: bytes.buffer });
  return { secret: secret.base32, uri: totpOf(username, secret).toString() };
}

/**
 * Returns the time step to which a one-time password belongs (RFC 6238); null when it is wrong.
 *
 * @param base32 the secret
 * @param code six digits, with spaces or without
 */
export function stepOf(base32: string, code: string, now: Date): number | null {
  const token = code.replace(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return null;
  const timestamp = now.getTime();
  const delta = totpOf('', Secret.fromBase32(base32)).validate({ token, timestamp, window: WINDOW });
  return delta === null ? null : Math.floor(timestamp / 1000 / PERIOD_S) + delta;
}

/**
 * Returns a recovery code as it is shown: groups of four characters in base32.
 *
 * @param bytes ten random bytes
 */
export const recoveryCodeOf = (bytes: Uint8Array<ArrayBuffer>): string =>
  (new Secret({ buffer: bytes.buffer }).base32.match(/.{4}/g) ?? []).join('-').toLowerCase();

/**
 * Returns what is stored of a recovery code, bound to its account.
 *
 * @param code as a user types it: case, spaces and hyphens do not count
 * @returns a SHA-256 in hexadecimal digits
 */
export const hashRecoveryCode = (accountId: string, code: string): string =>
  sha256(`recovery code ${accountId} ${code.toLowerCase().replace(/[^a-z2-7]/g, '')}`);
