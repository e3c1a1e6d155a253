import { api, type Inputs, queryClient, trpc } from '~/api/client.ts';
import { now } from '~/api/live/clock.ts';
import { pagesOptions } from '~/api/use-pages.ts';
import type { UrlState } from '~/app/url-state.ts';
import { pagesToPlace } from '~/ui/table/list-place.ts';
import { sortOf } from '~/ui/table/sort.ts';

const HOUR_MS = 3_600_000;
/** The windows of time that the list of jobs offers; the one without a value is the default. */
export const WINDOWS = [
  { value: '24h', label: 'Last 24 hours', hours: 24 },
  { value: '', label: 'Last 7 days', hours: 7 * 24 },
  { value: '30d', label: 'Last 30 days', hours: 30 * 24 },
  { value: 'all', label: 'All times', hours: undefined },
];

type Query = NonNullable<Inputs['operationsManager']['listJobs']['queryOptions']>;

/** Returns the filters that an address names, without the state; the window begins at a full hour, so that answers are reused. */
export function filtersOf({ q, who, window = '' }: UrlState): Query {
  const hours = (WINDOWS.find(({ value }) => value === window) ?? WINDOWS[1])?.hours;
  const since = hours && (Math.floor(now() / HOUR_MS) - hours) * HOUR_MS;
  return {
    ...(q && { contains: { name: q } }),
    ...(who && { equals: { created_by: who } }),
    ...(since && { gte: { 'metrics.start_time': since } }),
  };
}

/** Returns what the list of jobs asks for at an address. */
function queryOf(url: UrlState): Query {
  const order = sortOf(url.sort) ?? { field: 'metrics.start_time', order: -1 as const };
  const filters = filtersOf(url);
  const equals = { ...(filters.equals as object | undefined), ...(url.state && { status: url.state }) };
  return {
    ...filters,
    ...(Object.keys(equals).length > 0 && { equals }),
    include: 'name,status,description,initiator,created_by,metrics,error,parent,watchers',
    sort: order.field,
    order: order.order,
  };
}

/** Returns the query of the list at an address, page by page. */
export function pagesOf(url: UrlState) {
  const input = queryOf(url);
  return {
    path: trpc.operationsManager.listJobs.pathKey(),
    input,
    read: async (skip: number, limit: number) => {
      const { data, metadata } = await api.operationsManager.listJobs.query({
        queryOptions: { ...input, skip, limit },
      });
      return { rows: data, total: metadata.total };
    },
  };
}

/** Requests the jobs of an address before their page is rendered. */
export function readJobsAhead(url: UrlState): void {
  void queryClient.prefetchInfiniteQuery({ ...pagesOptions(pagesOf(url)), pages: pagesToPlace('Jobs') });
  void queryClient.prefetchQuery(
    trpc.operationsManager.countJobs.queryOptions({ queryOptions: filtersOf(url) }),
  );
}
