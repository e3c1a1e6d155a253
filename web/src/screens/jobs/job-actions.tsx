import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { useMay, useWhoAmI } from '~/api/use-may.ts';
import { Button } from '~/ui/button.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showProblem, showToast } from '~/ui/overlays/toast.tsx';
import { isOver, type Job } from './job-state.tsx';

type ByJob = Record<string, { error?: string | undefined }>;

/** What can be done to the whole job in its present state, by this account. */
export function JobActions({ job, jobId }: { job: Job; jobId: string }) {
  const may = useMay();
  const me = useWhoAmI();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<'cancel' | 'delete'>();
  const jobIds = [jobId];
  const refresh = () => queryClient.invalidateQueries(trpc.operationsManager.getJob.queryFilter({ jobId }));
  const act = async (done: string, call: () => Promise<{ data: unknown }>) => {
    try {
      const { data } = await call();
      const error = (data as ByJob)[jobId]?.error;
      if (error) throw new Error(error);
      showToast(done);
    } catch (error) {
      showProblem(error);
    }
    await refresh();
  };
  const watches = me !== undefined && (job.watchers ?? []).includes(me.id);
  const name = job.name ?? jobId;
  return (
    <>
      {job.status === 'running' && may('operationsManager.pauseJobs') && (
        <Button
          onPress={() => act('The job is paused', () => api.operationsManager.pauseJobs.mutate({ jobIds }))}
        >
          Pause
        </Button>
      )}
      {job.status === 'paused' && may('operationsManager.resumeJobs') && (
        <Button
          onPress={() => act('The job resumes', () => api.operationsManager.resumeJobs.mutate({ jobIds }))}
        >
          Resume
        </Button>
      )}
      {may('operationsManager.watchJob') && (
        <Button
          onPress={() =>
            watches
              ? act('You no longer watch the job', () => api.operationsManager.unwatchJob.mutate({ jobId }))
              : act('You watch the job', () => api.operationsManager.watchJob.mutate({ jobId }))
          }
        >
          {watches ? 'Stop watching' : 'Watch'}
        </Button>
      )}
      {!isOver(job) && may('operationsManager.cancelJobs') && (
        <Button variant="danger" onPress={() => setAsked('cancel')}>
          Cancel job
        </Button>
      )}
      {isOver(job) && may('operationsManager.deleteJob') && (
        <Button variant="danger" onPress={() => setAsked('delete')}>
          Delete job
        </Button>
      )}
      <FormDialog
        title={`Cancel ${name}?`}
        action="Cancel job"
        isDanger
        isOpen={asked === 'cancel'}
        onClose={() => setAsked(undefined)}
        onSubmit={async () => {
          const { data } = await api.operationsManager.cancelJobs.mutate({ jobIds });
          const error = data[jobId]?.error;
          if (error) throw new Error(error);
          showToast('The job is canceled');
          await refresh();
        }}
      >
        <p>Running tasks and child jobs are stopped. The job cannot be continued.</p>
      </FormDialog>
      <FormDialog
        title={`Delete ${name}?`}
        action="Delete job"
        isDanger
        isOpen={asked === 'delete'}
        onClose={() => setAsked(undefined)}
        onSubmit={async () => {
          await api.operationsManager.deleteJob.mutate({ jobId });
          showToast('The job is deleted');
          await navigate({ to: '/jobs' });
          await queryClient.invalidateQueries(trpc.operationsManager.listJobs.pathFilter());
        }}
      >
        <p>Its tasks, values and child jobs are deleted too.</p>
      </FormDialog>
    </>
  );
}
