import { X509Certificate } from 'node:crypto';

/**
 * Returns whether a text has certificates in the PEM format, each of them readable.
 *
 * @param text may have anything else between them
 */
export function isCertificates(text: string): boolean {
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    return found.map((one) => new X509Certificate(one)).length > 0;
  } catch {
    return false;
  }
}
