import { BlockList, isIP } from 'node:net';
import type { OutgoingTarget } from '#db/schemas/network/outgoing-targets.ts';

const SCHEMES = ['https', 'http'] as const;
type Scheme = (typeof SCHEMES)[number];

/** The destination of a request: a name or an address as URLs write it, without brackets and final dot. */
export type Destination = { scheme: Scheme; host: string; port: number };

const CIDR = /^([0-9a-f.:]+)\/(\d{1,3})$/i;

/** Returns why a text cannot be the host of an outgoing target, or null when it can. */
export function listedHostFault(host: string): string | null {
  const network = CIDR.exec(host);
  if (network) {
    const [, address = '', bits = ''] = network;
    const family = isIP(address);
    if (family === 0) return 'must be a network such as 192.0.2.0/24';
    return Number(bits) <= (family === 4 ? 32 : 128)
      ? null
      : `must have a prefix of at most ${family === 4 ? 32 : 128} bits`;
  }
  if (host.startsWith('*.')) {
    if (host.slice(2).includes('*')) return 'must have * only at its beginning';
    return canonicalHost(host.slice(2))?.includes('.') && isIP(host.slice(2)) === 0
      ? null
      : 'must have a domain of at least two labels after *.';
  }
  return canonicalHost(host) === null || host.includes('*')
    ? 'must be a name, an address, *. and a domain, or a network such as 192.0.2.0/24'
    : null;
}

/** Returns a host as URLs write it: lower case, punycode, without brackets and final dot; null when it is invalid. */
export function canonicalHost(host: string): string | null {
  const written = isIP(host) === 6 ? `[${host}]` : host;
  if (/[\s/@?#\\%]|:\d*$/.test(written)) return null;
  const url = `http://${written}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '') : null;
}

/**
 * Returns whether one of the targets that admit a destination's scheme and port names its host. When none does,
 * `admits` decides by the addresses that the name resolves to.
 */
export function matchTargets(targets: readonly OutgoingTarget[], { scheme, host, port }: Destination) {
  const admitted = targets.filter(
    ({ ports, schemes }) =>
      (!ports?.length || ports.includes(port)) && (!schemes?.length || schemes.includes(scheme)),
  );
  const networks = new BlockList();
  for (const target of admitted) {
    const [, address = '', bits = ''] = CIDR.exec(target.host) ?? [];
    if (address) networks.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  const admits = (address: string) => networks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  const isNamed = admitted.some(({ host: listed }) =>
    listed.startsWith('*.')
      ? isIP(host) === 0 && host.endsWith(`.${canonicalHost(listed.slice(2))}`)
      : !CIDR.test(listed) && canonicalHost(listed) === host,
  );
  return {
    isNamed: isNamed || (isIP(host) !== 0 && admits(host)),
    hasNetworks: admitted.some((one) => CIDR.test(one.host)),
    admits,
  };
}
