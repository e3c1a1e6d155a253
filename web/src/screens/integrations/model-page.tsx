import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { usePathParam } from '~/app/routes.tsx';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { JsonView } from '~/ui/code/json-view.tsx';
import { FormDialog } from '~/ui/dialog.tsx';
import { LoadedPage } from '~/ui/page.tsx';
import { QueryView } from '~/ui/states.tsx';
import { TabLinks, useTab } from '~/ui/tab-links.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import { ModelTasks } from './model-tasks.tsx';

const TABS = [
  { key: 'tasks', label: 'Tasks' },
  { key: 'connection', label: 'Connection' },
  { key: 'document', label: 'Document' },
] as const;

/** One model: its tasks, the connection that it proposes, and the document that it came from. */
export function ModelPage() {
  const name = usePathParam('name');
  const model = useQuery(trpc.integrationModels.getModel.queryOptions({ name }));
  const tab = useTab(TABS);
  return (
    <LoadedPage
      query={model}
      title={name}
      path={
        <>
          <Link to="/integrations">Integrations</Link> /{' '}
          <Link to="/integrations" search={{ tab: 'models' } as never}>
            Models
          </Link>
        </>
      }
      actions={() => <Delete name={name} />}
    >
      {({ description, properties }) => (
        <>
          <p>{visibleText(description)}</p>
          <TabLinks label="About this model" tabs={TABS} current={tab} />
          {tab === 'tasks' && <ModelTasks model={name} />}
          {tab === 'connection' && <JsonView label="Connection" value={properties} />}
          {tab === 'document' && <Document name={name} />}
        </>
      )}
    </LoadedPage>
  );
}

function Document({ name }: { name: string }) {
  const document = useQuery(trpc.integrationModels.exportModel.queryOptions({ name }));
  return (
    <QueryView query={document} loading="Loading the document">
      {(value) => <JsonView label="Document" value={value} fileName={`${name}.json`} />}
    </QueryView>
  );
}

function Delete({ name }: { name: string }) {
  const may = useMay();
  const navigate = useNavigate();
  const refresh = useRefresh(trpc.integrationModels.listModels.pathFilter());
  const [isOpen, setOpen] = useState(false);
  if (!may('integrationModels.deleteModel')) return null;
  return (
    <>
      <Button variant="danger" onPress={() => setOpen(true)}>
        Delete
      </Button>
      <FormDialog
        title="Delete model"
        action="Delete model"
        isDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onSubmit={async () => {
          await api.integrationModels.deleteModel.mutate({ name });
          await navigate({ to: '/integrations' as string, search: { tab: 'models' } as never });
          await refresh();
        }}
      >
        <p>
          The model “{visibleText(name)}” and its tasks go. A model that an integration uses is not deleted.
        </p>
      </FormDialog>
    </>
  );
}
