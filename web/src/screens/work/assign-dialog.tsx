import { useState } from 'react';
import { api } from '~/api/client.ts';
import { AccountField } from '~/ui/inputs/account-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';

type AssignDialogProps = { taskId: string; onClose: () => void; onDone: () => Promise<void> };

/** Assigns a task to an account. */
export function AssignDialog({ taskId, onClose, onDone }: AssignDialogProps) {
  const [userId, setUserId] = useState('');
  return (
    <FormDialog
      title="Assign the task"
      action="Assign"
      isOpen
      onClose={onClose}
      isReady={userId.trim() !== ''}
      onSubmit={async () => {
        await api.operationsManager.assignTask.mutate({ taskId, userId: userId.trim() });
        showToast('The task is assigned');
        await onDone();
      }}
    >
      <AccountField value={userId} onChange={setUserId} autoFocus />
    </FormDialog>
  );
}
