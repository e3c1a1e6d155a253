import { BlockList, isIP } from 'node:net';

export { isIPv6 } from 'node:net';

/**
 * Returns whether a text is an address or a network: `192.0.2.1`, `2001:db8::/32`.
 *
 * @param text one entry of TRUSTED_PROXIES
 */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Returns the networks as a list that addresses are checked against. @param networks texts that `isNetwork` accepts */
export function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}

/** Returns the family of an address, as `BlockList` names it. */
export const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6');
