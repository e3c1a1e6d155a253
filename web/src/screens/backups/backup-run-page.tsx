import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, IN_BACKGROUND, type Outputs, trpc } from '~/api/client.ts';
import { useRunEvents } from '~/api/live/use-runs.ts';
import { useMay } from '~/api/use-may.ts';
import { devicePath } from '~/app/paths.ts';
import { usePathParam } from '~/app/routes.tsx';
import { useAct } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { LoadedPage, PathLink } from '~/ui/page.tsx';
import { Announced } from '~/ui/states.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { SaveCsv } from '~/ui/table/save-csv.tsx';
import { Time } from '~/ui/time.tsx';
import { BackupNow } from './backup-now.tsx';
import { RunState } from './runs.tsx';

type Run = Outputs['configurationManager']['getBackupRun'];
type Failed = Run['failed'][number];

const COLUMNS: Column<Failed>[] = [
  {
    key: 'device',
    header: 'Device',
    cell: ({ device }) => <Link {...devicePath(device)}>{device}</Link>,
    text: ({ device }) => device,
  },
  {
    key: 'reason',
    header: 'Reason',
    wraps: true,
    cell: ({ reason }) => reason,
    text: ({ reason }) => reason,
  },
  {
    key: 'attempts',
    header: 'Attempts',
    isNumber: true,
    cell: ({ attempts }) => attempts,
    text: ({ attempts }) => attempts,
  },
];

/** One run: its progress, and the devices that failed with their reasons. */
export function BackupRunPage() {
  const runId = usePathParam('runId');
  const run = useQuery(trpc.configurationManager.getBackupRun.queryOptions({ runId }, IN_BACKGROUND));
  useRunEvents('backupRun', trpc.configurationManager.getBackupRun.queryFilter({ runId }));
  return (
    <LoadedPage
      query={run}
      title="Backup run"
      path={
        <>
          <PathLink to="/devices">Devices</PathLink> / <PathLink to="/backups">Fleet backups</PathLink>
        </>
      }
      actions={(data) => <Actions run={data} />}
    >
      {(data) => (
        <>
          <section className="card" aria-label="Summary">
            <Announced status={data.status} />
            <Details
              entries={[
                ['State', <RunState key="state" run={data} />],
                ['Devices', data.total.toLocaleString('en')],
                ['New configurations', String(data.stored)],
                ['Unchanged', String(data.unchanged)],
                ['Failed', String(data.failedCount)],
                ['Waiting', data.waiting > 0 && String(data.waiting)],
                ['Continues', data.nextAttempt && <Time key="next" value={data.nextAttempt} />],
                ['Started', <Time key="started" value={data.started} />],
                ['Ended', <Time key="ended" value={data.finished} />],
              ]}
            />
          </section>
          {data.failed.length > 0 && (
            <>
              <div className="row">
                <h2>Failed devices</h2>
                <SaveCsv name="failed-devices" columns={COLUMNS} rows={data.failed} />
              </div>
              <DataTable
                label="Failed devices"
                columns={COLUMNS}
                rows={data.failed}
                rowKey={({ device }) => device}
                total={data.failedCount}
              />
            </>
          )}
        </>
      )}
    </LoadedPage>
  );
}

function Actions({ run: { runId, status, failed } }: { run: Run }) {
  const may = useMay();
  const act = useAct(
    trpc.configurationManager.getBackupRun.pathFilter(),
    trpc.configurationManager.listBackupRuns.pathFilter(),
  );
  const [isRetrying, setRetrying] = useState(false);
  return (
    <>
      {status === 'running' && may('configurationManager.cancelBackupRun') && (
        <Button
          variant="danger"
          onPress={() => act(() => api.configurationManager.cancelBackupRun.mutate({ runId }))}
        >
          Cancel run
        </Button>
      )}
      {status !== 'running' && failed.length > 0 && may('configurationManager.startFleetBackup') && (
        <Button onPress={() => setRetrying(true)}>Back up the failed devices</Button>
      )}
      {isRetrying && (
        <BackupNow
          initial={{ names: failed.map(({ device }) => device) }}
          onClose={() => setRetrying(false)}
        />
      )}
    </>
  );
}
