import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { SecretOnce } from '~/ui/actions/secret-once.tsx';
import { useAct, useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { Checkbox, TextField } from '~/ui/fields.tsx';
import { CheckList } from '~/ui/inputs/check-list.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { Empty, QueryView } from '~/ui/states.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { Time } from '~/ui/time.tsx';

type Token = Outputs['session']['listTokens']['results'][number];

/** The personal tokens of the account, with which its programs sign in. */
export function Tokens({ roles }: { roles: readonly string[] }) {
  const tokens = useQuery(trpc.session.listTokens.queryOptions({}));
  const act = useAct(trpc.session.listTokens.pathFilter());
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const columns: Column<Token>[] = [
    ...COLUMNS,
    {
      key: 'actions',
      header: 'Actions',
      cell: ({ _id, name }) => (
        <Button
          variant="danger"
          aria-label={`Revoke ${name}`}
          onPress={() => act(() => api.session.deleteToken.mutate({ id: _id }))}
        >
          Revoke
        </Button>
      ),
    },
  ];
  return (
    <>
      <div className="row">
        <h2>Personal tokens</h2>
        <Button onPress={() => setCreating(true)}>Create token</Button>
      </div>
      <QueryView query={tokens} loading="Loading tokens">
        {({ results }) =>
          results.length === 0 ? (
            <Empty
              title="You have no tokens"
              next={{ label: 'Create the first one', act: () => setCreating(true) }}
            >
              <p>A token lets a program sign in for you without your password.</p>
            </Empty>
          ) : (
            <DataTable label="Personal tokens" columns={columns} rows={results} rowKey={({ _id }) => _id} />
          )
        }
      </QueryView>
      {isCreating && <CreateToken roles={roles} onClose={() => setCreating(false)} onCreated={setSecret} />}
      {secret !== undefined && (
        <SecretOnce
          title="Your new token"
          entries={[['Token', secret]]}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}

const COLUMNS: Column<Token>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => name },
  {
    key: 'roles',
    header: 'Roles',
    cell: ({ roles, readOnly }) => `${roles.join(', ') || 'all of yours'}${readOnly ? ', read only' : ''}`,
  },
  { key: 'created', header: 'Created', cell: ({ created }) => <Time value={created} /> },
  { key: 'expires', header: 'Expires', cell: ({ expires }) => <Time value={expires} /> },
  { key: 'lastUsed', header: 'Last used', cell: ({ lastUsed }) => <Time value={lastUsed} /> },
];

type CreateTokenProps = { roles: readonly string[]; onClose: () => void; onCreated: (token: string) => void };

function CreateToken({ roles, onClose, onCreated }: CreateTokenProps) {
  const refresh = useRefresh(trpc.session.listTokens.pathFilter());
  const [name, setName] = useState('');
  const [days, setDays] = useState('90');
  const [isReadOnly, setReadOnly] = useState(false);
  const [chosen, setChosen] = useState<Set<string>>(new Set());
  return (
    <FormDialog
      title="Create token"
      action="Create token"
      isOpen
      onClose={onClose}
      isReady={name.trim() !== '' && Number(days) > 0}
      onSubmit={async () => {
        const { token } = await api.session.createToken.mutate({
          name: name.trim(),
          expiresInDays: Number(days),
          readOnly: isReadOnly,
          ...(chosen.size > 0 && { roles: [...chosen] }),
        });
        onCreated(token);
        await refresh();
      }}
    >
      <TextField label="Name" value={name} onChange={setName} isRequired autoFocus />
      <TextField label="Days until it expires" type="number" min={1} value={days} onChange={setDays} />
      <Checkbox label="Read only" isChecked={isReadOnly} onChange={setReadOnly} />
      <CheckList
        label="Roles (none selected: all of yours)"
        items={roles.map((role) => ({ id: role, name: role }))}
        chosen={chosen}
        onChange={setChosen}
      />
    </FormDialog>
  );
}
