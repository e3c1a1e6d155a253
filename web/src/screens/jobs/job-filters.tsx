import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { trpc } from '~/api/client.ts';
import { useWhoAmI } from '~/api/use-may.ts';
import { useNames } from '~/api/use-names.ts';
import { useUrlState } from '~/app/url-state.ts';
import { filtersOf, WINDOWS } from './job-query.ts';
import { JOB_STATES, StateBadge } from './job-state.tsx';

/** How many jobs are in each state under the other filters; each number opens the list of these jobs. */
export function StateCounts() {
  const [url] = useUrlState();
  const counts = useQuery(
    trpc.operationsManager.countJobs.queryOptions({ queryOptions: filtersOf(url) }),
  ).data;
  const waiting = useQuery({
    ...trpc.operationsManager.countTasks.queryOptions({
      queryOptions: { equals: { type: 'manual', status: 'running' } },
    }),
    // The navigation reads it, after the first page has been drawn.
    enabled: false,
  }).data;
  return (
    <nav className="row" aria-label="Jobs by state">
      <CountLink state={undefined} label="all" count={counts?.total} />
      {JOB_STATES.map((state) => (
        <CountLink key={state} state={state} label={state} count={counts && (counts.counts[state] ?? 0)} />
      ))}
      {waiting && waiting.total > 0 && (
        <Link to="/work" className="job-count">
          <StateBadge state="waiting" /> {waiting.total.toLocaleString('en')} manual{' '}
          {waiting.total === 1 ? 'task' : 'tasks'}
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
      search={{ ...url, state }}
      className="job-count"
      aria-label={count === undefined ? undefined : `${label} ${count.toLocaleString('en')}`}
      activeOptions={{ exact: true }}
    >
      <StateBadge state={label} />{' '}
      <span className="count">{count === undefined ? '…' : count.toLocaleString('en')}</span>
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
        {who && who !== me?.id && <option value={who}>{nameOf(who)}</option>}
      </select>
      <select
        className="input fit"
        aria-label="Time range"
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
