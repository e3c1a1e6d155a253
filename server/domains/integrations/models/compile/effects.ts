import { isObject } from '#server/kernel/json/objects.ts';
import type { CallEffect, HttpMethod, Paging } from '../../api-operation.ts';

/**
 * Returns what happens to a call of an operation whose process was lost. PUT and DELETE may be repeated
 * (RFC 9110 §9.2.2); a POST that only reads has `x-read-only`.
 */
export function effectOf(method: HttpMethod, isReadOnly: boolean): CallEffect {
  if (method === 'PUT' || method === 'DELETE') return 'keyed';
  if (method === 'PATCH' || (method === 'POST' && !isReadOnly)) return 'unsafe';
  return 'read';
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isTextOrAbsent = (value: unknown): value is string | undefined => value === undefined || isText(value);

/** Returns how an operation's further pages are found (`x-paging`); undefined for a value of another shape. */
export function pagingOf(value: unknown): Paging | undefined {
  if (!isObject(value)) return undefined;
  const { style, from, parameter, start, size, list } = value;
  if (style === 'link') return { style };
  if (!isTextOrAbsent(list)) return undefined;
  const inList = list === undefined ? {} : { list };
  if (style === 'cursor' && isText(from) && isText(parameter)) return { style, from, parameter, ...inList };
  if (style === 'offset' && isText(start) && isTextOrAbsent(size)) {
    return { style, start, ...(size !== undefined && { size }), ...inList };
  }
  return undefined;
}
