import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Outputs, trpc } from '~/api/client.ts';
import { devicePath, reportPath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { shareText } from '~/ui/quantities.ts';
import { QueryView } from '~/ui/states.tsx';
import { Time } from '~/ui/time.tsx';
import type { Slice } from './slice.tsx';

type Found = Outputs['configurationManager']['getCoverage'];

const GRADES = ['fail', 'review', 'pass'] as const;
/** Names shown of each list; the rest is counted. */
const NAMES = 8;

/** How many devices have which grade, and which have none or an old one. */
export function Coverage({ slice }: { slice: Slice }) {
  const query = useQuery(
    trpc.configurationManager.getCoverage.queryOptions(
      { ...slice, limit: NAMES },
      { placeholderData: keepPreviousData },
    ),
  );
  return (
    <section className="card" aria-labelledby="grades">
      <h2 id="grades">Grades</h2>
      <QueryView query={query} loading="Loading grades">
        {(found) => (
          <>
            <Bars found={found} />
            <Gaps found={found} />
          </>
        )}
      </QueryView>
    </section>
  );
}

function Bars({ found }: { found: Found }) {
  const [url] = useUrlState();
  const { grades, unchecked } = found;
  const rows = [
    ...GRADES.map((grade) => [grade, grades[grade]] as const),
    ['unchecked', unchecked.total] as const,
  ];
  const all = Math.max(
    1,
    rows.reduce((sum, [, count]) => sum + count, 0),
  );
  return (
    <ul className="bars" aria-label="Devices by grade">
      {rows.map(([grade, count]) => (
        <li key={grade}>
          <Link
            to="."
            search={{ ...url, grade: grade === 'unchecked' ? undefined : grade }}
            hash={grade === 'unchecked' ? 'unchecked' : 'matrix'}
          >
            <span>{grade}</span>
            <svg
              className="bar"
              data-grade={grade}
              viewBox="0 0 100 10"
              preserveAspectRatio="none"
              aria-hidden="true"
            >
              <rect width="100" height="10" className="bar-back" />
              <rect width={(count / all) * 100} height="10" className="bar-fill" />
            </svg>
            <span className="number">
              {count.toLocaleString('en')}
              <span className="visually-hidden"> {count === 1 ? 'device' : 'devices'}</span>
              <span className="muted small" aria-hidden="true">
                {shareText(count, all)}
              </span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Gaps({ found }: { found: Found }) {
  const { assigned, unchecked, stale, staleDays, notApplicable } = found;
  return (
    <div className="columns gaps">
      <div className="column" id="unchecked">
        <h3>Never checked: {unchecked.total.toLocaleString('en')}</h3>
        {unchecked.total === 0 ? (
          <p className="muted small">
            {assigned === 0
              ? 'No device is assigned to these nodes.'
              : `All ${assigned} assigned devices have a report.`}
          </p>
        ) : (
          <ul className="plain small">
            {unchecked.list.map(({ deviceName, nodePath }) => (
              <li key={deviceName}>
                <Link {...devicePath(deviceName)}>{deviceName}</Link>{' '}
                <span className="muted">{nodePath}</span>
              </li>
            ))}
            <More total={unchecked.total} />
          </ul>
        )}
      </div>
      {notApplicable.total > 0 && (
        <div className="column">
          <h3>Not applicable: {notApplicable.total.toLocaleString('en')}</h3>
          <ul className="plain small">
            {notApplicable.list.map(({ deviceName, nodePath, reportId }) => (
              <li key={reportId}>
                <Link {...devicePath(deviceName)}>{deviceName}</Link>{' '}
                <span className="muted">{nodePath}: no rules for its platform</span>
              </li>
            ))}
            <More total={notApplicable.total} />
          </ul>
        </div>
      )}
      <div className="column">
        <h3>
          Not for {staleDays} days: {stale.total.toLocaleString('en')}
        </h3>
        {stale.total === 0 ? (
          <p className="muted small">Every report is newer.</p>
        ) : (
          <ul className="plain small">
            {stale.list.map(({ deviceName, reportId, timestamp }) => (
              <li key={deviceName}>
                <Link {...reportPath(reportId)}>{deviceName}</Link>{' '}
                <span className="muted">
                  <Time value={timestamp} />
                </span>
              </li>
            ))}
            <More total={stale.total} />
          </ul>
        )}
      </div>
    </div>
  );
}

const More = ({ total }: { total: number }) =>
  total > NAMES ? <li className="muted">and {(total - NAMES).toLocaleString('en')} more</li> : null;
