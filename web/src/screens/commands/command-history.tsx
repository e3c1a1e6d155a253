import { Link } from '@tanstack/react-router';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { devicePath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Badge, type Tone } from '~/ui/badge.tsx';
import { durationText } from '~/ui/quantities.ts';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListView } from '~/ui/table/list-page.tsx';
import { sortOf } from '~/ui/table/sort.ts';
import { Time } from '~/ui/time.tsx';

type Call = Outputs['automationgateway']['listHistory']['results'][number];

const TONES: Record<Call['status'], Tone> = {
  success: 'good',
  partial: 'warn',
  failed: 'bad',
  canceled: 'neutral',
};

/** What the gateway has sent, newest first: commands, never their output. @param host only to this host */
export function CommandHistory({ host }: { host?: string }) {
  const [{ q, sort }] = useUrlState();
  const order = sortOf(sort);
  const input = {
    ...(host ? { equals: { host } } : q && { contains: { host: q } }),
    ...(order && { sort: order.field, order: order.order }),
  };
  return (
    <ListView
      title="Gateway history"
      hasTextFilter={!host}
      columns={host ? COLUMNS.filter(({ key }) => key !== 'host') : COLUMNS}
      rowKey={({ _id }) => _id}
      path={trpc.automationgateway.listHistory.pathKey()}
      input={input}
      read={async (skip, limit) => {
        const { results, total } = await api.automationgateway.listHistory.query({
          queryOptions: { ...input, skip, limit },
        });
        return { rows: results, total };
      }}
      empty={
        <Empty title="Nothing has been sent yet">
          <p>Every command that goes through the gateway is listed here, without its output.</p>
        </Empty>
      }
    />
  );
}

const COLUMNS: Column<Call>[] = [
  {
    key: 'started',
    header: 'Started',
    sortField: 'started',
    cell: ({ started }) => <Time value={started} />,
    field: 'started',
  },
  {
    key: 'host',
    header: 'Host',
    sortField: 'host',
    cell: ({ host }) => <Link {...devicePath(host)}>{host}</Link>,
    field: 'host',
  },
  {
    key: 'user',
    header: 'Account',
    sortField: 'user',
    cell: ({ user }) => user,
    field: 'user',
  },
  {
    key: 'status',
    header: 'Outcome',
    wraps: ({ reason }) => Boolean(reason),
    cell: ({ status, reason }) => (
      <span>
        <Badge tone={TONES[status]}>{status}</Badge> {reason ?? ''}
      </span>
    ),
    field: 'status',
  },
  {
    key: 'duration',
    header: 'Took',
    isNumber: true,
    cell: ({ durationMs }) => durationText(durationMs),
    field: 'durationMs',
  },
  {
    key: 'commands',
    header: 'Commands',
    wraps: true,
    cell: ({ commands, destination }) => <code>{commands?.join('; ') ?? destination ?? ''}</code>,
    field: 'commands',
  },
];
