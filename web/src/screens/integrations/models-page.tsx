import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { type Problem, problemOf } from '~/api/problem.ts';
import { modelPath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { useCreate } from '~/ui/actions/use-create.tsx';
import { Button } from '~/ui/button.tsx';
import { FileField } from '~/ui/file-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { PathLink } from '~/ui/page.tsx';
import { Empty, ProblemNote } from '~/ui/states.tsx';
import { ListPage } from '~/ui/table/list-page.tsx';

type Model = Outputs['integrationModels']['listModels']['integrationModels'][number];

/** The imported OpenAPI documents. */
export function ModelsPage() {
  const [{ q }] = useUrlState();
  const create = useCreate({
    label: 'Import model',
    first: 'Import the first one',
    needs: 'integrationModels.createModel',
    dialog: (onClose) => <ImportModel onClose={onClose} />,
  });
  const input = q ? { contains: q, containsField: 'name' } : {};
  return (
    <>
      <ListPage<Model>
        title="Integration models"
        pathTo={<PathLink to="/integrations">Integrations</PathLink>}
        columns={[
          {
            key: 'name',
            header: 'Model',
            cell: ({ versionId }) => <Link {...modelPath(versionId)}>{versionId}</Link>,
            field: 'versionId',
          },
          {
            key: 'description',
            header: 'Description',
            cell: ({ description }) => description.slice(0, 200),
            field: 'description',
          },
        ]}
        rowKey={({ versionId }) => versionId}
        path={trpc.integrationModels.listModels.pathKey()}
        input={input}
        read={async (skip, limit) => {
          const { integrationModels, total } = await api.integrationModels.listModels.query({
            queryOptions: { ...input, skip, limit },
          });
          return { rows: integrationModels, total };
        }}
        actions={create.button}
        empty={
          <Empty title="No model yet" next={create.next}>
            <p>Import an OpenAPI document (2.0, 3.0 or 3.1): each of its operations becomes a task.</p>
          </Empty>
        }
      />
      {create.dialog}
    </>
  );
}

function ImportModel({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh(trpc.integrationModels.listModels.pathFilter());
  const [text, setText] = useState('');
  const [warnings, setWarnings] = useState<string[]>();
  const [problem, setProblem] = useState<Problem>();
  const read = (given: string) => {
    setText(given);
    setWarnings(undefined);
    setProblem(undefined);
  };
  const validate = async () => {
    read(text);
    try {
      const checked = await api.integrationModels.validateModel.query({ model: text });
      setWarnings(checked.warnings.map(({ path, message }) => `${path.join(' → ')}: ${message}`));
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <FormDialog
      title="Import model"
      action="Import model"
      isOpen
      onClose={onClose}
      isReady={text !== ''}
      onSubmit={async () => {
        const { message } = await api.integrationModels.createModel.mutate({ model: text });
        showToast(message);
        await refresh();
      }}
    >
      <FileField label="OpenAPI document, JSON or YAML" accept=".json,.yaml,.yml" onText={read} />
      <Button onPress={validate} isDisabled={text === ''}>
        Check without importing
      </Button>
      {problem && <ProblemNote problem={problem} />}
      {warnings && (
        <section className="note" aria-label="Findings">
          {warnings.length === 0 ? (
            <p>The document has no findings.</p>
          ) : (
            <>
              <p>The document can be imported. What is left out, and what does not meet its specification:</p>
              <ul>
                {warnings.map((warning) => (
                  <li key={warning}>{warning}</li>
                ))}
              </ul>
            </>
          )}
        </section>
      )}
    </FormDialog>
  );
}
