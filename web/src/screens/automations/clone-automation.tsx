import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { automationPath } from '~/app/paths.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { TextField } from '~/ui/fields.tsx';
import { Dialog, FormDialog } from '~/ui/overlays/dialog.tsx';

type Cloned = Outputs['operationsManager']['cloneAutomation'];

/** Copies an automation, then shows what differs from the original, trigger by trigger. */
export function CloneAutomation({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [newName, setNewName] = useState('');
  const isMade = useRef(false);
  const [cloned, setCloned] = useState<Cloned>();
  if (cloned) {
    const { data, metadata } = cloned;
    return (
      <Dialog title={`${data.name} was created`} isOpen onClose={onClose}>
        <Changes changes={metadata.automaticChanges} />
        <ul>
          {metadata.triggerCloneResults.data.map(({ success, message, automaticChanges, data: trigger }) => (
            <li key={`${trigger.type} ${trigger.name}`}>
              <Badge tone={success ? 'good' : 'bad'}>{success ? 'copied' : 'not copied'}</Badge>{' '}
              {String(trigger.name)}: {message}
              <Changes changes={automaticChanges} />
            </li>
          ))}
        </ul>
        <div className="dialog-actions">
          <Button onPress={onClose}>Stay here</Button>
          <Button
            variant="primary"
            onPress={() => {
              onClose();
              void navigate(automationPath(data._id));
            }}
          >
            Open the copy
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={`Clone ${name}`}
      action="Clone"
      isOpen
      // A clone that was made shows its result in the same place.
      onClose={() => !isMade.current && onClose()}
      onSubmit={async () => {
        const answer = await api.operationsManager.cloneAutomation.mutate({
          automation: { id, ...(newName.trim() && { name: newName.trim() }) },
        });
        isMade.current = true;
        setCloned(answer);
        await queryClient.invalidateQueries(trpc.operationsManager.listAutomations.pathFilter());
      }}
    >
      <TextField
        label="Name of the copy"
        hint="Default: the name of the original with a number"
        value={newName}
        onChange={setNewName}
        autoFocus
      />
    </FormDialog>
  );
}

const Changes = ({ changes }: { changes: readonly string[] }) =>
  changes.length === 0 ? null : (
    <ul className="small">
      {changes.map((change) => (
        <li key={change}>{change}</li>
      ))}
    </ul>
  );
