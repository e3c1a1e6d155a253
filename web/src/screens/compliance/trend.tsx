import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { CatchBoundary } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { trpc } from '~/api/client.ts';
import { loadCode } from '~/ui/load-code.ts';
import { Empty, Loading, QueryView } from '~/ui/states.tsx';
import { scoreText } from './grade.tsx';
import type { Slice } from './slice.tsx';

const Chart = lazy(async () => {
  const { TrendChart } = await loadCode(() => import('./trend-chart.tsx'));
  return { default: TrendChart };
});

/** The chart's library fails in a browser without a language, as WebKit is where the system has none. */
const NoChart = () => (
  <p className="muted small">This browser cannot draw the chart. The table has its figures.</p>
);

/** Takes the room of the chart, so that what is below does not move when the chart arrives, away from under a pointer. */
const ChartToCome = () => (
  <div className="trend">
    <Loading what="Loading the chart" />
  </div>
);

/** Grades and mean score by day, as a chart and as a table. */
export function Trend({ slice }: { slice: Slice }) {
  const query = useQuery(
    trpc.configurationManager.getTrend.queryOptions(slice, { placeholderData: keepPreviousData }),
  );
  return (
    <section className="card" aria-labelledby="trend">
      <h2 id="trend">Last 90 days</h2>
      <QueryView query={query} loading="Loading the trend">
        {(days) =>
          days.length === 0 ? (
            <Empty title="No report in the last 90 days">
              <p>Run compliance to see how the grades develop.</p>
            </Empty>
          ) : (
            <>
              <CatchBoundary getResetKey={() => slice.treeId} errorComponent={NoChart}>
                <Suspense fallback={<ChartToCome />}>
                  <Chart days={days} />
                </Suspense>
              </CatchBoundary>
              {days.length === 1 && (
                <p className="muted small">One day so far: each day with a run adds a point.</p>
              )}
              <details>
                <summary>As a table</summary>
                {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
                <section className="table-frame short" tabIndex={0} aria-label="Trend, scrollable">
                  <table className="table" aria-label="Trend">
                    <thead>
                      <tr>
                        {['Day', 'Devices', 'Pass', 'Review', 'Fail', 'Mean score'].map((name, index) => (
                          <th key={name} scope="col" className={index > 0 ? 'number' : undefined}>
                            {name}
                          </th>
                        ))}
                      </tr>
                    </thead>
                    <tbody>
                      {days.toReversed().map(({ date, devices, pass, review, fail, meanScore }) => (
                        <tr key={date}>
                          <td>{date}</td>
                          <td className="number">{devices}</td>
                          <td className="number">{pass}</td>
                          <td className="number">{review}</td>
                          <td className="number">{fail}</td>
                          <td className="number">{scoreText(meanScore)}</td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </section>
              </details>
            </>
          )
        }
      </QueryView>
    </section>
  );
}
