import { useState } from 'react';
import { api, type Inputs, trpc } from '~/api/client.ts';
import { problemOf } from '~/api/problem.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { FormDialog } from '~/ui/dialog.tsx';
import { Checkbox } from '~/ui/fields.tsx';
import { FileField, parsedJson } from '~/ui/inputs/file-field.tsx';
import { ProblemNote } from '~/ui/states.tsx';
import { showToast } from '~/ui/toast.tsx';
import { visibleText } from '~/ui/visible-text.ts';

type Package = Inputs['prebuilts']['importPrebuilt']['prebuilt'];

/** Installs a prebuilt from its file; a check says first whether it can be. */
export function InstallPrebuilt({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh(trpc.prebuilts.listPrebuilts.pathFilter());
  const [text, setText] = useState('');
  const [isOverwriting, setOverwriting] = useState(false);
  const [checked, setChecked] = useState<string>();
  const [error, setError] = useState<unknown>();
  const prebuilt = parsedJson<Package>(text);
  const check = async () => {
    if (!prebuilt) return;
    setChecked(undefined);
    setError(undefined);
    try {
      setChecked((await api.prebuilts.validatePrebuilt.query({ prebuilt })).message);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <FormDialog
      title="Install prebuilt"
      action="Install prebuilt"
      isOpen
      onClose={onClose}
      isReady={prebuilt !== undefined}
      onSubmit={async () => {
        if (!prebuilt) return;
        const { message, metadata } = await api.prebuilts.importPrebuilt.mutate({
          prebuilt,
          options: { overwrite: isOverwriting },
        });
        await refresh();
        showToast(
          metadata.missingTotal > 0 ? `${message}. ${metadata.missingTotal} things are missing.` : message,
        );
      }}
    >
      <FileField label="File" accept=".json" onText={setText} />
      {text !== '' && !prebuilt && <p className="field-problem">This file is no prebuilt.</p>}
      <Checkbox label="Overwrite what is installed" isChecked={isOverwriting} onChange={setOverwriting} />
      <div className="row">
        <Button onPress={check} isDisabled={!prebuilt}>
          Check
        </Button>
      </div>
      {checked !== undefined && (
        <p className="note" data-tone="good" role="status">
          {visibleText(checked)}
        </p>
      )}
      {error !== undefined && <ProblemNote problem={problemOf(error)} />}
    </FormDialog>
  );
}
