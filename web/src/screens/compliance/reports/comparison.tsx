import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Outputs, trpc } from '~/api/client.ts';
import { reportPath } from '~/app/paths.ts';
import { searchWith } from '~/app/url-state.ts';
import { DiffView } from '~/ui/code/editor.tsx';
import { QueryView } from '~/ui/states.tsx';
import { Time } from '~/ui/time.tsx';
import { Verdict } from '../grade.tsx';
import { useBaseConfig } from './base-config.ts';

type Report = Outputs['configurationManager']['getReport'];
type Issue = Report['issues'][number];

const keyOf = ({ specId, type, parents, message }: Issue) => JSON.stringify([specId, type, parents, message]);

const SHOWN = 200;

/** A report beside an earlier one: issues that are new, issues that are gone, and the two configurations. */
export function Comparison({ report, otherId }: { report: Report; otherId: string }) {
  const other = useQuery(trpc.configurationManager.getReport.queryOptions({ reportId: otherId }));
  const before = useBaseConfig(other.data).backup.data?.rawConfig;
  const after = useBaseConfig(report).backup.data?.rawConfig;
  return (
    <section className="card" aria-labelledby="comparison">
      <div className="row">
        <h2 id="comparison">Compared with an earlier report</h2>
        <Link to="." search={searchWith({ compare: undefined })}>
          Close
        </Link>
      </div>
      <QueryView query={other} loading="Loading the earlier report">
        {(earlier) => {
          const [old, now] = [new Set(earlier.issues.map(keyOf)), new Set(report.issues.map(keyOf))];
          return (
            <>
              <p className="muted">
                With the <Link {...reportPath(otherId)}>report</Link> of <Time value={earlier.timestamp} />.
              </p>
              <div className="columns">
                <Issues title="New issues" issues={report.issues.filter((issue) => !old.has(keyOf(issue)))} />
                <Issues
                  title="Resolved issues"
                  issues={earlier.issues.filter((issue) => !now.has(keyOf(issue)))}
                />
              </div>
            </>
          );
        }}
      </QueryView>
      {before !== undefined && after !== undefined && before === after && (
        <p>Both reports are about the same configuration.</p>
      )}
      {before !== undefined && after !== undefined && before !== after && (
        <DiffView label="Configurations" before={before} after={after} />
      )}
    </section>
  );
}

function Issues({ title, issues }: { title: string; issues: readonly Issue[] }) {
  return (
    <div className="column">
      <h3>
        {title}: {issues.length}
      </h3>
      <ul className="plain small">
        {issues.slice(0, SHOWN).map((issue) => (
          <li key={keyOf(issue)}>
            <Verdict of={issue.severity} /> {issue.message}
          </li>
        ))}
      </ul>
    </div>
  );
}
