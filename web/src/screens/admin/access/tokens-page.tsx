import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useUrlState } from '~/app/url-state.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button, LinkButton } from '~/ui/button.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { Empty } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { NAME } from '~/ui/table/document-columns.tsx';
import { listInput } from '~/ui/table/list-input.ts';
import { ListView } from '~/ui/table/list-page.tsx';
import { Time } from '~/ui/time.tsx';
import { ActivityLink } from '../activity-link.tsx';
import { AdminFrame } from '../admin-frame.tsx';

type Token = Outputs['authorization']['listTokens']['results'][number];

/** The personal tokens of all accounts. */
export function TokensPage() {
  const [url] = useUrlState();
  const may = useMay();
  const [revoked, setRevoked] = useState<Token>();
  const input = listInput(url, 'account', { field: 'expires', order: 1 });
  const columns: Column<Token>[] = [
    ...COLUMNS,
    ...(may('authorization.deleteToken')
      ? [
          {
            key: 'actions',
            header: 'Actions',
            cell: (token: Token) => (
              <Button variant="danger" aria-label={`Revoke ${token.name}`} onPress={() => setRevoked(token)}>
                Revoke
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <AdminFrame current="Tokens">
      <ListView
        title="Tokens"
        columns={columns}
        rowKey={({ _id }) => _id}
        path={trpc.authorization.listTokens.pathKey()}
        input={input}
        read={async (skip, limit) => {
          const { results, total } = await api.authorization.listTokens.query({
            queryOptions: { ...input, skip, limit },
          });
          return { rows: results, total };
        }}
        empty={
          <Empty title="There are no personal tokens">
            <p>Users create their own on their account page.</p>
            <LinkButton to="/account">Your account</LinkButton>
          </Empty>
        }
      />
      {revoked && <Revoke token={revoked} onClose={() => setRevoked(undefined)} />}
    </AdminFrame>
  );
}

function Revoke({ token, onClose }: { token: Token; onClose: () => void }) {
  const refresh = useRefresh(trpc.authorization.listTokens.pathFilter());
  return (
    <FormDialog
      title="Revoke token"
      action="Revoke token"
      isDanger
      isOpen
      onClose={onClose}
      onSubmit={async () => {
        await api.authorization.deleteToken.mutate({ id: token._id });
        await refresh();
      }}
    >
      <p>
        The token “{token.name}” of {token.account} stops working at once.
      </p>
    </FormDialog>
  );
}

const COLUMNS: Column<Token>[] = [
  NAME,
  {
    key: 'account',
    header: 'Account',
    sortField: 'account',
    cell: ({ account }) => account,
    field: 'account',
  },
  {
    key: 'roles',
    header: 'Roles',
    cell: ({ roles, readOnly }) =>
      `${roles.join(', ') || 'all of the account'}${readOnly ? ', read only' : ''}`,
    field: 'roles',
  },
  {
    key: 'created',
    header: 'Created',
    sortField: 'created',
    cell: ({ created }) => <Time value={created} />,
    field: 'created',
  },
  {
    key: 'expires',
    header: 'Expires',
    sortField: 'expires',
    cell: ({ expires }) => <Time value={expires} />,
    field: 'expires',
  },
  {
    key: 'lastUsed',
    header: 'Last used',
    cell: ({ lastUsed }) => <Time value={lastUsed} />,
    field: 'lastUsed',
  },
  {
    key: 'activity',
    header: 'Activity',
    cell: ({ _id }) => <ActivityLink credential={_id}>Audit trail</ActivityLink>,
  },
];
