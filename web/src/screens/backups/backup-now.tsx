import { useNavigate } from '@tanstack/react-router';
import { api, trpc } from '~/api/client.ts';
import { backupRunPath } from '~/app/paths.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { useDraft } from '~/ui/form/use-draft.ts';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import type { Selection } from '~/ui/selection/selection-draft.ts';
import { devicesText, SelectionField } from '~/ui/selection/selection-field.tsx';
import { useSelection } from '~/ui/selection/use-selection.ts';
import { OrderFields, orderDraftOf, orderOf } from './order-fields.tsx';

type BackupNowProps = {
  /** What is selected at first, such as the devices that failed. */
  initial?: Selection;
  onClose: () => void;
};

/** Starts a backup of a selection, after it has said how many devices it means. */
export function BackupNow({ initial, onClose }: BackupNowProps) {
  const navigate = useNavigate();
  const refresh = useRefresh(trpc.configurationManager.listBackupRuns.pathFilter());
  const state = useSelection(initial);
  const [order, change] = useDraft(() => orderDraftOf());
  const { selection } = state;
  return (
    <FormDialog
      title="Back up devices"
      action={`Back up ${devicesText(state.count)}`}
      size="wide"
      isOpen
      onClose={onClose}
      isReady={state.isReady}
      onSubmit={async () => {
        if (!selection) return;
        const { runId } = await api.configurationManager.startFleetBackup.mutate({
          ...orderOf(order),
          selection,
        });
        await refresh();
        await navigate(backupRunPath(runId));
      }}
    >
      <SelectionField state={state} />
      <OrderFields draft={order} onChange={change} />
    </FormDialog>
  );
}
