import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

/**
 * Returns the options of a TLS connection whose certificate must be for this name, whatever host is dialled. An address is
 * looked for in the certificate but not sent as a name: RFC 6066 forbids that, and Node 26 rejects it.
 *
 * @param name a host name, or an IP address
 */
export const tlsNameOptions = (name: string) =>
  isIP(name) === 0
    ? { servername: name }
    : {
        servername: '',
        checkServerIdentity: (_: string, certificate: PeerCertificate) =>
          checkServerIdentity(name, certificate),
      };
