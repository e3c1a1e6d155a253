import { useState } from 'react';
import { api, type Inputs, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { TextArea } from '~/ui/fields.tsx';
import { FileField, parseJsonFile } from '~/ui/file-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { visibleText } from '~/ui/visible-text.ts';

type Exported = Inputs['adapters']['importAdapter']['properties'];

/** The configuration in a text; the service checks its members. */
function exportedOf(text: string): Exported | undefined {
  const parsed = parseJsonFile(text);
  return 'value' in parsed && typeof parsed.value === 'object' && parsed.value !== null
    ? (parsed.value as Exported)
    : undefined;
}

/** Adds an adapter from its exported configuration; the service checks every field of it. */
export function ImportAdapter({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh(trpc.adapters.listAdapters.pathFilter());
  const [text, setText] = useState('');
  const properties = exportedOf(text);
  return (
    <FormDialog
      title="Import adapter"
      action="Import adapter"
      size="wide"
      isOpen
      onClose={onClose}
      isReady={properties !== undefined}
      onSubmit={async () => {
        if (!properties) return;
        const { message } = await api.adapters.importAdapter.mutate({ properties });
        await refresh();
        showToast(message);
      }}
    >
      <FileField label="File" accept=".json" onText={setText} />
      <TextArea
        label="Configuration"
        hint="The JSON of an export, with its secrets entered."
        value={text}
        onChange={setText}
        rows={12}
        isCode
        problem={text.trim() !== '' && !properties ? 'This is no JSON object.' : undefined}
      />
    </FormDialog>
  );
}

/** Deletes an adapter after a question. */
export function DeleteAdapter({ name, onClose }: { name: string; onClose: () => void }) {
  const refresh = useRefresh(trpc.adapters.listAdapters.pathFilter());
  return (
    <FormDialog
      title="Delete adapter"
      action="Delete adapter"
      isDanger
      isOpen
      onClose={onClose}
      onSubmit={async () => {
        const { message } = await api.adapters.deleteAdapter.mutate({ name });
        await refresh();
        showToast(message);
      }}
    >
      <p>
        The adapter “{visibleText(name)}” goes with its settings. Devices that only it reports disappear;
        workflows that call it fail.
      </p>
    </FormDialog>
  );
}
