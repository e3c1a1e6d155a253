import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { IN_BACKGROUND, type Outputs, trpc } from '~/api/client.ts';
import type { LiveEvent } from '~/api/live.ts';
import { useLiveEvents, useRefetchOn } from '~/api/use-live.ts';

/** How often a job is read again while steps run that need no user: these publish no event of their own. */
const RUNNING_MS = 1000;

type Answer = Outputs['operationsManager']['getJob'];

/** Returns whether a job proceeds without a user; a job that waits for one is updated by events. */
function isMoving({ status, tasks = {} }: Answer['data']): boolean {
  if (status !== 'running') return false;
  const running = Object.values(tasks).filter((task) => task.status === 'running');
  return running.length === 0 || running.some(({ type }) => type !== 'manual');
}

/** Returns an answer with what an event says about one task, or about the job itself; everything else stays the same object. */
function patched(answer: Answer, jobId: string, { topic, payload }: LiveEvent): Answer {
  const { data } = answer;
  if (payload._id === jobId && topic.startsWith('job') && typeof payload.status === 'string') {
    const status = payload.status as NonNullable<typeof data.status>;
    return status === data.status ? answer : { ...answer, data: { ...data, status } };
  }
  const id = String(payload.task);
  const task = data.tasks?.[id];
  if (payload.jobId !== jobId || task === undefined || typeof payload.status !== 'string') return answer;
  const status = payload.status as NonNullable<typeof task.status>;
  return { ...answer, data: { ...data, tasks: { ...data.tasks, [id]: { ...task, status } } } };
}

/** A job with its tasks, kept current: an event shows at once, and the job is read again after it and while it runs. */
export function useJob(jobId: string) {
  const queryClient = useQueryClient();
  const options = trpc.operationsManager.getJob.queryOptions({ jobId }, IN_BACKGROUND);
  const query = useQuery({
    ...options,
    refetchInterval: ({ state }) => (state.data && isMoving(state.data.data) ? RUNNING_MS : false),
  });
  const events = useRef<LiveEvent[]>([]);
  // Events that arrive together change the picture once.
  useLiveEvents((event) => {
    events.current.push(event);
    if (events.current.length > 1) return;
    requestAnimationFrame(() => {
      const arrived = events.current.splice(0);
      queryClient.setQueryData(
        options.queryKey,
        (answer) => answer && arrived.reduce((before, one) => patched(before, jobId, one), answer),
      );
    });
  });
  useRefetchOn(
    trpc.operationsManager.getJob.queryFilter({ jobId }),
    ({ topic, payload }) =>
      payload.jobId === jobId ||
      payload._id === jobId ||
      (topic.startsWith('job') && payload.parent === jobId),
  );
  return query;
}
