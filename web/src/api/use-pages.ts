import {
  infiniteQueryOptions,
  keepPreviousData,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useLayoutEffect, useMemo } from 'react';

/** Rows that one request of a list reads. */
export const PAGE_SIZE = 100;

type PagesOptions<Row> = {
  /** The path key of the procedure, `trpc.operationsManager.listJobs.pathKey()`, so that its invalidation reaches the pages. */
  path: readonly unknown[];
  /** Everything that the answer depends on: filters and order. */
  input: unknown;
  /** Reads one page. `total` may be omitted where the server does not count. */
  read: (skip: number, limit: number) => Promise<{ rows: readonly Row[]; total?: number | undefined }>;
  isEnabled?: boolean;
  /** How many pages are read before the list is shown first. */
  firstPages?: number;
};

/** The query of a list that is read page by page: for `usePages`, and to read its first page ahead. */
export const pagesOptions = <Row>({
  path,
  input,
  read,
}: Omit<PagesOptions<Row>, 'isEnabled' | 'firstPages'>) =>
  infiniteQueryOptions({
    queryKey: [...path, { pages: input }],
    queryFn: ({ pageParam }) => read(pageParam, PAGE_SIZE),
    initialPageParam: 0,
    getNextPageParam: ({ rows, total }, pages) => {
      const read = pages.reduce((sum, page) => sum + page.rows.length, 0);
      if (rows.length === 0) return undefined;
      return total === undefined
        ? rows.length < PAGE_SIZE
          ? undefined
          : read
        : read < total
          ? read
          : undefined;
    },
  });

/** A list that is read page by page as its reader scrolls; the filter that was shown before stays until the new one arrives. */
export function usePages<Row>({ isEnabled = true, firstPages = 1, ...options }: PagesOptions<Row>) {
  const queryClient = useQueryClient();
  // Before the query below asks for the first page alone; it then waits for these.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for the list that is shown first
  useLayoutEffect(() => {
    if (!isEnabled || firstPages === 1) return;
    const first = pagesOptions(options);
    if (queryClient.getQueryData(first.queryKey)) return;
    void queryClient.prefetchInfiniteQuery({ ...first, pages: firstPages });
  }, []);
  const query = useInfiniteQuery({
    ...pagesOptions(options),
    placeholderData: keepPreviousData,
    enabled: isEnabled,
  });
  const { data } = query;
  return {
    query,
    // The same array until a page arrives, so that rows are rendered again only when they changed.
    rows: useMemo(() => data?.pages.flatMap(({ rows }) => rows) ?? [], [data]),
    total: data?.pages.at(-1)?.total,
    hasMore: query.hasNextPage,
    isReadingMore: query.isFetchingNextPage,
    readMore: () => void query.fetchNextPage(),
  };
}

/** Returns a page of a list whose procedure returns all of it at once: everything, and then nothing more. */
export async function pageOfAll<Row>(all: Promise<{ results: readonly Row[]; total: number }>, skip: number) {
  const { results, total } = await all;
  return { rows: skip === 0 ? results : [], total };
}
