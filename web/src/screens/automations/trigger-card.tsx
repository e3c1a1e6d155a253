import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showProblem, showToast } from '~/ui/overlays/toast.tsx';
import { Time } from '~/ui/time.tsx';
import { RunTrigger } from './run-trigger.tsx';
import { TriggerForm } from './trigger-form.tsx';
import { Enabled, LastResult, missedRuns, StartedBy, type Trigger, triggerType } from './trigger-state.tsx';

/** One trigger: what starts it, when it runs next, how it went last, and what may be done to it. */
export function TriggerCard({ trigger }: { trigger: Trigger }) {
  const may = useMay();
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<'run' | 'change' | 'delete'>();
  const close = () => setAsked(undefined);
  const id = trigger._id;
  const isEnabled = trigger.enabled !== false;
  const refresh = () => queryClient.invalidateQueries(trpc.operationsManager.listTriggers.pathFilter());
  const mayRun = {
    manual: may('operationsManager.runManualTrigger'),
    schedule: may('operationsManager.runScheduleTrigger'),
    endpoint: may('operationsManager.runEndpointTrigger'),
    eventSystem: false,
  }[trigger.type];
  const toggle = async () => {
    try {
      await api.operationsManager.updateTrigger.mutate({ id, trigger: { enabled: !isEnabled } });
      showToast(isEnabled ? 'The trigger is disabled' : 'The trigger is enabled');
    } catch (error) {
      showProblem(error);
    }
    await refresh();
  };
  return (
    <section className="card" aria-label={`Trigger ${trigger.name}`}>
      <div className="row">
        <h3>{trigger.name}</h3>
        <span className="muted">{triggerType(trigger)}</span>
        <Enabled trigger={trigger} />
      </div>
      <Details
        entries={[
          ['Description', trigger.description && trigger.description],
          ['Started by', <StartedBy key="start" trigger={trigger} />],
          ['Next run', trigger.type === 'schedule' && <Time key="next" value={trigger.nextRunAt} />],
          ['Missed runs', missedRuns(trigger)],
          ['Last result', <LastResult key="last" trigger={trigger} />],
          ['Last job', trigger.lastExecuted && <Time key="job" value={trigger.lastExecuted} />],
        ].map(([name, value]) => [String(name), value || undefined])}
      />
      <div className="row">
        {mayRun && isEnabled && (
          <Button variant="primary" onPress={() => setAsked('run')}>
            {trigger.type === 'endpoint' ? 'Test call' : 'Run'}
          </Button>
        )}
        {may('operationsManager.updateTrigger') && (
          <>
            <Button onPress={() => setAsked('change')}>Change</Button>
            <Button onPress={toggle}>{isEnabled ? 'Disable' : 'Enable'}</Button>
          </>
        )}
        {may('operationsManager.deleteTrigger') && (
          <Button variant="danger" onPress={() => setAsked('delete')}>
            Delete trigger
          </Button>
        )}
      </div>
      {asked === 'run' && <RunTrigger trigger={trigger} onClose={close} />}
      {asked === 'change' && (
        <TriggerForm actionId={trigger.actionId ?? ''} stored={trigger} onClose={close} />
      )}
      <FormDialog
        title={`Delete ${trigger.name}?`}
        action="Delete trigger"
        isDanger
        isOpen={asked === 'delete'}
        onClose={close}
        onSubmit={async () => {
          await api.operationsManager.deleteTrigger.mutate({ id });
          showToast('The trigger is deleted');
          await refresh();
        }}
      >
        <p>“{trigger.name}” no longer starts anything. Its automation stays.</p>
      </FormDialog>
    </section>
  );
}
