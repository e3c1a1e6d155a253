import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { problemOf } from '~/api/problem.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { FormDialog } from '~/ui/dialog.tsx';
import { TextArea } from '~/ui/fields.tsx';
import { FileField } from '~/ui/inputs/file-field.tsx';
import { ProblemNote } from '~/ui/states.tsx';
import { showToast } from '~/ui/toast.tsx';
import { visibleText } from '~/ui/visible-text.ts';

type Checked =
  | { kind: 'valid'; report: Outputs['integrationModels']['validateModel'] }
  | { kind: 'invalid'; error: unknown };

/** Imports an OpenAPI document as a model; a check says first what is wrong with it. */
export function ImportModel({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh(trpc.integrationModels.listModels.pathFilter());
  const [model, setModel] = useState('');
  const [checked, setChecked] = useState<Checked>();
  const change = (text: string) => {
    setModel(text);
    setChecked(undefined);
  };
  const check = async () => {
    try {
      setChecked({ kind: 'valid', report: await api.integrationModels.validateModel.query({ model }) });
    } catch (error) {
      setChecked({ kind: 'invalid', error });
    }
  };
  return (
    <FormDialog
      title="Import model"
      action="Import model"
      size="wide"
      isOpen
      onClose={onClose}
      isReady={model.trim() !== ''}
      onSubmit={async () => {
        const { message } = await api.integrationModels.createModel.mutate({ model });
        await refresh();
        showToast(message);
      }}
    >
      <FileField label="File" accept=".json,.yaml,.yml" onText={change} />
      <TextArea
        label="OpenAPI document"
        hint="JSON or YAML, OpenAPI 2 or 3."
        value={model}
        onChange={change}
        rows={12}
        isCode
      />
      <div className="row">
        <Button onPress={check} isDisabled={model.trim() === ''}>
          Check
        </Button>
      </div>
      {checked?.kind === 'invalid' && <ProblemNote problem={problemOf(checked.error)} />}
      {checked?.kind === 'valid' && (
        <div className="note" data-tone={checked.report.warnings.length > 0 ? 'warn' : 'good'} role="status">
          <p>{visibleText(checked.report.message)}</p>
          <ul>
            {checked.report.warnings.map(({ path, message }) => (
              <li key={`${path.join('.')} ${message}`}>
                <code>{visibleText(path.join('.'))}</code> {visibleText(message)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </FormDialog>
  );
}
