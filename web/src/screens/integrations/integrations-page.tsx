import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { integrationPath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { useCreate } from '~/ui/actions/use-create.tsx';
import { Badge } from '~/ui/badge.tsx';
import { LinkButton } from '~/ui/button.tsx';
import { TextField } from '~/ui/fields.tsx';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { Empty } from '~/ui/states.tsx';
import { ListPage } from '~/ui/table/list-page.tsx';

type Integration = Outputs['integrations']['listIntegrations']['results'][number];

/** The other systems that tasks call, each by the operations of its model. */
export function IntegrationsPage() {
  const may = useMay();
  const [{ q }] = useUrlState();
  const create = useCreate({
    label: 'Add integration',
    needs: 'integrations.createIntegration',
    dialog: (onClose) => <CreateIntegration onClose={onClose} />,
  });
  const input = q ? { contains: q, containsField: 'name' } : {};
  return (
    <>
      <ListPage<Integration>
        title="Integrations"
        columns={[
          {
            key: 'name',
            header: 'Name',
            cell: ({ data: { name } }) => <Link {...integrationPath(name)}>{name}</Link>,
            field: 'data.name',
          },
          {
            key: 'model',
            header: 'Model',
            cell: ({ data }) => data.properties.type,
            field: 'data.properties.type',
          },
          {
            key: 'state',
            header: 'State',
            cell: ({ metadata: { isActive } }) => (
              <Badge tone={isActive ? 'good' : 'neutral'}>{isActive ? 'in use' : 'stopped'}</Badge>
            ),
            field: 'metadata.isActive:Active',
          },
        ]}
        rowKey={({ data: { name } }) => name}
        path={trpc.integrations.listIntegrations.pathKey()}
        input={input}
        read={async (skip, limit) => {
          const { results, total } = await api.integrations.listIntegrations.query({
            queryOptions: { ...input, skip, limit },
          });
          return { rows: results, total };
        }}
        actions={
          <>
            <LinkButton to="/integration-models">Models</LinkButton>
            {may('adapterModels.listPackages') && (
              <LinkButton to="/adapter-packages">Adapter packages</LinkButton>
            )}
            {may('adapterModels.listCatalogues') && (
              <LinkButton to="/adapter-catalogues">Adapter catalogues</LinkButton>
            )}
            {create.button}
          </>
        }
        empty={
          <Empty title="No integration yet">
            <p>Import the OpenAPI document of a system as a model, then add an integration of that model.</p>
            <LinkButton to="/integration-models">Import a model</LinkButton>
          </Empty>
        }
      />
      {create.dialog}
    </>
  );
}

function CreateIntegration({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh(trpc.integrations.listIntegrations.pathFilter());
  const models = useQuery(trpc.integrationModels.listModels.queryOptions({ queryOptions: {} }));
  const [name, setName] = useState('');
  const [chosen, setModel] = useState('');
  const choices = (models.data?.integrationModels ?? []).map(({ versionId }) => ({
    value: versionId,
    label: versionId,
  }));
  const model = chosen || (choices[0]?.value ?? '');
  return (
    <FormDialog
      title="Add integration"
      action="Add integration"
      isOpen
      onClose={onClose}
      isReady={name.trim() !== '' && model !== ''}
      onSubmit={async () => {
        const { message } = await api.integrations.createIntegration.mutate({
          properties: { name, type: 'Adapter', virtual: true, properties: { id: name, type: model } },
        });
        showToast(message);
        await refresh();
      }}
    >
      {models.data && choices.length === 0 ? (
        <p>There is no model yet. Import the OpenAPI document of the system first.</p>
      ) : (
        <SelectField label="Model" from={models} value={model} choices={choices} onChange={setModel} />
      )}
      <TextField
        label="Name"
        hint="A letter, then letters, digits, _ . or -"
        value={name}
        onChange={setName}
        isRequired
      />
    </FormDialog>
  );
}
