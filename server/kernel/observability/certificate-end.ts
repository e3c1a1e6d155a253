import { X509Certificate } from 'node:crypto';

/** How long before its end a certificate is reported, in milliseconds: two weeks to renew it. */
const AHEAD_MS = 14 * 86_400_000;

let end: number | undefined;

/**
 * Records the certificate that this process serves; health reports it when it ends soon.
 *
 * @param cert the certificate chain as PEM, that of the service first
 * @returns when it ends
 */
export function noteCertificate(cert: Buffer): Date {
  const date = new Date(new X509Certificate(cert).validTo);
  end = date.getTime();
  return date;
}

/** Returns when the certificate that this process serves ends, in milliseconds; undefined where it serves none. */
export const certificateEnd = (): number | undefined => end;

/** Returns whether the certificate that this process serves has ended or soon does; false where it serves none. */
export const isCertificateEnding = (now: Date): boolean =>
  end !== undefined && end - now.getTime() < AHEAD_MS;
