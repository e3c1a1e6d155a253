import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Addresses that tell a machine of the cloud its own secrets: no setting lets anybody there. */
const METADATA = listOf(
  ['169.254.169.254', 32],
  ['169.254.170.2', 32],
  ['169.254.170.23', 32],
  ['100.100.100.200', 32],
  ['192.0.0.192', 32],
  ['fd00:ec2::254', 128],
  ['fd00:ec2::23', 128],
  ['fd20:ce::254', 128],
  ['64:ff9b::a9fe:a9fe', 128],
);

/** Addresses that nothing outside can have. */
const NOWHERE = listOf(['0.0.0.0', 8], ['224.0.0.0', 4], ['255.255.255.255', 32], ['::', 128], ['ff00::', 8]);

/** This machine, and what hangs on the same wire: services that trust whoever reaches them. */
const NEAR = listOf(
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['::1', 128],
  ['fe80::', 10],
  // The same IPv4 addresses as translators (RFC 6052) and tunnels (RFC 3056) write them.
  ['::7f00:0', 104],
  ['::a9fe:0', 112],
  ['64:ff9b::7f00:0', 104],
  ['64:ff9b::a9fe:0', 112],
  ['2002:7f00::', 24],
  ['2002:a9fe::', 32],
);

function listOf(...ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, familyOf(network));
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** Why nothing may be sent to an address; null when it may. */
function addressFault(address: string, allowNear: boolean): string | null {
  const family = familyOf(address);
  if (METADATA.check(address, family)) return 'is an address of a metadata service';
  if (NOWHERE.check(address, family)) return 'is an address that nothing outside can have';
  if (!allowNear && NEAR.check(address, family)) {
    return 'is a loopback or link-local address; ALLOW_PRIVATE_TARGETS=1 would allow it';
  }
  return null;
}

/** A name that ends so is read as an address by some resolvers: 2130706433, 127.1, 0x7f.1. */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$/i;
const THIS_MACHINE = /(?:^|\.)localhost\.?$/i;

/**
 * Why nobody may be sent to this host, as far as its text tells; null when they may (lifecycle §9). What a name
 * resolves to is held against the same lists when the connection is made: `checkedLookup`.
 *
 * @param allowNear ALLOW_PRIVATE_TARGETS: loopback and link-local addresses are allowed
 */
export function hostFault(host: string, allowNear: boolean): string | null {
  if (isIP(host) !== 0) return addressFault(host, allowNear);
  if (ENDS_IN_NUMBER.test(host)) return 'is neither an IP address nor a name that DNS can know';
  if (!allowNear && THIS_MACHINE.test(host)) return addressFault('127.0.0.1', allowNear);
  return null;
}

/** A name resolved to an address that nothing may be sent to. */
export class TargetDenied extends Error {}

/**
 * Resolves names for a connection, and lets through only addresses that may be reached: the socket goes to the very
 * address that was checked, so a name that changes its mind in between leads nowhere.
 */
export const checkedLookup =
  (allowNear: boolean): LookupFunction =>
  (hostname, { family, hints, all }, done) => {
    const asked = { all: true as const, ...(family !== undefined && { family }), ...(hints && { hints }) };
    lookup(hostname, asked, (error, found: LookupAddress[]) => {
      if (error) return done(error, '', 0);
      const fault = found.map(({ address }) => addressFault(address, allowNear)).find((one) => one !== null);
      const [first] = found;
      if (fault || !first) return done(new TargetDenied(`${hostname} ${fault ?? 'has no address'}`), '', 0);
      // Node asks for all of them when it tries families in turn; its types know one address only.
      if (all) return (done as unknown as (error: null, found: LookupAddress[]) => void)(null, found);
      return done(null, first.address, first.family);
    });
  };
