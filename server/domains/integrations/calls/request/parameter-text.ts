import { isObject } from '#server/kernel/json/objects.ts';
import type { ParameterStyle } from '../../api-operation.ts';

/** Percent-encodes one name or value, or leaves it as it is (headers). */
export type Encode = (text: string) => string;

/** How a value is written. */
export type Serialization = { style: ParameterStyle; explode: boolean };

/** Percent-encodes everything but unreserved characters (RFC 3986 §2.3). */
export const encodeStrictly: Encode = (text) =>
  encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, hex);

/** Leaves reserved characters as they are, except those that would end a value or the query. */
export const encodeReserved: Encode = (text) =>
  encodeURIComponent(text.toWellFormed()).replace(/%(?:3A|2F|3F|40|24|2C|3B|3D)/g, decodeURIComponent);

const hex = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;

/** Returns the text of one value inside a parameter: JSON for what has no other form. */
export const plainText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value);

const SEPARATOR: Partial<Record<ParameterStyle, string>> = {
  spaceDelimited: '%20',
  pipeDelimited: '%7C',
  tabDelimited: '%09',
};

type Member = readonly [name: string, value: unknown];

const definedEntries = (value: object): Member[] =>
  Object.entries(value).filter(([, field]) => field !== undefined && field !== null);

const elementsOf = (value: readonly unknown[]) =>
  value.filter((element) => element !== undefined && element !== null);

/**
 * Returns the text of a path or header parameter (OpenAPI 3.1 §4.8.12.4: simple, label, matrix).
 *
 * @param name of the parameter in the request, which `matrix` writes
 * @param value a text, number, boolean, list or object; null stands for none
 * @param encode how names and values are encoded
 */
export function segmentText(name: string, value: unknown, how: Serialization, encode: Encode): string {
  const { style, explode } = how;
  const text = (one: unknown) => encode(plainText(one));
  const [first, between] = style === 'label' ? ['.', '.'] : style === 'matrix' ? [';', ';'] : ['', ','];
  const named = style === 'matrix' ? `${encode(name)}=` : '';
  if (Array.isArray(value)) {
    const all = elementsOf(value).map(text);
    if (!explode) return `${first}${named}${all.join(',')}`;
    return `${first}${all.map((one) => `${named}${one}`).join(between)}`;
  }
  if (isObject(value)) {
    const all = definedEntries(value).map(([field, one]) => [encode(field), text(one)] as const);
    if (explode) return `${first}${all.map((pair) => pair.join('=')).join(between)}`;
    return `${first}${named}${all.flat().join(',')}`;
  }
  return `${first}${named}${text(value)}`;
}

/**
 * Returns the encoded `name=value` pairs of a query or cookie parameter, or of a field of a form (form, spaceDelimited,
 * pipeDelimited, tabDelimited, deepObject). Objects inside deepObject are nested in brackets, which no standard defines
 * but servers that use the style read.
 *
 * @param name of the parameter in the request
 * @returns one pair, or several where a list or an object is exploded
 */
export function pairsOf(name: string, value: unknown, how: Serialization, encode: Encode): string[] {
  const { style, explode } = how;
  const text = (one: unknown) => encode(plainText(one));
  const key = encode(name);
  if (style === 'deepObject' && isObject(value)) return deepPairs(key, value, encode);
  const separator = SEPARATOR[style] ?? ',';
  if (Array.isArray(value)) {
    const all = elementsOf(value).map(text);
    if (explode) return all.map((one) => `${key}=${one}`);
    return all.length === 0 ? [] : [`${key}=${all.join(separator)}`];
  }
  if (isObject(value)) {
    const all = definedEntries(value).map(([field, one]) => [encode(field), text(one)] as const);
    if (explode) return all.map((pair) => pair.join('='));
    return all.length === 0 ? [] : [`${key}=${all.flat().join(separator)}`];
  }
  return [`${key}=${text(value)}`];
}

function deepPairs(key: string, value: object, encode: Encode): string[] {
  return definedEntries(value).flatMap(([name, field]) => {
    const at = `${key}[${encode(name)}]`;
    if (isObject(field)) return deepPairs(at, field, encode);
    const all = Array.isArray(field) ? elementsOf(field) : [field];
    return all.map((one) => `${at}=${encode(plainText(one))}`);
  });
}
