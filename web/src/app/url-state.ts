import { useNavigate, useSearch } from '@tanstack/react-router';

/** The query of an address: plain texts, so that every link can be read and shared. */
export type UrlState = Record<string, string>;

/** Parses a query into plain texts; numbers and JSON stay text. */
export const parseSearch = (search: string): UrlState => Object.fromEntries(new URLSearchParams(search));

/** Writes a query; empty and missing values are left out. */
export function stringifySearch(search: Record<string, unknown>): string {
  const entries = Object.entries(search).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

/**
 * The query of the address and a function that changes parts of it: filters, order and tabs stand there, so that back,
 * reload and a shared link show the same. An empty value removes its name.
 */
export function useUrlState(): [UrlState, (change: Record<string, string | undefined>) => void] {
  const search = useSearch({ strict: false }) as UrlState;
  const navigate = useNavigate();
  return [
    search,
    (change) =>
      void navigate({
        to: '.',
        search: ((before: UrlState) => ({ ...before, ...change })) as never,
        replace: true,
      }),
  ];
}
