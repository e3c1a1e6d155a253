import qs from 'qs';

/**
 * The URL of another page of a list: the same query from another `skip` on (contract/lifecycle#0.5, `next` and `previous`).
 *
 * @param path as the interface writes it: `/automation-studio/templates`
 * @param query the list's options as they were read
 */
export const pageUrl =
  (path: string, query: Readonly<Record<string, unknown>>) =>
  (skip: number): string =>
    `${path}?${qs.stringify({ ...query, start: undefined, skip }, { arrayFormat: 'repeat' })}`;
