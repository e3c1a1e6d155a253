/**
 * Returns the source that an address counts for: an IPv4 address itself, the /64 network of an IPv6 address, because a host
 * can use every address of its network.
 */
export function sourceOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').split('::');
  const first = groupsOf(head);
  const last = groupsOf(tail ?? '');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array.from({ length: zeros }, () => '0'), ...last];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

const groupsOf = (text: string) =>
  text
    .split(':')
    .filter(Boolean)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''));
