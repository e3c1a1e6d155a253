import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefetchOn } from '~/api/live/use-live.ts';
import { useMay } from '~/api/use-may.ts';
import { workflowPath } from '~/app/paths.ts';
import { usePathParam } from '~/app/routes.tsx';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { LoadedPage, PathLink } from '~/ui/page.tsx';
import { Empty, QueryView } from '~/ui/states.tsx';
import { Time } from '~/ui/time.tsx';
import { ChangeAutomation } from './change-automation.tsx';
import { CloneAutomation } from './clone-automation.tsx';
import { TriggerCard } from './trigger-card.tsx';
import { TriggerForm } from './trigger-form.tsx';

type Automation = Outputs['operationsManager']['getAutomation']['data'];

/** What an automation starts, in words. */
const KINDS: Record<NonNullable<Automation['componentType']>, string> = {
  workflows: 'workflow',
  ucm_compliance_plan: 'compliance plan',
  ucm_compliance_plans: 'compliance plan',
};

/** Most triggers that one automation shows. */
const TRIGGERS = 200;

/** One automation: what it starts, and everything that starts it. */
export function AutomationPage() {
  const id = usePathParam('automationId');
  const query = useQuery(trpc.operationsManager.getAutomation.queryOptions({ id }));
  return (
    <LoadedPage
      query={query}
      title={id}
      titleOf={({ data }) => data.name}
      path={<PathLink to="/automations">Automations</PathLink>}
      actions={({ data }) => <AutomationActions automation={data} />}
    >
      {({ data }) => <LoadedAutomation automation={data} />}
    </LoadedPage>
  );
}

function AutomationActions({ automation }: { automation: Automation }) {
  const { _id: id, name } = automation;
  const may = useMay();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<'trigger' | 'change' | 'clone' | 'delete'>();
  const close = () => setAsked(undefined);
  return (
    <>
      {may('operationsManager.createTrigger') && (
        <Button onPress={() => setAsked('trigger')}>Create trigger</Button>
      )}
      {may('operationsManager.updateAutomation') && (
        <Button onPress={() => setAsked('change')}>Change automation</Button>
      )}
      {may('operationsManager.cloneAutomation') && <Button onPress={() => setAsked('clone')}>Clone</Button>}
      {may('operationsManager.deleteAutomation') && (
        <Button variant="danger" onPress={() => setAsked('delete')}>
          Delete
        </Button>
      )}
      {asked === 'trigger' && <TriggerForm actionId={id} onClose={close} />}
      {asked === 'change' && <ChangeAutomation automation={automation} onClose={close} />}
      {asked === 'clone' && <CloneAutomation id={id} name={name} onClose={close} />}
      <FormDialog
        title={`Delete ${name}?`}
        action="Delete automation"
        isDanger
        isOpen={asked === 'delete'}
        onClose={close}
        onSubmit={async () => {
          await api.operationsManager.deleteAutomation.mutate({ id });
          showToast('The automation is deleted');
          await navigate({ to: '/automations' });
          await queryClient.invalidateQueries(trpc.operationsManager.listAutomations.pathFilter());
        }}
      >
        <p>Its triggers are deleted too. Jobs that it has started stay.</p>
      </FormDialog>
    </>
  );
}

function LoadedAutomation({ automation }: { automation: Automation }) {
  const { _id: actionId, description, componentId, componentName, componentType, lastUpdated } = automation;
  const triggers = useQuery(
    trpc.operationsManager.listTriggers.queryOptions({
      queryOptions: { actionId, sort: 'name', limit: TRIGGERS },
    }),
  );
  useRefetchOn(
    trpc.operationsManager.listTriggers.pathFilter(),
    ({ topic }) => topic === 'jobStarted' || topic === 'missedJobs' || topic === 'triggerRefused',
  );
  return (
    <>
      <section className="card" aria-label="Summary">
        <Details
          entries={[
            ['Description', description && description],
            [
              'Starts',
              componentName && componentId && componentType === 'workflows' ? (
                <Link key="starts" {...workflowPath(componentId)}>
                  {componentName}
                </Link>
              ) : (
                componentName && componentName
              ),
            ],
            ['Kind', componentType && KINDS[componentType]],
            ['Changed', <Time key="changed" value={lastUpdated} />],
            [
              'Jobs',
              componentName && (
                <Link key="jobs" to="/jobs" search={{ q: componentName, window: 'all' }}>
                  all its jobs
                </Link>
              ),
            ],
          ]}
        />
      </section>
      <h2>Triggers</h2>
      <QueryView query={triggers} loading="Loading triggers">
        {({ data, metadata }) =>
          data.length === 0 ? (
            <Empty title="Nothing starts this automation">
              <p>It needs a trigger: a user, a schedule, an event or a call.</p>
            </Empty>
          ) : (
            <>
              {data.map((trigger) => (
                <TriggerCard key={trigger._id} trigger={trigger} />
              ))}
              {metadata.total > data.length && <p className="muted">The first {data.length}.</p>}
            </>
          )
        }
      </QueryView>
    </>
  );
}
