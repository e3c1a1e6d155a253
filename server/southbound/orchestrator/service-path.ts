import { invalid } from '#server/kernel/errors.ts';
import type { JsonObject } from '#server/kernel/json/objects.ts';
import { percentDecoded } from '#server/kernel/text/percent-decoded.ts';

/** The location of service data, with the data wrapped in the name of its list. */
export type ServicePlace = {
  /** Segments of the parent; empty: the top level. */
  parent: Segment[];
  /** The list that holds the service. */
  last: Segment;
  /** `{"vpn:vpn":[instance]}` */
  data: JsonObject;
};
export type Segment = { name: string; keys: string[] };

const NAME = /^(?:[A-Za-z_][\w.-]*:)?[A-Za-z_][\w.-]*$/;

/**
 * Parses the path of a service: RESTCONF (`/restconf/data/vpn:vpn=blue`, with or without its root) or a keypath
 * (`/vpn:vpn{blue}`). Wraps the data, which may be the bare instance or already be within its list's name
 * (contract/endpoints#4.18).
 *
 * @param path as the caller wrote it
 * @param data the instance
 * @param at path of the service path in the request
 * @throws ServiceError BAD_REQUEST naming the field
 */
export function servicePlace(path: string, data: JsonObject, at: string[] = ['servicePath']): ServicePlace {
  const place = path.replace(/^\/?restconf\/data(?=\/)/, '').replace(/^\/|\/$/g, '');
  const segments = splitPath(place).map(segmentOf);
  const last = segments.at(-1);
  if (!last || segments.some((one) => one === null)) throw badPath(at);
  const known = segments as Segment[];
  const local = (last as Segment).name.split(':').at(-1) ?? '';
  const module = [...known]
    .reverse()
    .find(({ name }) => name.includes(':'))
    ?.name.split(':')[0];
  const names = Object.keys(data);
  const [only] = names;
  const wrapped =
    names.length === 1 && only !== undefined && only.split(':').at(-1) === local && isTree(data[only]);
  const name = wrapped && only.includes(':') ? only : module ? `${module}:${local}` : local;
  const value = wrapped ? data[only] : data;
  return {
    parent: known.slice(0, -1),
    last: last as Segment,
    data: { [name]: Array.isArray(value) ? value : [value] },
  };
}

const isTree = (value: unknown) => typeof value === 'object' && value !== null;

const badPath = (at: string[]) =>
  invalid(
    at,
    'must be the path of a service, such as /vpn:vpn, /restconf/data/vpn:vpn=blue or /vpn:vpn{blue}',
  );

/** Splits a path at its slashes; slashes inside braces belong to a key. */
const splitPath = (path: string): string[] => path.match(/(?:[^/{}]|\{[^{}]*\})+/g) ?? [];

function segmentOf(text: string): Segment | null {
  const braced = /^([^{}=]+)\{([^{}]*)\}$/.exec(text);
  const [name = '', key] = braced ? [braced[1], braced[2]] : splitOnce(text);
  if (!NAME.test(name) || hasControls(key ?? '')) return null;
  if (key === undefined) return { name, keys: [] };
  if (braced) return { name, keys: wordsOf(key) };
  const keys = key.split(',').map((one) => percentDecoded(one, null));
  return keys.every((one) => one !== null && !hasControls(one)) ? { name, keys: keys as string[] } : null;
}

const splitOnce = (text: string): [string, string | undefined] => {
  const at = text.indexOf('=');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
};

/** Returns the keys between braces: words or quoted texts. */
const wordsOf = (text: string): string[] =>
  (text.match(/"[^"]*"|[^\s"]+/g) ?? []).map((word) => word.replace(/^"|"$/g, ''));

const hasControls = (text: string) => [...text].some((sign) => sign < ' ' || sign === '\u007f');

/** Returns segments in RESTCONF notation, without the root; keypaths have the prefix of a module where RESTCONF has its name. */
export const asRestconf = (segments: readonly Segment[]): string =>
  segments
    .map(
      ({ name, keys }) =>
        `/${name.replace(/^ncs:/, 'tailf-ncs:')}${keys.length > 0 ? `=${keys.map(encodeURIComponent).join(',')}` : ''}`,
    )
    .join('');

/** Returns segments as a keypath. */
export const asKeypath = (segments: readonly Segment[]): string =>
  segments
    .map(({ name, keys }) => `/${name}${keys.length > 0 ? `{${keys.map(quoted).join(' ')}}` : ''}`)
    .join('');

const quoted = (key: string) => (/^[\w.:-]+$/.test(key) ? key : `"${key.replaceAll('"', '')}"`);
