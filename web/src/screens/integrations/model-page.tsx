import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { usePathParam } from '~/app/routes.tsx';
import { Button } from '~/ui/button.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { LoadedPage, PathLink } from '~/ui/page.tsx';
import { ModelTasks } from './model-tasks.tsx';

/** A model with its tasks. */
export function ModelPage() {
  const name = usePathParam('name');
  const model = useQuery(trpc.integrationModels.getModel.queryOptions({ name }));
  return (
    <LoadedPage
      query={model}
      title={name}
      path={<PathLink to="/integration-models">Integration models</PathLink>}
      actions={() => <Delete name={name} />}
    >
      {({ description, versionId }) => (
        <>
          {description && <p>{description.slice(0, 1000)}</p>}
          <ModelTasks model={versionId} />
        </>
      )}
    </LoadedPage>
  );
}

function Delete({ name }: { name: string }) {
  const may = useMay();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  if (!may('integrationModels.deleteModel')) return null;
  return (
    <>
      <Button variant="danger" onPress={() => setOpen(true)}>
        Delete
      </Button>
      <FormDialog
        title={`Delete ${name}?`}
        action="Delete model"
        isDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onSubmit={async () => {
          await api.integrationModels.deleteModel.mutate({ name });
          await queryClient.invalidateQueries(trpc.integrationModels.listModels.pathFilter());
          await navigate({ to: '/integration-models' });
        }}
      >
        <p>Its tasks and its roles are deleted too.</p>
      </FormDialog>
    </>
  );
}
