import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '~/api/client.ts';
import { automationPath } from '~/app/paths.ts';
import { Checkbox, TextField } from '~/ui/fields.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { WorkflowField } from './workflow-field.tsx';

/** A dialog that creates an automation of a workflow, with a manual trigger so that it can be run at once. */
export function NewAutomation({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [componentName, setComponentName] = useState('');
  const [description, setDescription] = useState('');
  const [isManual, setManual] = useState(true);
  const create = async () => {
    const { data } = await api.operationsManager.createAutomation.mutate({
      automation: {
        name: name.trim(),
        componentType: 'workflows',
        componentName: componentName.trim(),
        ...(description && { description }),
      },
    });
    if (isManual) {
      await api.operationsManager.createTrigger.mutate({
        trigger: {
          name: `Run ${name.trim()}`,
          type: 'manual',
          actionType: 'automations',
          actionId: data._id,
          enabled: true,
        },
      });
    }
    void navigate(automationPath(data._id));
  };
  return (
    <FormDialog
      title="Create automation"
      action="Create automation"
      isOpen={isOpen}
      onClose={onClose}
      onSubmit={create}
      isReady={name.trim() !== '' && componentName.trim() !== ''}
    >
      <TextField label="Name" value={name} onChange={setName} isRequired autoFocus />
      <WorkflowField value={componentName} onChange={setComponentName} />
      <TextField label="Description" value={description} onChange={setDescription} />
      <Checkbox label="With a trigger that users start" isChecked={isManual} onChange={setManual} />
    </FormDialog>
  );
}
