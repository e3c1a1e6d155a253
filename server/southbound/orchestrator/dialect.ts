import { invalid } from '#server/kernel/errors.ts';

/** The interface of an orchestrator: RESTCONF, or the older one below `/api`. */
export type Dialect = 'restconf' | 'legacy';

const OLD = /^application\/vnd\.yang\.(?:api|datastore|data|operation|collection)\+(json|xml)$/;
const KEPT = 'application/vnd.yang.collection+xml';

/** Returns the RESTCONF name of a media type. XML collections keep the old name, which RESTCONF still uses for them. */
export function mediaType(type: string): string {
  const format = type === KEPT ? undefined : OLD.exec(type)?.[1];
  return format ? `application/yang-data+${format}` : type;
}

/** Lists whose old paths can be translated by name alone: the segment that follows is a key. */
const LISTS: Readonly<Record<string, string>> = {
  'devices/device': 'tailf-ncs:devices/device',
  'devices/device-group': 'tailf-ncs:devices/device-group',
  'devices/authgroups/group': 'tailf-ncs:devices/authgroups/group',
  'packages/package': 'tailf-ncs:packages/package',
};

const CONTAINERS: Readonly<Record<string, string>> = {
  '': '',
  devices: 'tailf-ncs:devices',
  packages: 'tailf-ncs:packages',
  services: 'tailf-ncs:services',
};

/**
 * Translates a path of the older interface to RESTCONF. Only the schema knows which segments are keys, so a path that
 * needs the schema is rejected with a hint.
 *
 * @param path begins with `/api`
 * @returns a path that begins with `/restconf/data`
 * @throws ServiceError BAD_REQUEST when the path cannot be translated, or has `select=`
 */
export function restconfPath(path: string): string {
  const [place = '', query = ''] = path.split('?', 2);
  const rest =
    /^\/api\/(?:running|config|operational)(?:\/(.*))?$/.exec(place.replace(/\/$/, ''))?.[1] ?? null;
  const known = rest ?? (/^\/api\/(running|config|operational)\/?$/.test(place) ? '' : null);
  const found = known === null ? null : translated(known);
  if (found === null) {
    throw invalid(
      ['params', 'path'],
      'is a path of the older interface, and the keys among its segments are ambiguous: write it as /restconf/data/list=key',
    );
  }
  const kept = query.split('&').filter((part) => part !== '' && part !== 'deep');
  if (kept.some((part) => part.startsWith('select='))) {
    throw invalid(['params', 'path'], 'uses select=, which is fields= in RESTCONF');
  }
  return `/restconf/data${found === '' ? '' : `/${found}`}${kept.length > 0 ? `?${kept.join('&')}` : ''}`;
}

function translated(place: string): string | null {
  const container = CONTAINERS[place];
  if (container !== undefined) return container;
  const segments = place.split('/');
  for (const [old, path] of Object.entries(LISTS)) {
    const depth = old.split('/').length;
    if (segments.slice(0, depth).join('/') !== old) continue;
    const [key, ...below] = segments.slice(depth);
    if (key === undefined) return path;
    // Below a key there may be further lists; a single segment is a field or an action.
    const action = below[0] === '_operations' ? below.slice(1) : below;
    return action.length > 1 ? null : [`${path}=${key}`, ...action].join('/');
  }
  return null;
}
