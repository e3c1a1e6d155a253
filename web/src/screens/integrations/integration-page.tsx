import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { problemOf } from '~/api/problem.ts';
import { useMay } from '~/api/use-may.ts';
import { modelPath } from '~/app/paths.ts';
import { usePathParam } from '~/app/routes.tsx';
import { useAct } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { CodeEditor } from '~/ui/code/editor.tsx';
import { Details } from '~/ui/details.tsx';
import { parseJsonFile } from '~/ui/file-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { LoadedPage, PathLink } from '~/ui/page.tsx';
import { ProblemNote } from '~/ui/states.tsx';
import { ModelTasks } from './model-tasks.tsx';

type Integration = Outputs['integrations']['getIntegration'];

/** An integration: its connection with a test, and the operations that tasks can call. */
export function IntegrationPage() {
  const name = usePathParam('name');
  const integration = useQuery(trpc.integrations.getIntegration.queryOptions({ name }));
  return (
    <LoadedPage
      query={integration}
      title={name}
      path={<PathLink to="/integrations">Integrations</PathLink>}
      actions={({ metadata }) => (
        <>
          <StartOrStop name={name} isActive={metadata.isActive} />
          <Delete name={name} />
        </>
      )}
    >
      {(data) => (
        <>
          <div className="columns">
            <section className="card" aria-label="State">
              <h2>State</h2>
              <Details
                entries={[
                  [
                    'Model',
                    <Link key="model" {...modelPath(data.data.properties.type)}>
                      {data.data.properties.type}
                    </Link>,
                  ],
                  ['In use', data.metadata.isActive ? 'yes' : 'no'],
                  ['Last call', <LastCall key="last" name={name} />],
                ]}
              />
              <ConnectionTest name={name} />
            </section>
            <Connection name={name} integration={data} />
          </div>
          <ModelTasks model={data.data.properties.type} integration={name} />
        </>
      )}
    </LoadedPage>
  );
}

/** Milliseconds after which the state of the last call is read again. */
const REFRESH_MS = 3000;

/** What the last call found, whoever made it. */
function LastCall({ name }: { name: string }) {
  const background = { trpc: { context: { background: true } }, refetchInterval: REFRESH_MS };
  const health = useQuery(trpc.health.getAdapter.queryOptions({ name }, background));
  const { state, error }: { state?: string; error?: unknown } = health.data?.connection ?? {};
  if (state === 'ONLINE') return <Badge tone="good">answered</Badge>;
  if (state !== 'OFFLINE') return 'none yet';
  return (
    <>
      <Badge tone="bad">failed</Badge> {typeof error === 'string' && error}
    </>
  );
}

/** A stopped integration keeps its connection; its tasks end in an error. */
function StartOrStop({ name, isActive }: { name: string; isActive: boolean }) {
  const may = useMay();
  const act = useAct(trpc.integrations.getIntegration.pathFilter());
  if (!may(isActive ? 'adapters.stopAdapter' : 'adapters.startAdapter')) return null;
  const change = isActive ? api.adapters.stopAdapter : api.adapters.startAdapter;
  return (
    <Button onPress={() => void act(() => change.mutate({ name }))}>{isActive ? 'Stop' : 'Start'}</Button>
  );
}

function ConnectionTest({ name }: { name: string }) {
  const may = useMay();
  const test = useMutation(trpc.integrations.testIntegration.mutationOptions());
  if (!may('integrations.testIntegration')) return null;
  return (
    <div className="column">
      <div className="row">
        <Button onPress={() => test.mutate({ name })} isPending={test.isPending}>
          {test.isPending ? 'Testing …' : 'Test the connection'}
        </Button>
        {test.data && (
          <span role="status">
            <Badge tone={test.data.ok ? 'good' : 'bad'}>{test.data.ok ? 'answers' : 'fails'}</Badge>{' '}
            {test.data.detail} ({Math.round(test.data.latencyMs)} ms)
          </span>
        )}
      </div>
      {test.error && <ProblemNote problem={problemOf(test.error)} />}
    </div>
  );
}

/** The connection as JSON: its members differ from model to model. Secrets read as a mask, which keeps what is stored. */
function Connection({ name, integration }: { name: string; integration: Integration }) {
  const may = useMay();
  const queryClient = useQueryClient();
  const stored = JSON.stringify(integration.data.properties.properties ?? {}, null, 2);
  const [edited, setEdited] = useState<string>();
  const text = edited ?? stored;
  const save = useMutation({
    mutationFn: async () => {
      const parsed = parseJsonFile(text);
      if ('problem' in parsed) throw new Error(parsed.problem.replace('The file', 'The connection'));
      return api.integrations.updateProperties.mutate({
        name,
        properties: parsed.value as Record<string, unknown>,
      });
    },
    onSuccess: async ({ message }) => {
      showToast(message);
      await queryClient.invalidateQueries(trpc.integrations.getIntegration.pathFilter());
      setEdited(undefined);
    },
  });
  return (
    <section className="card" aria-label="Connection settings">
      <h2>Connection</h2>
      <CodeEditor
        label="Connection as JSON"
        language="json"
        value={text}
        onChange={setEdited}
        isReadOnly={!may('integrations.updateProperties')}
      />
      {save.error && <ProblemNote problem={problemOf(save.error)} />}
      {may('integrations.updateProperties') && (
        <div className="row">
          <Button
            variant="primary"
            onPress={() => save.mutate()}
            isDisabled={edited === undefined || edited === stored}
            isPending={save.isPending}
          >
            Save connection
          </Button>
          {edited !== undefined && <Button onPress={() => setEdited(undefined)}>Undo</Button>}
        </div>
      )}
    </section>
  );
}

function Delete({ name }: { name: string }) {
  const may = useMay();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  if (!may('integrations.deleteIntegration')) return null;
  return (
    <>
      <Button variant="danger" onPress={() => setOpen(true)}>
        Delete
      </Button>
      <FormDialog
        title={`Delete ${name}?`}
        action="Delete integration"
        isDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onSubmit={async () => {
          await api.integrations.deleteIntegration.mutate({ name });
          await queryClient.invalidateQueries(trpc.integrations.listIntegrations.pathFilter());
          await navigate({ to: '/integrations' });
        }}
      >
        <p>Workflows with tasks of this integration can no longer run. Its credentials are deleted.</p>
      </FormDialog>
    </>
  );
}
