import { useState } from 'react';
import { api } from '~/api/client.ts';
import { SelectField, TextField } from '~/ui/fields.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { Loading } from '~/ui/states.tsx';
import { useAccounts } from './use-accounts.ts';

type AssignDialogProps = { taskId: string; onClose: () => void; onDone: () => Promise<void> };

/** Assigns a task to an account: one of a list where accounts may be read, else by its id. */
export function AssignDialog({ taskId, onClose, onDone }: AssignDialogProps) {
  const accounts = useAccounts();
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
      {accounts === undefined ? (
        <Loading what="Loading accounts" />
      ) : accounts.length > 0 ? (
        <SelectField
          label="Account"
          value={userId}
          onChange={setUserId}
          choices={[
            { value: '', label: 'Choose an account' },
            ...accounts.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      ) : (
        <TextField label="Account" hint="Its id" value={userId} onChange={setUserId} isRequired autoFocus />
      )}
    </FormDialog>
  );
}
