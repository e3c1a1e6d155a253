import { useState } from 'react';
import { api } from '~/api/client.ts';
import { TextField } from '~/ui/fields.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';

type SaveTemplateProps = { commands: readonly string[]; onClose: () => void; onSaved: () => void };

/** Stores commands as a command template without rules. */
export function SaveTemplate({ commands, onClose, onSaved }: SaveTemplateProps) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [os, setOs] = useState('');
  return (
    <FormDialog
      title="Save as command template"
      action="Save template"
      isOpen
      onClose={onClose}
      isReady={name.trim() !== ''}
      onSubmit={async () => {
        await api.mop.createTemplate.mutate({
          mop: {
            name: name.trim(),
            description,
            os,
            passRule: true,
            commands: commands.map((command) => ({ command, passRule: true, rules: [] })),
          },
        });
        onSaved();
        showToast(`The command template ${name.trim()} is stored.`);
      }}
    >
      <TextField label="Name" value={name} onChange={setName} isRequired autoFocus />
      <TextField label="Description" value={description} onChange={setDescription} />
      <TextField label="Platform" hint="Such as cisco-ios; may be left empty." value={os} onChange={setOs} />
      <p className="muted">
        {commands.length} {commands.length === 1 ? 'command' : 'commands'}: <code>{commands.join('; ')}</code>
      </p>
    </FormDialog>
  );
}
