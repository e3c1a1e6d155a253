import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Outputs, trpc } from '~/api/client.ts';
import { reportPath } from '~/app/paths.ts';
import { QueryView } from '~/ui/states.tsx';
import { scoreText } from '../grade.tsx';

type Report = Outputs['configurationManager']['getReport'];

const RUNS = 30;

/** The runs of a device at the same node, newest first. */
export const useRuns = ({ treeId, version, nodePath, deviceName }: Report) =>
  useQuery(
    trpc.configurationManager.gradeHistory.queryOptions({
      treeId,
      version,
      nodePath,
      deviceName,
      options: { limit: RUNS },
    }),
  );

/** The last runs of the device as bars, the oldest first; each opens its report. */
export function HistoryStrip({ report }: { report: Report }) {
  const runs = useRuns(report);
  return (
    <section className="card" aria-labelledby="history">
      <h2 id="history">Last {RUNS} runs</h2>
      <QueryView query={runs} loading="Loading earlier runs">
        {(list) => (
          <ol className="strip">
            {list.toReversed().map(({ id, timestamp, score, grade }) => (
              <li key={id}>
                <Link
                  {...reportPath(id)}
                  title={`${timestamp}: ${scoreText(score)}, ${grade}`}
                  aria-label={`${timestamp}: ${scoreText(score)} points, ${grade}`}
                  aria-current={id === report.id ? 'page' : undefined}
                >
                  <svg
                    viewBox="0 0 10 40"
                    preserveAspectRatio="none"
                    data-grade={grade}
                    className="bar"
                    aria-hidden="true"
                  >
                    <rect width="10" height="40" className="bar-back" />
                    <rect
                      width="10"
                      y={40 - barHeight(score)}
                      height={barHeight(score)}
                      className="bar-fill"
                    />
                  </svg>
                </Link>
              </li>
            ))}
          </ol>
        )}
      </QueryView>
    </section>
  );
}

const barHeight = (score: number) => Math.max(3, Math.min(40, score * 0.4));
