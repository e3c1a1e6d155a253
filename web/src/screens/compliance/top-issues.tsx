import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { trpc } from '~/api/client.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Button } from '~/ui/button.tsx';
import { Empty, QueryView } from '~/ui/states.tsx';
import { Verdict } from './grade.tsx';
import type { Slice } from './slice.tsx';

const FEW = 5;
const MANY = 50;
const NAMES = 25;

/** The rules that are violated most often, with the devices that violate them. */
export function TopIssues({ slice }: { slice: Slice }) {
  const [limit, setLimit] = useState(FEW);
  const [url] = useUrlState();
  const query = useQuery(
    trpc.configurationManager.listTopIssues.queryOptions(
      { ...slice, limit: limit + 1, deviceLimit: NAMES },
      { placeholderData: keepPreviousData },
    ),
  );
  return (
    <section className="card top-issues" aria-labelledby="issues">
      <div className="row issues-head">
        <h2 id="issues">Top issues</h2>
        {query.data && query.data.length > limit && (
          <Button onPress={() => setLimit(MANY)}>Show more issues</Button>
        )}
      </div>
      <QueryView query={query} loading="Loading issues">
        {(issues) =>
          issues.length === 0 ? (
            <Empty title="No rule is violated">
              <p>Either every device complies, or none has been checked yet.</p>
            </Empty>
          ) : (
            <ul className="plain issues">
              {issues.slice(0, limit).map(({ message, severity, type, devices, deviceNames }) => (
                <li key={`${severity} ${type} ${message}`}>
                  <details>
                    <summary>
                      <Verdict of={severity} /> <code>{message}</code>{' '}
                      <span className="muted small number">
                        {devices.toLocaleString('en')} {devices === 1 ? 'device' : 'devices'}
                      </span>
                    </summary>
                    <p className="names">
                      {deviceNames.map((name) => (
                        <Link key={name} to="." search={{ ...url, q: name }} hash="matrix">
                          {name}
                        </Link>
                      ))}
                      {devices > deviceNames.length && (
                        <span className="muted">and {devices - deviceNames.length} more</span>
                      )}
                    </p>
                  </details>
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
    </section>
  );
}
