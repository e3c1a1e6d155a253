import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Inputs, trpc } from '~/api/client.ts';
import { useMay, useWhoAmI } from '~/api/use-may.ts';
import { useNames } from '~/api/use-names.ts';
import { type UrlState, useUrlState } from '~/app/url-state.ts';
import { sortOf } from '~/ui/table/list-page.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import { JOB_STATES, StateBadge } from './job-state.tsx';

const HOUR_MS = 3_600_000;
const WINDOWS = [
  { value: '24h', label: 'Last 24 hours', hours: 24 },
  { value: '', label: 'Last 7 days', hours: 7 * 24 },
  { value: '30d', label: 'Last 30 days', hours: 30 * 24 },
  { value: 'all', label: 'All times', hours: undefined },
];

type Query = NonNullable<Inputs['operationsManager']['listJobs']['queryOptions']>;

/** Returns the filters that an address names, without the state; the window begins at a full hour, so that answers are reused. */
export function filtersOf({ q, who, window = '' }: UrlState): Query {
  const hours = (WINDOWS.find(({ value }) => value === window) ?? WINDOWS[1])?.hours;
  const since = hours && (Math.floor(Date.now() / HOUR_MS) - hours) * HOUR_MS;
  return {
    ...(q && { contains: { name: q } }),
    ...(who && { equals: { created_by: who } }),
    ...(since && { gte: { 'metrics.start_time': since } }),
  };
}

/** Returns what the list of jobs asks for at an address. */
export function queryOf(url: UrlState): Query {
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

/** How many jobs are in each state under the other filters; each number opens the list of these jobs. */
export function StateCounts() {
  const [url] = useUrlState();
  const may = useMay();
  const counts = useQuery(
    trpc.operationsManager.countJobs.queryOptions({ queryOptions: filtersOf(url) }),
  ).data;
  const waiting = useQuery({
    ...trpc.operationsManager.countTasks.queryOptions({
      queryOptions: { equals: { type: 'manual', status: 'running' } },
    }),
    enabled: may('operationsManager.countTasks'),
  }).data;
  return (
    <nav className="row" aria-label="Jobs by state">
      <CountLink state={undefined} label="all" count={counts?.total} />
      {JOB_STATES.map((state) => (
        <CountLink key={state} state={state} label={state} count={counts && (counts.counts[state] ?? 0)} />
      ))}
      {waiting && waiting.total > 0 && (
        <Link to="/work" className="job-count">
          <StateBadge state="waiting" /> {waiting.total.toLocaleString('en')} waiting tasks
        </Link>
      )}
    </nav>
  );
}

function CountLink({
  state,
  label,
  count,
}: {
  state: string | undefined;
  label: string;
  count: number | undefined;
}) {
  const [url] = useUrlState();
  return (
    <Link
      to="/jobs"
      search={{ ...url, state } as never}
      className="job-count"
      activeOptions={{ exact: true }}
    >
      <StateBadge state={label} /> {count === undefined ? '…' : count.toLocaleString('en')}
    </Link>
  );
}

/** The filters beside the text: state, who started the job, and the window of time. */
export function JobFilters() {
  const [url, setUrl] = useUrlState();
  const me = useWhoAmI();
  const { state = '', who = '', window = '' } = url;
  const nameOf = useNames();
  return (
    <>
      <select
        className="input fit"
        aria-label="State"
        value={state}
        onChange={(event) => setUrl({ state: event.target.value })}
      >
        <option value="">Any state</option>
        {JOB_STATES.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      <select
        className="input fit"
        aria-label="Started by"
        value={who}
        onChange={(event) => setUrl({ who: event.target.value })}
      >
        <option value="">Anyone</option>
        {me && <option value={me.id}>Me</option>}
        {who && who !== me?.id && <option value={who}>{visibleText(nameOf(who))}</option>}
      </select>
      <select
        className="input fit"
        aria-label="Window of time"
        value={window}
        onChange={(event) => setUrl({ window: event.target.value })}
      >
        {WINDOWS.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </>
  );
}
