import { BlockList, isIP } from 'node:net';
import { embeddedIn, isOwnAddress, tailOf } from './addresses.ts';

/** Addresses of cloud metadata services, which return a machine's own secrets: no setting allows them. */
const METADATA = listOf(
  ['169.254.169.254', 32],
  ['169.254.170.2', 32],
  ['169.254.170.23', 32],
  ['100.100.100.200', 32],
  ['192.0.0.192', 32],
  ['168.63.129.16', 32],
  ['fd00:ec2::254', 128],
  ['fd00:ec2::23', 128],
  ['fd20:ce::254', 128],
  ['fd00:c1::a9fe:a9fe', 128],
  ['fd00:42::42', 128],
  ['fe80::a9fe:a9fe', 128],
);

/** Addresses that no remote host can have. */
const UNROUTABLE = listOf(
  ['0.0.0.0', 8],
  ['224.0.0.0', 4],
  ['255.255.255.255', 32],
  ['::', 128],
  ['ff00::', 8],
);

/** Addresses of this machine and of its own link: services there often trust every client. */
const NEAR = listOf(['127.0.0.0', 8], ['169.254.0.0', 16], ['::1', 128], ['fe80::', 10]);

function listOf(...ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, familyOf(network));
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/**
 * Returns why an address is not allowed as a target; null when it is. The IPv4 address embedded in an IPv6 address is
 * checked as well.
 *
 * @param address IPv4 or IPv6 address
 * @param allowPrivateTargets whether loopback and link-local addresses are allowed
 */
export function addressFault(address: string, allowPrivateTargets: boolean): string | null {
  const family = familyOf(address);
  if (METADATA.check(address, family)) return IS_METADATA;
  if (UNROUTABLE.check(address, family)) return 'is an address that cannot belong to another host';
  if (!allowPrivateTargets && (NEAR.check(address, family) || isOwnAddress(address))) return IS_NEAR;
  return family === 'ipv6' ? embeddedFault(address, allowPrivateTargets) : null;
}

const IS_METADATA = 'is an address of a metadata service';
const IS_NEAR =
  'is a loopback or link-local address, or an address of this machine; set ALLOW_PRIVATE_TARGETS=1 to allow it';

function embeddedFault(address: string, allowPrivateTargets: boolean): string | null {
  // A network-specific NAT64 prefix is unknown to us; these addresses do not occur by chance.
  const tail = tailOf(address);
  if (METADATA.check(tail, 'ipv4')) return IS_METADATA;
  if (!allowPrivateTargets && (tail === '127.0.0.1' || isOwnAddress(tail))) return IS_NEAR;
  for (const { address: inner, form } of embeddedIn(address)) {
    const fault = addressFault(inner, allowPrivateTargets);
    if (fault !== null) return fault;
    if (form !== null && !allowPrivateTargets)
      return `is an IPv4 address in its ${form} form: use ${inner} itself, or set ALLOW_PRIVATE_TARGETS=1`;
  }
  return null;
}

/** Matches a label of a name; it is unambiguous for each character, so no text makes it slow. */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i;
/** Some resolvers read a name whose last label is a number as an address. */
const ENDS_IN_NUMBER = /^(?:\d+|0x[0-9a-f]*)$/i;

function isDnsName(name: string): boolean {
  const labels = name.replace(/\.$/, '').split('.');
  return (
    name.length <= 253 &&
    labels.every((label) => LABEL.test(label)) &&
    !ENDS_IN_NUMBER.test(labels.at(-1) ?? '')
  );
}

/** Says why a text is no host, for the two forms in which people copy addresses of IPv6 from elsewhere. */
function notAHost(text: string): string {
  if (isIP(text.replace(/^\[(.*)\]$/, '$1')) === 6 && text.startsWith('['))
    return 'is an IPv6 address in brackets: write it without them';
  if (isIP(text) === 6)
    return 'is an IPv6 address with a zone (%), which only this machine knows: use a global or a unique local one';
  return 'is neither an IP address nor a valid DNS name';
}

const THIS_MACHINE = /(?:^|\.)localhost\.?$/i;
const METADATA_NAME =
  /^(?:metadata|metadata\.goog|metadata\.google\.internal|instance-data(?:\.ec2\.internal)?)\.?$/i;

/**
 * Returns why a host is not allowed as a target, judged by its text; null when it is allowed. The addresses that a name
 * resolves to are checked against the same lists when the connection is made (contract/lifecycle#9, #12).
 *
 * @param host an address without brackets and zone, or a name
 * @param allowPrivateTargets whether loopback and link-local addresses may be reached
 */
export function hostFault(host: string, allowPrivateTargets: boolean): string | null {
  if (isIP(host) !== 0 && !host.includes('%')) return addressFault(host, allowPrivateTargets);
  if (!isDnsName(host)) return notAHost(host);
  if (METADATA_NAME.test(host)) return IS_METADATA;
  return !allowPrivateTargets && THIS_MACHINE.test(host)
    ? addressFault('127.0.0.1', allowPrivateTargets)
    : null;
}
