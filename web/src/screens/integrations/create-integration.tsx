import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { FormDialog } from '~/ui/dialog.tsx';
import { SelectField, TextArea, TextField } from '~/ui/fields.tsx';
import { parsedJson } from '~/ui/inputs/file-field.tsx';
import { showToast } from '~/ui/toast.tsx';

/** Connects a system that a model describes; the connection is that of the model until it is changed here. */
export function CreateIntegration({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh(trpc.integrations.listIntegrations.pathFilter());
  const models = useQuery(trpc.integrationModels.listModels.queryOptions({ queryOptions: { limit: 200 } }));
  const [name, setName] = useState('');
  const [type, setType] = useState('');
  const [text, setText] = useState('');
  const model = models.data?.integrationModels.find(({ versionId }) => versionId === type);
  const connection = text.trim() === '' ? {} : parsedJson<Record<string, unknown>>(text);
  const choose = (versionId: string) => {
    setType(versionId);
    const chosen = models.data?.integrationModels.find((one) => one.versionId === versionId);
    setText(chosen ? JSON.stringify(chosen.properties, null, 2) : '');
  };
  return (
    <FormDialog
      title="Create integration"
      action="Create integration"
      size="wide"
      isOpen
      onClose={onClose}
      isReady={name.trim() !== '' && model !== undefined && connection !== undefined}
      onSubmit={async () => {
        if (!model || !connection) return;
        const { message } = await api.integrations.createIntegration.mutate({
          properties: {
            name: name.trim(),
            type: 'Adapter',
            model: model.model,
            virtual: true,
            properties: { id: name.trim(), type, brokers: [], groups: [], properties: connection },
          },
        });
        await refresh();
        showToast(message);
      }}
    >
      <TextField label="Name" value={name} onChange={setName} isRequired autoFocus />
      <SelectField
        label="Model"
        value={type}
        onChange={choose}
        choices={[
          { value: '', label: 'Choose a model' },
          ...(models.data?.integrationModels ?? []).map(({ versionId }) => ({
            value: versionId,
            label: versionId,
          })),
        ]}
      />
      <TextArea
        label="Connection"
        hint="Server, sign-in and encryption, as JSON. Secrets are stored sealed and never shown again."
        value={text}
        onChange={setText}
        rows={12}
        isCode
        problem={connection === undefined ? 'This is no JSON object.' : undefined}
      />
    </FormDialog>
  );
}
