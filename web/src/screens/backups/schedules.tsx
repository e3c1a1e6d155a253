import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { backupRunPath } from '~/app/paths.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { ConfirmDialog } from '~/ui/overlays/dialog.tsx';
import { ActionMenu } from '~/ui/overlays/menu.tsx';
import { showProblem, showToast } from '~/ui/overlays/toast.tsx';
import { ScheduleText } from '~/ui/schedule/schedule-text.tsx';
import { selectionText } from '~/ui/selection/selection-draft.ts';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListView } from '~/ui/table/list-page.tsx';
import { Time } from '~/ui/time.tsx';
import { ScheduleForm } from './schedule-form.tsx';

type Schedule = Outputs['configurationManager']['listBackupSchedules']['list'][number];
type OpenDialog = { kind: 'create' } | { kind: 'edit' | 'delete'; schedule: Schedule };

const COLUMNS: Column<Schedule>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => name, field: 'name' },
  {
    key: 'state',
    header: 'State',
    wraps: ({ lastResult }) => Boolean(lastResult),
    cell: ({ enabled, lastResult }) =>
      lastResult ? (
        <>
          <Badge tone="bad">did not start</Badge> {lastResult}
        </>
      ) : (
        <Badge tone={enabled ? 'good' : 'neutral'}>{enabled ? 'active' : 'paused'}</Badge>
      ),
    field: 'enabled:Enabled',
  },
  {
    key: 'when',
    header: 'When',
    wraps: true,
    cell: ({ schedule }) => <ScheduleText schedule={schedule} />,
    field: 'schedule',
  },
  {
    key: 'next',
    header: 'Next',
    cell: ({ nextRunAt }) => <Time value={nextRunAt} />,
    field: 'nextRunAt',
  },
  {
    key: 'devices',
    header: 'Devices',
    cell: ({ selection }) => selectionText(selection),
    field: 'selection',
  },
  {
    key: 'last',
    header: 'Last run',
    cell: ({ lastRunId }) => (lastRunId ? <Link {...backupRunPath(lastRunId)}>open</Link> : '–'),
  },
];

/** The schedules that back up a selection by themselves. */
export function Schedules() {
  const may = useMay();
  const refresh = useRefresh(trpc.configurationManager.listBackupSchedules.pathFilter());
  const [opened, setOpened] = useState<OpenDialog>();
  const close = () => setOpened(undefined);
  const setEnabled = async ({ id }: Schedule, enabled: boolean) => {
    try {
      await api.configurationManager.updateBackupSchedule.mutate({ id, enabled });
      showToast(enabled ? 'The schedule is active' : 'The schedule is paused');
    } catch (error) {
      showProblem(error);
    }
    await refresh();
  };
  const columns: Column<Schedule>[] = [
    ...COLUMNS,
    {
      key: 'actions',
      header: 'Actions',
      cell: (schedule) =>
        may('configurationManager.updateBackupSchedule') && (
          <ActionMenu
            label="Actions"
            name={`Actions of ${schedule.name}`}
            actions={[
              { label: 'Change', onAction: () => setOpened({ kind: 'edit', schedule }) },
              {
                label: schedule.enabled ? 'Pause' : 'Activate',
                onAction: () => void setEnabled(schedule, !schedule.enabled),
              },
              { label: 'Delete', onAction: () => setOpened({ kind: 'delete', schedule }) },
            ]}
          />
        ),
    },
  ];
  return (
    <>
      {may('configurationManager.createBackupSchedule') && (
        <div className="row">
          <Button onPress={() => setOpened({ kind: 'create' })}>Create schedule</Button>
        </div>
      )}
      <ListView
        title="Backup schedules"
        columns={columns}
        rowKey={({ id }) => id}
        path={trpc.configurationManager.listBackupSchedules.pathKey()}
        input={{}}
        read={async (start, limit) => {
          const { list, total } = await api.configurationManager.listBackupSchedules.query({ start, limit });
          return { rows: list, total };
        }}
        hasTextFilter={false}
        empty={
          <Empty
            title="There is no backup schedule yet"
            next={
              may('configurationManager.createBackupSchedule') && {
                label: 'Create the first one',
                act: () => setOpened({ kind: 'create' }),
              }
            }
          >
            <p>A schedule backs up a selection of devices automatically, for the account that saved it.</p>
          </Empty>
        }
      />
      {opened?.kind === 'create' && <ScheduleForm onClose={close} />}
      {opened?.kind === 'edit' && <ScheduleForm stored={opened.schedule} onClose={close} />}
      {opened?.kind === 'delete' && (
        <ConfirmDialog
          action="Delete schedule"
          onClose={close}
          onConfirm={async () => {
            await api.configurationManager.deleteBackupSchedule.mutate({ id: opened.schedule.id });
            await refresh();
          }}
        >
          “{opened.schedule.name}” no longer starts anything. The backups that it made stay.
        </ConfirmDialog>
      )}
    </>
  );
}
