import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { NamedList } from '~/ui/named-list.tsx';
import { ConfirmDialog } from '~/ui/overlays/dialog.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { CHANGED, NAME } from '~/ui/table/document-columns.tsx';
import { inAdmin } from '../admin-frame.tsx';
import { CommandPolicyForm } from './command-policy-form.tsx';

type Policy = Outputs['automationgateway']['listPolicies']['results'][number];
type OpenDialog = { kind: 'edit' | 'delete'; policy: Policy };

const listOr = (values: readonly string[] | undefined, none: string) =>
  values?.length ? values.join(', ') : none;

const COLUMNS: Column<Policy>[] = [
  NAME,
  { key: 'roles', header: 'Roles', cell: ({ roles }) => listOr(roles, 'all'), field: 'roles' },
  {
    key: 'types',
    header: 'Device types',
    cell: ({ device_types }) => listOr(device_types, 'all'),
    field: 'device_types',
  },
  { key: 'allow', header: 'Allows', wraps: true, cell: ({ allow }) => listOr(allow, 'all'), field: 'allow' },
  { key: 'deny', header: 'Denies', wraps: true, cell: ({ deny }) => listOr(deny, 'nothing'), field: 'deny' },
  { ...CHANGED, key: 'updated' },
];

/** Which commands may be sent to devices, and by whom. */
export function CommandPoliciesPage() {
  const refresh = useRefresh(trpc.automationgateway.listPolicies.pathFilter());
  const [opened, setOpened] = useState<OpenDialog>();
  const close = () => setOpened(undefined);
  return (
    <>
      <NamedList
        title="Command policies"
        frame={inAdmin('Command policies')}
        columns={COLUMNS}
        rowKey={({ name }) => name}
        nameOf={({ name }) => name}
        procedure={trpc.automationgateway.listPolicies}
        read={(queryOptions) => api.automationgateway.listPolicies.query({ queryOptions })}
        defaultSort={{ field: 'name', order: 1 }}
        empty={{
          title: 'There is no command policy yet',
          text: 'Without one, an account that may send commands may send every command.',
        }}
        create={{
          label: 'Create policy',
          needs: 'automationgateway.createPolicy',
          dialog: (onClose) => <CommandPolicyForm onClose={onClose} />,
        }}
        actionsOf={(policy) => [
          {
            label: 'Change',
            needs: 'automationgateway.replacePolicy',
            onAction: () => setOpened({ kind: 'edit', policy }),
          },
          {
            label: 'Delete',
            needs: 'automationgateway.deletePolicy',
            onAction: () => setOpened({ kind: 'delete', policy }),
          },
        ]}
      />
      {opened?.kind === 'edit' && <CommandPolicyForm policy={opened.policy} onClose={close} />}
      {opened?.kind === 'delete' && (
        <ConfirmDialog
          action="Delete policy"
          onClose={close}
          onConfirm={async () => {
            await api.automationgateway.deletePolicy.mutate({ name: opened.policy.name });
            await refresh();
          }}
        >
          The policy “{opened.policy.name}” is deleted, at once for pushes, backups and jobs as well. Without
          any other policy, every account that may send commands may send every command.
        </ConfirmDialog>
      )}
    </>
  );
}
