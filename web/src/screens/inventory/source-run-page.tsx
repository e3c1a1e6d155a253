import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { IN_BACKGROUND, trpc } from '~/api/client.ts';
import { useRunEvents } from '~/api/live/use-runs.ts';
import { sourcePath } from '~/app/paths.ts';
import { usePathParam } from '~/app/routes.tsx';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Details } from '~/ui/details.tsx';
import { LoadedPage, PathLink } from '~/ui/page.tsx';
import { Announced } from '~/ui/states.tsx';
import { Time } from '~/ui/time.tsx';
import { errorText, RunProgress } from './run-progress.tsx';
import { SourceIssues } from './source-issues.tsx';

/** One run of a source, while it is under way and after it. */
export function SourceRunPage() {
  const runId = usePathParam('runId');
  const run = useQuery(trpc.inventory.getRun.queryOptions({ runId }, IN_BACKGROUND));
  useRunEvents('inventoryRun', trpc.inventory.getRun.queryFilter({ runId }));
  const status = run.data?.status;
  const refresh = useRefresh(trpc.inventory.getSource.pathFilter(), trpc.inventory.listRuns.pathFilter());
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each state of the run
  useEffect(() => {
    if (status) void refresh();
  }, [status]);
  return (
    <LoadedPage
      query={run}
      title="Run of a source"
      titleOf={({ source }) => `Run of ${source}`}
      path={
        <>
          <PathLink to="/devices">Devices</PathLink> /{' '}
          <PathLink to="/inventory/sources">Inventory sources</PathLink>
          {run.data && (
            <>
              {' '}
              / <PathLink {...sourcePath(run.data.source)}>{run.data.source}</PathLink>
            </>
          )}
        </>
      }
    >
      {(data) => (
        <>
          <section className="card" aria-label="Summary">
            <Announced status={data.status} />
            <Details
              entries={[
                ['State', <RunProgress key="state" run={data} />],
                ['Why', data.error && errorText(data.error)],
                ['New', String(data.new)],
                ['Changed', String(data.changed)],
                ['Gone', String(data.gone)],
                ['Unchanged', String(data.unchanged)],
                ['Started', <Time key="started" value={data.started} />],
                ['Ended', <Time key="ended" value={data.finished} />],
              ]}
            />
          </section>
          <SourceIssues issues={data.issues} />
        </>
      )}
    </LoadedPage>
  );
}
