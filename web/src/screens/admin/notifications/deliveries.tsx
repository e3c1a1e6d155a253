import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { inParallel } from '~/api/in-parallel.ts';
import { useMay } from '~/api/use-may.ts';
import { useUrlState } from '~/app/url-state.ts';
import { useAct, useRefresh } from '~/ui/actions/use-act.ts';
import { Badge, type Tone } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { JsonView } from '~/ui/code/json-view.tsx';
import { Details } from '~/ui/details.tsx';
import { Unread } from '~/ui/inputs/unread.tsx';
import { Dialog } from '~/ui/overlays/dialog.tsx';
import { showProblem, showToast } from '~/ui/overlays/toast.tsx';
import { Empty, QueryView } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListView } from '~/ui/table/list-page.tsx';
import { Time } from '~/ui/time.tsx';
import { AdminFrame } from '../admin-frame.tsx';
import { useChannels } from './use-channel-names.ts';

/** Deliveries that are requested to be sent again at once. */
const AT_ONCE = 8;

type Delivery = Outputs['notifications']['listDeliveries']['list'][number];

const STATES: readonly { value: Delivery['status']; label: string; tone: Tone }[] = [
  { value: 'sent', label: 'sent', tone: 'good' },
  { value: 'retrying', label: 'waiting', tone: 'warn' },
  { value: 'dead', label: 'given up', tone: 'bad' },
];

function DeliveryState({ status }: { status: Delivery['status'] }) {
  const state = STATES.find(({ value }) => value === status);
  return <Badge tone={state?.tone ?? 'neutral'}>{state?.label ?? status}</Badge>;
}

/** The columns of the list. @param channelName names a channel by its id @param onOpen opens a delivery by its id */
const columnsOf = (channelName: (id: string) => string, onOpen: (id: string) => void): Column<Delivery>[] => [
  {
    key: 'topic',
    header: 'Event',
    cell: ({ id, topic, events }) => (
      <Button variant="quiet" onPress={() => onOpen(id)}>
        {topic} {events > 1 && `and ${events - 1} more`}
        <span className="visually-hidden">, delivery {id}</span>
      </Button>
    ),
    field: 'topic',
  },
  {
    key: 'status',
    header: 'State',
    cell: (delivery) => {
      return <DeliveryState status={delivery.status} />;
    },
    field: 'status',
  },
  {
    key: 'channel',
    header: 'Channel',
    cell: (delivery) => channelName(delivery.channel),
    field: 'channel',
  },
  {
    key: 'attempts',
    header: 'Attempts',
    isNumber: true,
    cell: ({ attempts }) => attempts,
    field: 'attempts',
  },
  {
    key: 'error',
    header: 'Why',
    wraps: true,
    cell: ({ lastError }) => lastError ?? '',
    field: 'lastError',
  },
  {
    key: 'created',
    header: 'Taken up',
    cell: ({ created }) => <Time value={created} />,
    field: 'created',
  },
  {
    key: 'sent',
    header: 'Sent',
    cell: ({ sent, nextAttempt }) =>
      sent === null && nextAttempt !== null ? (
        <>
          next: <Time value={nextAttempt} />
        </>
      ) : (
        <Time value={sent} />
      ),
    field: 'sent',
  },
];

/** Notifications on their way, those that were given up among them. */
export function Deliveries({ tabs }: { tabs: ReactNode }) {
  const [{ status: wanted, channel }] = useUrlState();
  const may = useMay();
  const act = useAct(
    trpc.notifications.listDeliveries.pathFilter(),
    trpc.notifications.listChannels.pathFilter(),
  );
  const channels = useChannels();
  const [opened, setOpened] = useState<string>();
  const status = STATES.find(({ value }) => value === wanted)?.value;
  const input = { ...(status && { status }), ...(channel && { channel }) };
  const nameOf = (id: string) => channels.data?.results.find(({ _id }) => _id === id)?.name ?? id;
  const columns: Column<Delivery>[] = [
    ...columnsOf(nameOf, setOpened),
    {
      key: 'actions',
      header: 'Actions',
      cell: ({ id, status: state }) =>
        state === 'dead' &&
        may('notifications.retryDelivery') && (
          <Button
            aria-label={`Send again delivery ${id}`}
            onPress={() => act(() => api.notifications.retryDelivery.mutate({ id }))}
          >
            Send again
          </Button>
        ),
    },
  ];
  return (
    <AdminFrame current="Notifications">
      {tabs}
      <ListView<Delivery>
        title="Deliveries"
        columns={columns}
        rowKey={idOf}
        path={trpc.notifications.listDeliveries.pathKey()}
        input={input}
        read={async (skip, limit) => {
          const { list, total } = await api.notifications.listDeliveries.query({
            queryOptions: { ...input, skip, limit },
          });
          return { rows: list, total };
        }}
        hasTextFilter={false}
        filters={<Filters channels={channels} />}
        {...(may('notifications.retryDelivery') && {
          bulk: (selected, clear, rows) => (
            <SendAgain
              ids={rows
                .filter(({ id, status: state }) => state === 'dead' && selected.includes(id))
                .map(idOf)}
              onDone={clear}
            />
          ),
        })}
        empty={
          <Empty title="Nothing has been sent yet">
            <p>A delivery appears here when an event meets a rule.</p>
          </Empty>
        }
      />
      {opened && <Content id={opened} channelName={nameOf} onClose={() => setOpened(undefined)} />}
    </AdminFrame>
  );
}

function Filters({ channels }: { channels: ReturnType<typeof useChannels> }) {
  const [{ status = '', channel = '' }, setUrl] = useUrlState();
  return (
    <>
      <select
        className="input fit"
        aria-label="State"
        value={status}
        onChange={(event) => setUrl({ status: event.target.value || undefined })}
      >
        <option value="">Every state</option>
        {STATES.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <select
        className="input fit"
        aria-label="Channel"
        value={channel}
        onChange={(event) => setUrl({ channel: event.target.value || undefined })}
      >
        <option value="">Every channel</option>
        {channels.data?.results.map(({ _id, name }) => (
          <option key={_id} value={_id}>
            {name}
          </option>
        ))}
      </select>
      <Unread what="Channel" from={channels} />
    </>
  );
}

const idOf = ({ id }: Delivery) => id;

/** Sends the selected deliveries that were given up again; those that wait or were sent are left alone. */
function SendAgain({ ids, onDone }: { ids: readonly string[]; onDone: () => void }) {
  const [isPending, setPending] = useState(false);
  const refresh = useRefresh(
    trpc.notifications.listDeliveries.pathFilter(),
    trpc.notifications.listChannels.pathFilter(),
  );
  const sendAll = async () => {
    setPending(true);
    const problems: unknown[] = [];
    const send = async (id: string) => {
      try {
        await api.notifications.retryDelivery.mutate({ id });
      } catch (error) {
        problems.push(error);
      }
    };
    await inParallel(ids, AT_ONCE, send, new AbortController().signal);
    const sent = ids.length - problems.length;
    if (sent > 0)
      showToast(sent === 1 ? 'One delivery is sent again.' : `${sent} deliveries are sent again.`);
    if (problems.length > 0) showProblem(problems[0]);
    setPending(false);
    onDone();
    await refresh();
  };
  if (ids.length === 0) return <span className="muted">None of them was given up</span>;
  return (
    <Button isPending={isPending} onPress={sendAll}>
      Send {ids.length} again
    </Button>
  );
}

type ContentProps = { id: string; channelName: (id: string) => string; onClose: () => void };

/** One delivery with its events, as its receiver gets them. */
function Content({ id, channelName, onClose }: ContentProps) {
  const delivery = useQuery(trpc.notifications.getDelivery.queryOptions({ id }));
  return (
    <Dialog title="Delivery" isOpen onClose={onClose} size="wide">
      <QueryView query={delivery} loading="Loading the delivery">
        {({ content, lastError, ...one }) => (
          <>
            <Details
              entries={[
                ['State', <DeliveryState key="state" status={one.status} />],
                ['Channel', channelName(one.channel)],
                ['Attempts', String(one.attempts)],
                ['Taken up', <Time key="created" value={one.created} />],
                ['Next attempt', one.nextAttempt && <Time key="next" value={one.nextAttempt} />],
                ['Sent', one.sent && <Time key="sent" value={one.sent} />],
              ]}
            />
            {lastError && (
              <p className="note" data-tone="bad">
                {lastError}
              </p>
            )}
            <JsonView label="Events" value={content} />
          </>
        )}
      </QueryView>
      <div className="dialog-actions">
        <Button variant="primary" onPress={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}
