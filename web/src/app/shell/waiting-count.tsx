import { useQuery } from '@tanstack/react-query';
import { trpc } from '~/api/client.ts';
import { useRefetchOn } from '~/api/live/use-live.ts';

/** How many manual tasks are waiting for a person; left out of the link's name so that the link is always called the same. */
export function WaitingCount() {
  const counts = useQuery(
    trpc.operationsManager.countTasks.queryOptions({
      queryOptions: { equals: { type: 'manual', status: 'running' } },
    }),
  );
  useRefetchOn(trpc.operationsManager.countTasks.pathFilter(), ({ topic }) => topic.startsWith('task'));
  const total = counts.data?.total ?? 0;
  if (total === 0) return null;
  return (
    <span
      className="badge"
      data-tone="warn"
      aria-hidden="true"
      title={`${total} tasks are waiting for a person`}
    >
      {total}
    </span>
  );
}
