import { isObject } from '#server/kernel/json/objects.ts';
import { canonicalHost } from '#server/kernel/targets/listed-targets.ts';

/** Names of the fields that hold a host or a URL in connections of packages. */
const HOST = /(?:^|_)(?:host|hostname|server|fqdn|address)$/i;
const URL_FIELD = /(?:url|uri|endpoint)$/i;

/** Depth to which a connection is searched, and most hosts of one. */
const DEEPEST = 8;
const MOST = 100;

/**
 * Returns the hosts that an instance may connect to: those that its connection names (its own, those of its proxy, its
 * single sign-on and its caches), and those of `allowHosts`, which may be `*.example.net` or a network.
 *
 * @param properties connection of the adapter, as its package defines it
 */
export function allowedHosts(properties: Readonly<Record<string, unknown>>): string[] {
  const found = new Set<string>();
  const walk = (value: unknown, depth: number) => {
    if (depth > DEEPEST || found.size >= MOST) return;
    if (Array.isArray(value)) for (const one of value) walk(one, depth + 1);
    if (!isObject(value)) return;
    for (const [name, field] of Object.entries(value)) {
      if (typeof field === 'string') {
        const host = hostOf(name, field);
        if (host) found.add(host);
      } else walk(field, depth + 1);
    }
  };
  const { allowHosts, ...connection } = properties;
  walk(connection, 0);
  const further = Array.isArray(allowHosts) ? allowHosts : [];
  for (const host of further) if (typeof host === 'string' && host !== '') found.add(host.toLowerCase());
  return [...found].slice(0, MOST);
}

/** Returns the host that a field names, or null. Some packages want the host of a URL, some a URL in place of a host. */
function hostOf(name: string, value: string): string | null {
  if (value === '' || !(HOST.test(name) || URL_FIELD.test(name))) return null;
  if (value.includes('://')) return URL.canParse(value) ? canonicalHost(hostnameOf(value)) : null;
  return HOST.test(name) ? canonicalHost(value.replace(/:\d+$/, '')) : null;
}

const hostnameOf = (url: string) => new URL(url).hostname.replace(/^\[|\]$/g, '');
