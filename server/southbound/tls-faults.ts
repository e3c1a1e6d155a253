/** What is wrong, by the code and the text of the error; the first match applies. */
const FAULTS: readonly (readonly [RegExp, message: string])[] = [
  [/ALTNAME|altnames|HOSTNAME_MISMATCH|does not match certificate/i, 'the certificate is for another name'],
  [
    /has expired|CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|not yet valid/i,
    'the certificate is not valid at this time',
  ],
  [
    /self.signed|unable to (?:verify|get)|UNABLE_TO|SELF_SIGNED|certificate (?:verify failed|signature)/i,
    'the certificate is not signed by a trusted authority; `ca` names those that are trusted',
  ],
  [
    /alert (?:number 116|certificate required|bad certificate|unknown ca)|certificate.required/i,
    'the host rejects the client certificate, or requires one',
  ],
  [
    /handshake failure/i,
    'the host rejects the handshake: it has no version, cipher or group in common, or requires a client certificate',
  ],
  [/unsupported protocol|alert protocol version/i, 'the host offers no TLS 1.2 or newer'],
  [/wrong version number|packet length too long|EPROTO/i, 'the host does not speak TLS'],
];

/**
 * Returns what is wrong when a TLS handshake fails. The original text is not part of it, because it may contain secrets.
 *
 * @param error code and text of the error
 * @returns a sentence that follows the name of the host; undefined for an error that is not known
 */
export const tlsFault = (error: string): string | undefined =>
  FAULTS.find(([pattern]) => pattern.test(error))?.[1];
