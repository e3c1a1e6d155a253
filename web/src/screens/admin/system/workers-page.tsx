import { useQuery } from '@tanstack/react-query';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useAct } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { QueryView } from '~/ui/states.tsx';
import { AdminFrame } from '../admin-frame.tsx';

type Worker = Outputs['workflowEngine']['getWorkersStatus']['jobWorker'];

/** Whether new jobs and tasks begin. */
export function WorkersPage() {
  const may = useMay();
  const status = useQuery(trpc.workflowEngine.getWorkersStatus.queryOptions({}));
  const act = useAct(trpc.workflowEngine.getWorkersStatus.pathFilter(), trpc.health.getStatus.pathFilter());
  return (
    <AdminFrame current="Workers">
      <QueryView query={status} loading="Loading the workers">
        {({ jobWorker, taskWorker }) => (
          <div className="columns">
            <WorkerCard
              name="Job worker"
              explanation="Deactivated: no new job starts; running jobs continue."
              worker={jobWorker}
              onActivate={
                may('workflowEngine.activateJobWorker')
                  ? () => act(() => api.workflowEngine.activateJobWorker.mutate({}))
                  : undefined
              }
              onDeactivate={
                may('workflowEngine.deactivateJobWorker')
                  ? () => act(() => api.workflowEngine.deactivateJobWorker.mutate({}))
                  : undefined
              }
            />
            <WorkerCard
              name="Task worker"
              explanation="Deactivated: no further task begins; jobs wait where they are."
              worker={taskWorker}
              onActivate={
                may('workflowEngine.activateTaskWorker')
                  ? () => act(() => api.workflowEngine.activateTaskWorker.mutate({}))
                  : undefined
              }
              onDeactivate={
                may('workflowEngine.deactivateTaskWorker')
                  ? () => act(() => api.workflowEngine.deactivateTaskWorker.mutate({}))
                  : undefined
              }
            />
          </div>
        )}
      </QueryView>
    </AdminFrame>
  );
}

type WorkerCardProps = {
  name: string;
  explanation: string;
  worker: Worker;
  onActivate: (() => Promise<void>) | undefined;
  onDeactivate: (() => Promise<void>) | undefined;
};

/** Returns a setting in words. */
const settingText = (value: string): string => (value === 'not defined' ? 'not set' : value);

function WorkerCard({ name, explanation, worker, onActivate, onDeactivate }: WorkerCardProps) {
  return (
    <section className="card" aria-label={name}>
      <h2>{name}</h2>
      <Details
        entries={[
          [
            'State',
            <Badge key="state" tone={worker.running ? 'good' : 'warn'}>
              {worker.running ? 'runs' : 'stopped'}
            </Badge>,
          ],
          ['All instances', settingText(worker.clusterValue)],
          ['This instance', settingText(worker.localValue)],
        ]}
      />
      <p className="muted">{explanation}</p>
      <div className="row">
        {worker.running
          ? onDeactivate && (
              <Button variant="danger" onPress={onDeactivate}>
                Deactivate {name.toLowerCase()}
              </Button>
            )
          : onActivate && (
              <Button variant="primary" onPress={onActivate}>
                Activate {name.toLowerCase()}
              </Button>
            )}
      </div>
    </section>
  );
}
