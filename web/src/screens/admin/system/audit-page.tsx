import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { now } from '~/api/live/clock.ts';
import { useUrlState, useUrlText } from '~/app/url-state.ts';
import { Badge, type Tone } from '~/ui/badge.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListView } from '~/ui/table/list-page.tsx';
import { sortOf } from '~/ui/table/sort.ts';
import { Time } from '~/ui/time.tsx';
import { ActivityLink } from '../activity-link.tsx';
import { AdminFrame } from '../admin-frame.tsx';

type Entry = Outputs['audit']['listEntries']['results'][number];

const TONES: Record<Entry['outcome'], Tone> = { ok: 'good', refused: 'warn', failed: 'bad' };
const WEEK_MS = 7 * 86_400_000;

/** Who changed what, and which requests were denied. */
export function AuditPage() {
  const [{ q, outcome, account, credential, document, since, sort }, setUrl] = useUrlState();
  const order = sortOf(sort) ?? { field: 'time', order: -1 };
  // A window that moved with every render would be another list each time.
  const [weekAgo] = useState(() => new Date(now() - WEEK_MS).toISOString());
  const input = {
    ...(q && { contains: { operation: q } }),
    ...((outcome || account || credential || document) && {
      equals: {
        ...(outcome && { outcome }),
        ...(account && { account }),
        ...(credential && { 'credential.id': credential }),
        ...(document && { 'document.name': document }),
      },
    }),
    ...(since !== 'ever' && { gte: { time: weekAgo } }),
    sort: order.field,
    order: order.order,
  };
  return (
    <AdminFrame current="Audit trail">
      <ListView
        title="Audit trail"
        columns={COLUMNS}
        rowKey={({ _id }) => _id}
        path={trpc.audit.listEntries.pathKey()}
        input={input}
        read={async (skip, limit) => {
          const { results, total } = await api.audit.listEntries.query({
            queryOptions: { ...input, skip, limit },
          });
          return { rows: results, total };
        }}
        filters={<Filters />}
        // All times filter nothing.
        subject={since === 'ever' ? ['since'] : []}
        empty={
          since === 'ever' ? (
            <Empty title="Nothing has been recorded yet" />
          ) : (
            <Empty
              title="Nothing in the last seven days"
              next={{ label: 'Show entries of all times', act: () => setUrl({ since: 'ever' }) }}
            >
              <p>Older entries may exist.</p>
            </Empty>
          )
        }
      />
    </AdminFrame>
  );
}

function TextFilter({ label, name }: { label: string; name: 'account' | 'credential' | 'document' }) {
  const { text, setText } = useUrlText(name);
  return (
    <input
      className="input fit"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}

function Filters() {
  const [{ outcome = '', since = '' }, setUrl] = useUrlState();
  return (
    <>
      <TextFilter label="Account" name="account" />
      <TextFilter label="Name of a document" name="document" />
      <TextFilter label="Id of a token, session or job" name="credential" />
      <select
        className="input fit"
        aria-label="Outcome"
        value={outcome}
        onChange={(event) => setUrl({ outcome: event.target.value })}
      >
        <option value="">Every outcome</option>
        {Object.keys(TONES).map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      <select
        className="input fit"
        aria-label="Time"
        value={since}
        onChange={(event) => setUrl({ since: event.target.value })}
      >
        <option value="">Last 7 days</option>
        <option value="ever">All times</option>
      </select>
    </>
  );
}

const COLUMNS: Column<Entry>[] = [
  {
    key: 'time',
    header: 'Time',
    sortField: 'time',
    cell: ({ time }) => <Time value={time} />,
    field: 'time',
  },
  {
    key: 'account',
    header: 'Account',
    cell: ({ account }) => account ?? '–',
    field: 'account',
  },
  {
    key: 'credential',
    header: 'By',
    cell: ({ credential }) => credential && <Credential {...credential} />,
    field: 'credential.kind:By,credential.name:Token,credential.id:Credential id',
  },
  {
    key: 'address',
    header: 'Address',
    cell: ({ address }) => address ?? '–',
    field: 'address',
  },
  {
    key: 'operation',
    header: 'Operation',
    cell: ({ operation, count }) => (
      <code>
        {operation}
        {count !== undefined && count > 1 && ` ×${count}`}
      </code>
    ),
    field: 'operation',
  },
  {
    key: 'document',
    header: 'Document',
    cell: ({ document, documents = [] }) =>
      [
        document?.kind,
        document?.name ?? document?.id,
        documents.length > 1 && `and ${documents.length - 1} more`,
      ]
        .filter(Boolean)
        .join(' '),
    field: 'document.name:Document,document.id:Id',
  },
  {
    key: 'outcome',
    header: 'Outcome',
    cell: ({ outcome, status }) => (
      <Badge tone={TONES[outcome]}>
        {outcome} {status}
      </Badge>
    ),
    field: 'outcome',
  },
  {
    key: 'request',
    header: 'Request',
    cell: ({ requestId }) => <code>{requestId}</code>,
    field: 'requestId',
  },
];

const KINDS: Record<NonNullable<Entry['credential']>['kind'], string> = {
  session: 'session',
  personalToken: 'personal token',
  accessToken: 'access token',
  password: 'password',
  job: 'job',
};

/** By which means the account acted; a link to everything that was done by the same. */
function Credential({ kind, id, name }: NonNullable<Entry['credential']>) {
  const label = name ? `${KINDS[kind]} ${name}` : KINDS[kind];
  if (!id) return label;
  return <ActivityLink credential={id}>{label}</ActivityLink>;
}
