import qs from 'qs';

/**
 * Returns the URL of another page of a list: the same query with another `skip` (contract/lifecycle#0.5, `next` and
 * `previous`).
 *
 * @param path in the notation of the interface: `/automation-studio/templates`
 * @param query the list's options, parsed
 */
export const pageUrl =
  (path: string, query: Readonly<Record<string, unknown>>) =>
  (skip: number): string =>
    `${path}?${qs.stringify({ ...query, start: undefined, skip }, { arrayFormat: 'repeat' })}`;
