import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** An IPv4 address embedded in an IPv6 address. */
export type Embedded = {
  address: string;
  /** Name of the form; null for translators (NAT64), through which other hosts are also reached. */
  form: string | null;
};

/** Returns the eight groups of an IPv6 address. @param address an address valid for `isIP`, without a zone */
function groupsOf(address: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const [, front = '', a = 0, b = 0, c = 0, d = 0] = dotted ?? [];
  const pair = (high: string | number, low: string | number) =>
    (Number(high) * 256 + Number(low)).toString(16);
  const text = dotted ? `${front}${pair(a, b)}:${pair(c, d)}` : address;
  const [head = '', tail] = text.split('::');
  const read = (part: string) =>
    part
      .split(':')
      .filter((group) => group !== '')
      .map((group) => Number.parseInt(group, 16));
  const first = read(head);
  const last = read(tail ?? '');
  return [...first, ...Array<number>(Math.max(0, 8 - first.length - last.length)).fill(0), ...last];
}

const dottedOf = (high: number, low: number): string =>
  [high >> 8, high & 255, low >> 8, low & 255].join('.');

/** Returns the IPv4 addresses embedded in an IPv6 address by any of the forms for translators and tunnels. */
export function embeddedIn(address: string): Embedded[] {
  const groups = groupsOf(address);
  const [g0 = 0, g1 = 0, g2 = 0, g3 = 0, g4 = 0, g5 = 0, g6 = 0, g7 = 0] = groups;
  const last = dottedOf(g6, g7);
  const starts = (...wanted: number[]) => wanted.every((group, at) => groups[at] === group);
  const found: Embedded[] = [];
  if (starts(0, 0, 0, 0, 0, 0) && (g6 > 0 || g7 > 1)) found.push({ address: last, form: 'IPv4-compatible' });
  if (starts(0, 0, 0, 0, 0, 0xffff)) found.push({ address: last, form: 'IPv4-mapped' });
  if (starts(0, 0, 0, 0, 0xffff, 0)) found.push({ address: last, form: 'IPv4-translated' });
  if (starts(0x64, 0xff9b, 0, 0, 0, 0)) found.push({ address: last, form: null });
  if (starts(0x64, 0xff9b, 1)) {
    // RFC 6052 with a prefix of 48, 64 and 96 bits: which one is used is up to the network.
    const middle = dottedOf(g3, ((g4 & 255) << 8) | (g5 >> 8));
    const after = dottedOf(((g4 & 255) << 8) | (g5 >> 8), ((g5 & 255) << 8) | (g6 >> 8));
    found.push(...[last, middle, after].map((one) => ({ address: one, form: null })));
  }
  if (g0 === 0x2002) found.push({ address: dottedOf(g1, g2), form: '6to4' });
  if (starts(0x2001, 0)) {
    found.push({ address: dottedOf(g2, g3), form: 'Teredo' });
    found.push({ address: dottedOf(g6 ^ 0xffff, g7 ^ 0xffff), form: 'Teredo' });
  }
  if ((g4 & 0xfdff) === 0 && g5 === 0x5efe) found.push({ address: last, form: 'ISATAP' });
  return found;
}

/** Returns the last 32 bits of an IPv6 address as IPv4: where a network-specific NAT64 prefix puts the address. */
export const tailOf = (address: string): string => {
  const [high = 0, low = 0] = groupsOf(address).slice(6);
  return dottedOf(high, low);
};

/** Time for which the addresses of this machine are remembered, in milliseconds. */
const CACHED_MS = 5000;
let own = { until: 0, addresses: new Set<string>() };

/** Returns whether an address belongs to an interface of this machine. */
export function isOwnAddress(address: string): boolean {
  if (own.until < performance.now()) {
    const all = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
    own = {
      until: performance.now() + CACHED_MS,
      addresses: new Set(all.map((one) => canonical(one.address.replace(/%.*/, '')))),
    };
  }
  return own.addresses.has(canonical(address));
}

const canonical = (address: string) => (isIP(address) === 6 ? groupsOf(address).join(':') : address);
