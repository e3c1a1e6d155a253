import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type Outputs, trpc } from '~/api/client.ts';
import { useUrlState, useUrlText } from '~/app/url-state.ts';
import { TextField } from '~/ui/fields.tsx';
import { QueryView } from '~/ui/states.tsx';
import { scoreText, Verdict } from '../grade.tsx';

type Report = Outputs['configurationManager']['getReport'];

const WEIGHTS = { error: 2, warning: 1, info: 0.5 } as const;
type Severity = keyof typeof WEIGHTS;
const SEVERITIES = ['error', 'warning', 'info'] as const;
const NAMES = {
  error: 'Weight of an error',
  warning: 'Weight of a warning',
  info: 'Weight of an info',
} as const;

/** Score and grade of a report, and the weights that they come from; other weights can be tried. */
export function ScoreCard({ report }: { report: Report }) {
  const [url] = useUrlState();
  const weightOf = (name: Severity) => {
    const given = Number(url[`w-${name}`]);
    return url[`w-${name}`] && Number.isFinite(given) ? given : WEIGHTS[name];
  };
  const weights = { error: weightOf('error'), warning: weightOf('warning'), info: weightOf('info') };
  const query = useQuery(
    trpc.configurationManager.gradeReport.queryOptions(
      { reportId: report.id, options: { weights } },
      { placeholderData: keepPreviousData },
    ),
  );
  const { errors, warnings, infos, passes } = report.totals;
  const isTried = SEVERITIES.some((name) => weights[name] !== WEIGHTS[name]);
  return (
    <section className="card" aria-labelledby="score">
      <h2 id="score">Score</h2>
      <QueryView query={query} loading="Grading">
        {({ score, grade }) => (
          <p className="score">
            <strong>{scoreText(score)}</strong> <Verdict of={grade} />
          </p>
        )}
      </QueryView>
      <p className="small muted">
        100 × {passes} met ÷ ({weights.error} × {errors} errors + {weights.warning} × {warnings} warnings +{' '}
        {weights.info} × {infos} infos + {passes} met)
      </p>
      <details open={isTried}>
        <summary>Try other weights</summary>
        <div className="slice">
          {SEVERITIES.map((name) => (
            <WeightField key={name} name={name} />
          ))}
        </div>
      </details>
    </section>
  );
}

function WeightField({ name }: { name: Severity }) {
  const { text, setText } = useUrlText(`w-${name}`, String(WEIGHTS[name]));
  return <TextField label={NAMES[name]} type="number" value={text} onChange={setText} />;
}
