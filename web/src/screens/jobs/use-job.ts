import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api, IN_BACKGROUND, type Outputs, trpc } from '~/api/client.ts';
import { followJob, type LiveEvent } from '~/api/live/live.ts';
import { throttled } from '~/api/live/throttled.ts';
import { useLiveEvents, useRefetchOn } from '~/api/live/use-live.ts';
import { isOver } from './job-state.tsx';

/**
 * How often a job is read again while its steps arrive, in milliseconds: the events carry states and times, but not the
 * values of tasks.
 */
const VALUES_MS = 2000;

type Answer = Outputs['operationsManager']['getJob'];
type Status = NonNullable<Answer['data']['status']>;
type Task = NonNullable<Answer['data']['tasks']>[string];
type Known<Name extends keyof Task> = Exclude<Task[Name], undefined>;
/** What a step of a job changed about one task; times in milliseconds since 1970. */
type Changed = {
  task: string;
  status: Known<'status'>;
  start_time: number | null;
  end_time: number | null;
  finish_state: Known<'finish_state'>;
  owner: Known<'owner'>;
};

/** Returns an answer with what a step of the job changed; without tasks nothing is known but that it did. */
function progressed(answer: Answer, { payload }: LiveEvent): Answer {
  const { data } = answer;
  const tasks = { ...data.tasks };
  for (const { task: id, start_time, ...changed } of (payload.tasks ?? []) as Changed[]) {
    const task = tasks[id];
    if (task)
      tasks[id] = {
        ...task,
        ...changed,
        start_time: start_time === null ? null : new Date(start_time).toISOString(),
      };
  }
  const { metrics } = data;
  const { progress } = payload;
  return {
    ...answer,
    data: {
      ...data,
      tasks,
      ...(typeof payload.status === 'string' && { status: payload.status as Status }),
      ...(metrics && typeof progress === 'number' && { metrics: { ...metrics, progress } }),
    },
  };
}

/** Returns an answer with what an event says about one task, or about the job itself; everything else stays the same object. */
function patched(answer: Answer, jobId: string, event: LiveEvent): Answer {
  const { topic, payload } = event;
  if (topic === 'jobProgressed') return progressed(answer, event);
  const { data } = answer;
  if (payload._id === jobId && topic.startsWith('job') && typeof payload.status === 'string') {
    const status = payload.status as Status;
    return status === data.status ? answer : { ...answer, data: { ...data, status } };
  }
  const id = String(payload.task);
  const task = data.tasks?.[id];
  if (payload.jobId !== jobId || task === undefined || typeof payload.status !== 'string') return answer;
  const status = payload.status as Known<'status'>;
  return { ...answer, data: { ...data, tasks: { ...data.tasks, [id]: { ...task, status } } } };
}

/**
 * A job with its tasks, kept current: while it has not ended, the event stream carries each of its steps, which show at
 * once; its values are read again after them.
 */
export function useJob(jobId: string) {
  const queryClient = useQueryClient();
  const options = trpc.operationsManager.getJob.queryOptions({ jobId }, IN_BACKGROUND);
  const duringRead = useRef<LiveEvent[]>(undefined);
  const query = useQuery({
    ...options,
    // An answer may be older than what arrived while it was read: a step that has ended would run again.
    queryFn: async () => {
      const arrived: LiveEvent[] = [];
      duringRead.current = arrived;
      try {
        const answer = await api.operationsManager.getJob.query({ jobId }, IN_BACKGROUND.trpc);
        return arrived.reduce((before, one) => patched(before, jobId, one), answer);
      } finally {
        if (duringRead.current === arrived) duringRead.current = undefined;
      }
    },
  });
  const events = useRef<LiveEvent[]>([]);
  // Events that arrive together change the picture once.
  const show = (event: LiveEvent) => {
    duringRead.current?.push(event);
    events.current.push(event);
    if (events.current.length > 1) return;
    requestAnimationFrame(() => {
      const arrived = events.current.splice(0);
      queryClient.setQueryData(
        options.queryKey,
        (answer) => answer && arrived.reduce((before, one) => patched(before, jobId, one), answer),
      );
    });
  };
  useLiveEvents(show);
  const latest = useRef({ show, filters: {} });
  latest.current = { show, filters: trpc.operationsManager.getJob.queryFilter({ jobId }) };
  const isFollowed = query.data !== undefined && !isOver(query.data.data);
  useEffect(() => {
    if (!isFollowed) return;
    const read = throttled(VALUES_MS, () => {
      void queryClient.invalidateQueries(latest.current.filters, { cancelRefetch: true });
    });
    const stop = followJob(
      jobId,
      (event) => {
        latest.current.show(event);
        if (event.payload.tasks === undefined) read.now();
        else read.soon();
      },
      read.now,
    );
    return () => {
      stop();
      read.stop();
    };
  }, [jobId, isFollowed, queryClient]);
  useRefetchOn(
    trpc.operationsManager.getJob.queryFilter({ jobId }),
    ({ topic, payload }) =>
      payload.jobId === jobId ||
      payload._id === jobId ||
      (topic.startsWith('job') && payload.parent === jobId),
  );
  return query;
}
