import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { projectPath } from '~/app/paths.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { FormDialog } from '~/ui/dialog.tsx';
import { TextField } from '~/ui/fields.tsx';

/** Creates an empty project and opens it. */
export function CreateProject({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh(trpc.automationStudio.listProjects.pathFilter());
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  return (
    <FormDialog
      title="Create project"
      action="Create project"
      isOpen
      onClose={onClose}
      isReady={name.trim() !== ''}
      onSubmit={async () => {
        const { data } = await api.automationStudio.createProject.mutate({ name: name.trim(), description });
        await refresh();
        await navigate({ to: projectPath(data._id) });
      }}
    >
      <TextField label="Name" value={name} onChange={setName} isRequired autoFocus />
      <TextField label="Description" value={description} onChange={setDescription} />
    </FormDialog>
  );
}
