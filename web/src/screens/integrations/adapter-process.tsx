import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useAct } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { TextView } from '~/ui/code/text-view.tsx';
import { Details } from '~/ui/details.tsx';
import { QueryView } from '~/ui/states.tsx';

type Adapter = Outputs['health']['getAdapters']['results'][number];

const MEBIBYTE = 1024 * 1024;

/** One adapter of a package: its process as the service that answers sees it, and the last lines of its log. */
export function AdapterProcess({ adapter }: { adapter: Adapter }) {
  const { id, state, connection, process: own, uptime, memoryUsage } = adapter;
  const isOnline = connection.state === 'ONLINE';
  const isAlive = own?.state === 'RUNNING';
  return (
    <section className="card" aria-label={`Adapter ${id}`}>
      <h3>{id}</h3>
      <Details
        entries={[
          [
            'State',
            <Badge key="state" tone={state === 'RUNNING' ? 'good' : 'bad'}>
              {state.toLowerCase()}
            </Badge>,
          ],
          [
            'Other system',
            <Badge key="system" tone={isOnline ? 'good' : connection.state === 'OFFLINE' ? 'bad' : 'neutral'}>
              {connection.state.toLowerCase()}
            </Badge>,
          ],
          [
            'Process',
            own && (own.state === 'IDLE' ? 'none, the next call starts it' : own.state.toLowerCase()),
          ],
          ['Why', own?.detail && own.detail],
          ['Running for', isAlive ? `${Math.round(uptime)} s` : undefined],
          ['Memory', isAlive ? `${Math.round(memoryUsage.rss / MEBIBYTE)} MiB` : undefined],
          ['Calls', own && `${own.calls} in flight, ${own.waiting} waiting, ${own.dropped} dropped`],
          ['Crashes in ten minutes', own && String(own.deaths)],
          ['Network', own?.isolation?.network],
        ]}
      />
      <Actions name={id} isStopped={state === 'STOPPED'} />
      <LogLines name={id} />
    </section>
  );
}

function Actions({ name, isStopped }: { name: string; isStopped: boolean }) {
  const may = useMay();
  const act = useAct(trpc.health.getAdapters.pathFilter());
  const { startAdapter, stopAdapter, restartAdapter } = api.adapters;
  return (
    <div className="row">
      {isStopped && may('adapters.startAdapter') && (
        <Button onPress={() => void act(() => startAdapter.mutate({ name }))}>Start</Button>
      )}
      {!isStopped && may('adapters.restartAdapter') && (
        <Button onPress={() => void act(() => restartAdapter.mutate({ name }))}>Restart</Button>
      )}
      {!isStopped && may('adapters.stopAdapter') && (
        <Button onPress={() => void act(() => stopAdapter.mutate({ name }))}>Stop</Button>
      )}
    </div>
  );
}

/** The last lines of its log, once they are asked for. */
function LogLines({ name }: { name: string }) {
  const may = useMay();
  const [isShown, setShown] = useState(false);
  const log = useQuery({ ...trpc.adapters.getAdapterLog.queryOptions({ name }), enabled: isShown });
  if (!may('adapters.getAdapterLog')) return null;
  return (
    <>
      <div className="row">
        <Button onPress={() => (isShown ? void log.refetch() : setShown(true))}>
          {isShown ? 'Read the log again' : 'Show the log'}
        </Button>
      </div>
      {isShown && (
        <QueryView query={log}>
          {({ results }) =>
            results.length === 0 ? (
              <p>Its log is empty in the process that answers.</p>
            ) : (
              <TextView
                label={`Log of ${name}`}
                text={results.map(({ time, level, message }) => `${time} ${level} ${message}`).join('\n')}
              />
            )
          }
        </QueryView>
      )}
    </>
  );
}
