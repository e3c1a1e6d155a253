import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Outputs, trpc } from '~/api/client.ts';
import { useRefetchOn } from '~/api/live/use-live.ts';
import { reportPath } from '~/app/paths.ts';
import { Badge, Progress, type Tone } from '~/ui/badge.tsx';
import { DiffView } from '~/ui/code/editor.tsx';
import { Details } from '~/ui/details.tsx';
import { countsText } from '../grade.tsx';

type Proposal = Outputs['configurationManager']['getRemediation'];
type Totals = Proposal['predicted']['totals'];

/** What the server stores of an attempt to apply a proposal; every field may be missing in an older one. */
type Result = {
  message?: string;
  verified?: boolean;
  backupId?: string;
  afterBackupId?: string;
  batchId?: string;
  reportId?: string;
  totals?: Totals;
  /** A campaign took the change back. */
  rolledBack?: boolean;
  /** The device was read after that, and has the configuration of before. */
  hasFormerConfiguration?: boolean;
  lines?: { line: string; status: string; message?: string }[];
};

const isResult = (value: unknown): value is Result => typeof value === 'object' && value !== null;

const TONES: Readonly<Record<string, Tone>> = {
  SUCCESS: 'good',
  FAILED: 'bad',
  INCOMPLETE: 'bad',
  NOT_SENT: 'neutral',
};

/** How applying went: each line, the check afterwards, and the configuration before and after. */
export function ResultCard({ proposal: { status, result } }: { proposal: Proposal }) {
  if (status === 'applying') {
    return (
      <section className="card" aria-labelledby="result" aria-busy="true">
        <h2 id="result">Being applied</h2>
        <p role="status">
          The device is backed up, configured, read again and checked. This page shows each step as it
          happens.
        </p>
      </section>
    );
  }
  if (!isResult(result)) return null;
  const { message, verified, backupId, afterBackupId, batchId, reportId, totals, lines = [] } = result;
  return (
    <section className="card" aria-labelledby="result">
      <h2 id="result">Result</h2>
      {result.rolledBack && (
        <p className="note" data-tone={result.hasFormerConfiguration ? 'warn' : 'bad'}>
          {result.hasFormerConfiguration
            ? 'The change was rolled back: the device has its former configuration.'
            : 'The change was rolled back, but the device did not show its former configuration: compare it with its backup.'}
        </p>
      )}
      <Details
        entries={[
          ['Outcome', message && message],
          [
            'Check',
            verified === undefined ? undefined : (
              <Badge key="verified" tone={verified ? 'good' : 'bad'}>
                {verified ? 'as predicted' : 'not as predicted'}
              </Badge>
            ),
          ],
          ['Found afterwards', totals && countsText(totals)],
          [
            'Report',
            reportId && (
              <Link key="report" {...reportPath(reportId)}>
                Report after the change
              </Link>
            ),
          ],
          ['Run', batchId && <Batch key="batch" id={batchId} />],
        ]}
      />
      {lines.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <section className="table-frame short" tabIndex={0} aria-label="Lines, scrollable">
          <table className="table" aria-label="Lines pushed">
            <thead>
              <tr>
                <th scope="col">Line</th>
                <th scope="col">Status</th>
                <th scope="col">Answer of the device</th>
              </tr>
            </thead>
            <tbody>
              {lines.map(({ line, status: state, message: said }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the same line may be pushed twice
                <tr key={index}>
                  <td>
                    <code>{line}</code>
                  </td>
                  <td>
                    <Badge tone={TONES[state] ?? 'neutral'}>{state}</Badge>
                  </td>
                  <td>{said && <code>{said}</code>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {backupId && afterBackupId && (
        <details>
          <summary>
            Configuration before and after{result.rolledBack && ', until the change was rolled back'}
          </summary>
          <BeforeAndAfter backupId={backupId} afterBackupId={afterBackupId} />
        </details>
      )}
    </section>
  );
}

function Batch({ id }: { id: string }) {
  const { getBatchStatus } = trpc.configurationManager;
  const { data } = useQuery(getBatchStatus.queryOptions({ batchId: id }));
  useRefetchOn(getBatchStatus.queryFilter({ batchId: id }), ({ payload }) => payload.batchId === id);
  return data ? <Progress label="Check after the change" done={data.done} total={data.total} /> : '…';
}

function BeforeAndAfter({ backupId, afterBackupId }: { backupId: string; afterBackupId: string }) {
  const before = useQuery(trpc.configurationManager.getBackup.queryOptions({ id: backupId }));
  const after = useQuery(trpc.configurationManager.getBackup.queryOptions({ id: afterBackupId }));
  if (!before.data || !after.data) return <p className="muted">Loading both backups …</p>;
  return (
    <DiffView
      label="Configuration before and after"
      before={before.data.rawConfig}
      after={after.data.rawConfig}
    />
  );
}
