import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge, type Tone } from '~/ui/badge.tsx';
import { NamedList } from '~/ui/named-list.tsx';
import { ConfirmDialog } from '~/ui/overlays/dialog.tsx';
import { showProblem, showToast } from '~/ui/overlays/toast.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { NAME } from '~/ui/table/document-columns.tsx';
import { Time } from '~/ui/time.tsx';
import { inAdmin } from '../admin-frame.tsx';
import { ChannelForm } from './channel-form.tsx';

type Channel = Outputs['notifications']['listChannels']['results'][number];
type OpenDialog = { kind: 'edit' | 'delete'; channel: Channel };

const TONES: Record<Channel['state']['status'], Tone> = { unknown: 'neutral', ok: 'good', failing: 'bad' };

const stateOf = ({ enabled, state }: Channel) => (enabled === false ? 'disabled' : state.status);

const deliveriesOf = (channel: Channel, status: string) => ({
  tab: 'deliveries',
  channel: channel._id,
  status,
});

const COLUMNS: Column<Channel>[] = [
  NAME,
  { key: 'type', header: 'Type', cell: ({ type }) => type, field: 'type' },
  {
    key: 'target',
    header: 'Sends to',
    cell: ({ target }) => target,
    field: 'target',
  },
  {
    key: 'state',
    header: 'State',
    wraps: ({ state }) => Boolean(state.lastError),
    cell: (channel) => (
      <>
        <Badge tone={channel.enabled === false ? 'neutral' : TONES[channel.state.status]}>
          {stateOf(channel)}
        </Badge>{' '}
        {channel.state.lastError ?? ''}
      </>
    ),
    field: 'enabled:Enabled',
  },
  {
    key: 'retrying',
    header: 'Waiting',
    isNumber: true,
    cell: (channel) => (
      <Link to="/admin/notifications" search={deliveriesOf(channel, 'retrying')}>
        {channel.state.retrying}
      </Link>
    ),
    field: 'state.retrying',
  },
  {
    key: 'dead',
    header: 'Given up',
    isNumber: true,
    cell: (channel) => (
      <Link to="/admin/notifications" search={deliveriesOf(channel, 'dead')}>
        {channel.state.dead}
      </Link>
    ),
    field: 'state.dead',
  },
  {
    key: 'sent',
    header: 'Last sent',
    cell: ({ state }) => <Time value={state.lastSent} />,
    field: 'state.lastSent',
  },
];

/** Receivers of notifications, with a test of each. */
export function Channels({ tabs }: { tabs: ReactNode }) {
  const refresh = useRefresh(trpc.notifications.listChannels.pathFilter());
  const [opened, setOpened] = useState<OpenDialog>();
  const close = () => setOpened(undefined);
  const test = async ({ _id: id, name }: Channel) => {
    showToast(`Sending a test to ${name} …`, 'info');
    try {
      const { ok, detail, latencyMs } = await api.notifications.testChannel.mutate({ id });
      const outcome = `${detail} (${Math.round(latencyMs)} ms)`;
      if (ok) showToast(`${name}: ${outcome}`);
      else showToast(`The test of ${name} failed: ${outcome}`, 'bad');
    } catch (error) {
      showProblem(error);
    }
    await refresh();
  };
  return (
    <>
      <NamedList
        title="Channels"
        frame={inAdmin('Notifications')}
        intro={tabs}
        columns={COLUMNS}
        rowKey={({ _id }) => _id}
        nameOf={({ name }) => name}
        procedure={trpc.notifications.listChannels}
        read={(queryOptions) => api.notifications.listChannels.query({ queryOptions })}
        defaultSort={{ field: 'name', order: 1 }}
        empty={{
          title: 'There is no channel yet',
          text: 'A channel is a receiver: a mailbox, a webhook, Slack, Teams or PagerDuty.',
        }}
        create={{
          label: 'Create channel',
          needs: 'notifications.createChannel',
          dialog: (onClose) => <ChannelForm onClose={onClose} />,
        }}
        actionsOf={(channel) => [
          { label: 'Send a test', needs: 'notifications.testChannel', onAction: () => void test(channel) },
          {
            label: 'Change',
            needs: 'notifications.updateChannel',
            onAction: () => setOpened({ kind: 'edit', channel }),
          },
          {
            label: 'Delete',
            needs: 'notifications.deleteChannel',
            onAction: () => setOpened({ kind: 'delete', channel }),
          },
        ]}
      />
      {opened?.kind === 'edit' && <ChannelForm channel={opened.channel} onClose={close} />}
      {opened?.kind === 'delete' && (
        <ConfirmDialog
          action="Delete channel"
          onClose={close}
          onConfirm={async () => {
            await api.notifications.deleteChannel.mutate({ id: opened.channel._id });
            await refresh();
          }}
        >
          The channel “{opened.channel.name}” is deleted with its deliveries. A channel that a rule uses
          stays.
        </ConfirmDialog>
      )}
    </>
  );
}
