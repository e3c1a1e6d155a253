import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { TextField } from '~/ui/fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { draftOf, scheduleOf } from '~/ui/schedule/schedule-draft.ts';
import { ScheduleField } from '~/ui/schedule/schedule-field.tsx';
import { SelectionField } from '~/ui/selection/selection-field.tsx';
import { useSelection } from '~/ui/selection/use-selection.ts';
import { OrderFields, orderDraftOf, orderOf } from './order-fields.tsx';

type Stored = Outputs['configurationManager']['getBackupSchedule'];

/** The times that a new schedule offers. */
const NIGHTLY = { calendar: { every: 'day', at: '02:30' } } as const;

/** Creates a backup schedule, or changes one; it then runs for the account that saved it. */
export function ScheduleForm({ stored, onClose }: { stored?: Stored; onClose: () => void }) {
  const refresh = useRefresh(trpc.configurationManager.listBackupSchedules.pathFilter());
  const [name, setName] = useState(stored?.name ?? '');
  const state = useSelection(stored?.selection);
  const [order, changeOrder] = useDraft(() => orderDraftOf(stored));
  const [times, changeTimes] = useDraft(() => draftOf(stored?.schedule ?? NIGHTLY));
  const { selection } = state;
  const schedule = scheduleOf(times);
  return (
    <FormDialog
      title={stored ? 'Change schedule' : 'Create schedule'}
      action={stored ? 'Save' : 'Create schedule'}
      size="wide"
      isOpen
      onClose={onClose}
      isReady={name.trim() !== '' && selection !== undefined && schedule !== undefined}
      onSubmit={async () => {
        if (!selection || !schedule) return;
        const body = { ...orderOf(order), name: name.trim(), selection, schedule };
        const { updateBackupSchedule, createBackupSchedule } = api.configurationManager;
        if (stored) await updateBackupSchedule.mutate({ id: stored.id, ...body });
        else await createBackupSchedule.mutate(body);
        await refresh();
      }}
    >
      <TextField label="Name" value={name} onChange={setName} isRequired autoFocus />
      <SelectionField state={state} />
      <ScheduleField draft={times} onChange={changeTimes} isRequired />
      <OrderFields draft={order} onChange={changeOrder} />
    </FormDialog>
  );
}
