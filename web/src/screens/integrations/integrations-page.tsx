import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefetchOn } from '~/api/use-live.ts';
import { useMay } from '~/api/use-may.ts';
import { integrationModelPath, integrationPath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { Page } from '~/ui/page.tsx';
import { Empty } from '~/ui/states.tsx';
import { TabLinks, useTab } from '~/ui/tab-links.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { listInput } from '~/ui/table/list-input.ts';
import { ListView } from '~/ui/table/list-page.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import { Catalogues } from './catalogues.tsx';
import { CreateIntegration } from './create-integration.tsx';
import { ImportModel } from './import-model.tsx';
import { TestConnections } from './test-connections.tsx';

type Integration = Outputs['integrations']['listIntegrations']['results'][number];
type Model = Outputs['integrationModels']['listModels']['integrationModels'][number];

const TABS = [
  { key: 'integrations', label: 'Integrations' },
  { key: 'models', label: 'Models' },
  { key: 'catalogues', label: 'Adapter catalogues' },
] as const;

/** The systems that workflows call, and the descriptions that their tasks come from. */
export function IntegrationsPage() {
  const tab = useTab(TABS);
  const may = useMay();
  const [open, setOpen] = useState<'model' | 'integration'>();
  return (
    <Page
      title="Integrations"
      actions={
        <>
          {tab === 'models' && may('integrationModels.createModel') && (
            <Button variant="primary" onPress={() => setOpen('model')}>
              Import model
            </Button>
          )}
          {tab === 'integrations' && may('integrations.createIntegration') && (
            <Button variant="primary" onPress={() => setOpen('integration')}>
              Create integration
            </Button>
          )}
        </>
      }
    >
      <TabLinks label="Integrations" tabs={TABS} current={tab} />
      {tab === 'integrations' && <Integrations />}
      {tab === 'models' && <Models />}
      {tab === 'catalogues' && <Catalogues />}
      {open === 'model' && <ImportModel onClose={() => setOpen(undefined)} />}
      {open === 'integration' && <CreateIntegration onClose={() => setOpen(undefined)} />}
    </Page>
  );
}

const INTEGRATION_COLUMNS: Column<Integration>[] = [
  {
    key: 'name',
    header: 'Name',
    sortField: 'name',
    cell: ({ data }) => <Link to={integrationPath(data.name)}>{visibleText(data.name)}</Link>,
    text: ({ data }) => data.name,
  },
  {
    key: 'state',
    header: 'State',
    cell: ({ metadata }) => (
      <Badge tone={metadata.isActive ? 'good' : 'neutral'}>{metadata.isActive ? 'runs' : 'stopped'}</Badge>
    ),
    text: ({ metadata }) => (metadata.isActive ? 'runs' : 'stopped'),
  },
  {
    key: 'model',
    header: 'Model',
    cell: ({ data }) => (
      <Link to={integrationModelPath(data.properties.type)}>{visibleText(data.properties.type)}</Link>
    ),
    text: ({ data }) => data.properties.type,
  },
];

function Integrations() {
  const [url] = useUrlState();
  const may = useMay();
  const [tested, setTested] = useState<readonly string[]>();
  const input = listInput(url, 'name', { field: 'name', order: 1 });
  useRefetchOn(trpc.integrations.listIntegrations.pathFilter(), ({ topic }) => topic.startsWith('adapter'));
  return (
    <>
      <ListView
        title="Integrations"
        columns={INTEGRATION_COLUMNS}
        rowKey={({ data }) => data.name}
        path={trpc.integrations.listIntegrations.pathKey()}
        input={input}
        read={async (skip, limit) => {
          const { results, total } = await api.integrations.listIntegrations.query({
            queryOptions: { ...input, skip, limit },
          });
          return { rows: results, total };
        }}
        empty={
          <Empty title="No system is connected yet">
            <p>Import the description of its API as a model, then create an integration of it.</p>
          </Empty>
        }
        {...(may('integrations.testIntegration') && {
          bulk: (selected) => <Button onPress={() => setTested(selected)}>Test connection</Button>,
        })}
      />
      {tested && <TestConnections names={tested} onClose={() => setTested(undefined)} />}
    </>
  );
}

const MODEL_COLUMNS: Column<Model>[] = [
  {
    key: 'name',
    header: 'Name',
    cell: ({ versionId }) => <Link to={integrationModelPath(versionId)}>{visibleText(versionId)}</Link>,
    text: ({ versionId }) => versionId,
  },
  {
    key: 'description',
    header: 'Description',
    cell: ({ description }) => visibleText(description),
    text: ({ description }) => description,
  },
  { key: 'model', header: 'Package', cell: ({ model }) => visibleText(model), text: ({ model }) => model },
];

function Models() {
  const [url] = useUrlState();
  const input = listInput(url, 'versionId');
  return (
    <ListView
      title="Models"
      columns={MODEL_COLUMNS}
      rowKey={({ versionId }) => versionId}
      path={trpc.integrationModels.listModels.pathKey()}
      input={input}
      read={async (skip, limit) => {
        const { integrationModels, total } = await api.integrationModels.listModels.query({
          queryOptions: { ...input, skip, limit },
        });
        return { rows: integrationModels, total };
      }}
      empty={
        <Empty title="There is no model yet">
          <p>A model is an OpenAPI document; each of its operations becomes a task.</p>
        </Empty>
      }
    />
  );
}
