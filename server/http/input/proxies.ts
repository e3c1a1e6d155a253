import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { blockListOf, familyOf } from '#server/kernel/targets/networks.ts';

/** Facts about the client from the headers of trusted proxies. */
export type ForwardedRequest = {
  /** The network address of the client; undefined when no trusted proxy names one. */
  address?: string;
  /** Whether the client's connection is encrypted; undefined when no trusted proxy says so. */
  secure?: boolean;
  /** The host that the client addressed; undefined when no trusted proxy names one. */
  host?: string;
};

/** Returns what the proxies in front report about a request, given the network address of its connection. */
export type ReadForwarded = (headers: IncomingHttpHeaders, peer: string | undefined) => ForwardedRequest;

/**
 * Returns a function that reads `X-Forwarded-For`, `X-Forwarded-Proto` and `X-Forwarded-Host`. The headers count only when
 * the connection comes from a trusted proxy (decision 0120).
 *
 * @param trusted addresses and networks (`10.0.0.0/8`) of the proxies
 * @param trustsEveryPeer whether every connection comes from one proxy (TRUST_PROXY): only the last entries count then
 */
export function openForwarded(trusted: readonly string[], trustsEveryPeer = false): ReadForwarded {
  const listed = blockListOf(trusted);
  const isListed = (address: string) => isIP(address) > 0 && listed.check(address, familyOf(address));
  return (headers, peer) => {
    if (!trustsEveryPeer && (trusted.length === 0 || !isListed(plainAddress(peer ?? '')))) return {};
    const hops = entriesOf(headers['x-forwarded-for']).map(withoutPort);
    // Each proxy appends the address of its peer: the first one from the end that is not a trusted proxy is the client.
    const at = hops.findLastIndex((hop) => !isListed(hop));
    const address = hops[at === -1 ? 0 : at];
    const host = entriesOf(headers['x-forwarded-host']).at(-1);
    const proto = entriesOf(headers['x-forwarded-proto']).at(-1);
    return {
      ...(address && { address }),
      ...(proto && { secure: proto.toLowerCase() === 'https' }),
      ...(host && { host }),
    };
  };
}

/** Returns an address without the form in which IPv6 sockets report IPv4 addresses. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** Some proxies append the port, which differs per connection: `[2001:db8::1]:443`, `192.0.2.1:443`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/;
const withoutPort = (hop: string) => plainAddress(hop.replace(WITH_PORT, '$1$2'));

const entriesOf = (header: string | string[] | undefined): string[] =>
  String(header ?? '')
    .split(',')
    .map((entry) => entry.trim());
