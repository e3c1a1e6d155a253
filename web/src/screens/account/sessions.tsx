import { useQuery } from '@tanstack/react-query';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useAct } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { QueryView } from '~/ui/states.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { exactTime, Time } from '~/ui/time.tsx';

type Session = Outputs['session']['listSessions']['results'][number];

/** Browsers by the part of the header that only they send; what most of them send comes last. */
const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iOS'],
  ['iPad', 'iOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** Returns what a `User-Agent` header names in a few words: `Chrome on Linux`; a program that is no browser as it is. */
function programOf(userAgent: string): string {
  const find = (list: readonly (readonly [string, string])[]) =>
    list.find(([part]) => userAgent.includes(part))?.[1];
  const browser = find(BROWSERS);
  const system = find(SYSTEMS);
  return browser ? [browser, system && `on ${system}`].filter(Boolean).join(' ') : userAgent || 'unknown';
}

/** Where the account is signed in; every session but this one can be ended here. */
export function Sessions() {
  const sessions = useQuery(trpc.session.listSessions.queryOptions({}));
  const act = useAct(trpc.session.listSessions.pathFilter());
  const columns: Column<Session>[] = [
    {
      key: 'agent',
      header: 'Program',
      cell: ({ userAgent }) => <span title={userAgent ?? ''}>{programOf(userAgent ?? '')}</span>,
    },
    { key: 'address', header: 'Address', cell: ({ address }) => address },
    { key: 'created', header: 'Signed in', cell: ({ created }) => <Time value={created} /> },
    { key: 'lastUsed', header: 'Last used', cell: ({ lastUsed }) => <Time value={lastUsed} /> },
    {
      key: 'actions',
      header: 'Actions',
      cell: ({ _id, current, address, created }) =>
        current ? (
          <Badge tone="info">this one</Badge>
        ) : (
          <Button
            variant="danger"
            aria-label={`End session of ${address}, signed in ${exactTime(created)}`}
            onPress={() => act(() => api.session.endSession.mutate({ id: _id }))}
          >
            End session
          </Button>
        ),
    },
  ];
  return (
    <>
      <h2>Sessions</h2>
      <QueryView query={sessions} loading="Loading sessions">
        {({ results }) => (
          <DataTable label="Sessions" columns={columns} rows={results} rowKey={({ _id }) => _id} />
        )}
      </QueryView>
    </>
  );
}
