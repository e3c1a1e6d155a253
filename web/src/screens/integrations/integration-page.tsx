import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { integrationModelPath } from '~/app/paths.ts';
import { usePathParam } from '~/app/routes.tsx';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { JsonView } from '~/ui/code/json-view.tsx';
import { Details } from '~/ui/details.tsx';
import { FormDialog } from '~/ui/dialog.tsx';
import { LoadedPage } from '~/ui/page.tsx';
import { TabLinks, useTab } from '~/ui/tab-links.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import { ModelTasks } from './model-tasks.tsx';
import { TestConnections } from './test-connections.tsx';

type Integration = Outputs['integrations']['getIntegration'];

const TABS = [
  { key: 'tasks', label: 'Tasks' },
  { key: 'connection', label: 'Connection' },
] as const;

/** One integration: its tasks, its connection without secrets, and a test of it. */
export function IntegrationPage() {
  const name = usePathParam('name');
  const integration = useQuery(trpc.integrations.getIntegration.queryOptions({ name }));
  const tab = useTab(TABS);
  return (
    <LoadedPage
      query={integration}
      title={name}
      path={<Link to="/integrations">Integrations</Link>}
      actions={(data) => <Actions integration={data} />}
    >
      {({ data, metadata }) => (
        <>
          <section className="card" aria-label="Summary">
            <Details
              entries={[
                [
                  'State',
                  <Badge key="state" tone={metadata.isActive ? 'good' : 'neutral'}>
                    {metadata.isActive ? 'runs' : 'stopped'}
                  </Badge>,
                ],
                [
                  'Model',
                  <Link key="model" to={integrationModelPath(data.properties.type)}>
                    {visibleText(data.properties.type)}
                  </Link>,
                ],
                ['Package', visibleText(data.model)],
              ]}
            />
          </section>
          <TabLinks label="About this integration" tabs={TABS} current={tab} />
          {tab === 'tasks' ? (
            <ModelTasks model={data.properties.type} />
          ) : (
            <JsonView label="Connection" value={data.properties.properties ?? {}} />
          )}
        </>
      )}
    </LoadedPage>
  );
}

function Actions({ integration: { data } }: { integration: Integration }) {
  const may = useMay();
  const navigate = useNavigate();
  const refresh = useRefresh(trpc.integrations.listIntegrations.pathFilter());
  const [open, setOpen] = useState<'test' | 'delete'>();
  const close = () => setOpen(undefined);
  return (
    <>
      {may('integrations.testIntegration') && (
        <Button variant="primary" onPress={() => setOpen('test')}>
          Test connection
        </Button>
      )}
      {may('integrations.deleteIntegration') && (
        <Button variant="danger" onPress={() => setOpen('delete')}>
          Delete
        </Button>
      )}
      {open === 'test' && <TestConnections names={[data.name]} onClose={close} />}
      {open === 'delete' && (
        <FormDialog
          title="Delete integration"
          action="Delete integration"
          isDanger
          isOpen
          onClose={close}
          onSubmit={async () => {
            await api.integrations.deleteIntegration.mutate({ name: data.name });
            await navigate({ to: '/integrations' as string });
            await refresh();
          }}
        >
          <p>
            The integration “{visibleText(data.name)}” goes with its secrets; workflows that call it fail.
          </p>
        </FormDialog>
      )}
    </>
  );
}
