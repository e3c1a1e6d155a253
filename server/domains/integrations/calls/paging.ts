import { fieldIn, isObject } from '#server/kernel/json/objects.ts';
import { namesOf } from '#server/kernel/json/pointer.ts';
import type { Paging } from '../api-operation.ts';

/** A page as received. */
export type Page = { url: string; link: string; body: unknown };

/** The next page: its URL, or a query parameter to set in the current one. */
export type NextPage = { url: string } | { parameter: string; value: string } | null;

/**
 * Returns how to request the next page of a list; null after the last one.
 *
 * @param read number of elements of all pages so far
 */
export function nextPage(paging: Paging, page: Page, read: number): NextPage {
  if (paging.style === 'link') {
    const target = nextLink(page.link);
    return target === null ? null : asUrl(target, page.url);
  }
  if (paging.style === 'offset') {
    const { start, size } = paging;
    const got = listIn(page.body, paging.list)?.length ?? 0;
    const wanted = size === undefined ? undefined : new URL(page.url).searchParams.get(size);
    if (got === 0 || (wanted && got < Number(wanted))) return null;
    return { parameter: start, value: String(firstOffset(page.url, start, read - got) + got) };
  }
  const cursor = valueAt(page.body, paging.from);
  if (typeof cursor !== 'string' && typeof cursor !== 'number') return null;
  const value = String(cursor);
  if (value === '') return null;
  return /^(https?:\/\/|\/)/i.test(value) ? asUrl(value, page.url) : { parameter: paging.parameter, value };
}

/** Returns the offset of a page: the one in its URL, else the number of elements before it. */
function firstOffset(url: string, start: string, before: number): number {
  const given = Number(new URL(url).searchParams.get(start) ?? Number.NaN);
  return Number.isSafeInteger(given) ? given : before;
}

const asUrl = (target: string, base: string): NextPage =>
  URL.canParse(target, base) ? { url: new URL(target, base).href } : null;

/**
 * Returns the list in the body of a page: at `path`, else the body itself, or its only field that is a list. Undefined
 * when there is none.
 */
export function listIn(body: unknown, path: string | undefined): readonly unknown[] | undefined {
  const at = path === undefined ? body : valueAt(body, path);
  if (Array.isArray(at)) return at;
  if (path !== undefined || !isObject(at)) return undefined;
  const lists = Object.values(at).filter((field) => Array.isArray(field));
  return lists.length === 1 ? lists[0] : undefined;
}

/** Returns the value at a path such as `meta.next`, or a JSON pointer (RFC 6901). */
function valueAt(value: unknown, path: string): unknown {
  const steps = path.startsWith('/') ? namesOf(path) : path.split('.').filter((step) => step !== '');
  return steps.reduce<unknown>((at, step) => {
    if (Array.isArray(at)) return /^\d+$/.test(step) ? at[Number(step)] : undefined;
    return fieldIn(at, step);
  }, value);
}

/** Most characters of a `Link` header that are read. */
const LONGEST_LINK = 16_000;

/** Returns the target of the link `rel="next"` (RFC 8288 §3), or null. */
export function nextLink(header: string): string | null {
  for (const [, target = '', parameters = ''] of header
    .slice(0, LONGEST_LINK)
    .matchAll(/<([^<>]*)>((?:\s*;\s*[\w*!#$&+.^`|~-]+(?:\s*=\s*(?:"[^"]*"|[^\s",;]*))?)*)/g)) {
    const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s",;]*))/i.exec(parameters);
    const types = (relation?.[1] ?? relation?.[2] ?? '').toLowerCase().split(/\s+/);
    if (types.includes('next')) return target;
  }
  return null;
}
