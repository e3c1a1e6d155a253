import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { Checkbox, TextField } from '~/ui/fields.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { Empty, QueryView } from '~/ui/states.tsx';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { AdminFrame } from '../admin-frame.tsx';

type Target = Outputs['outgoing']['getTargets']['targets'][number];
type Scheme = NonNullable<Target['schemes']>[number];

const keyOf = ({ host, ports = [], schemes = [] }: Target) =>
  `${host} ${ports.join(',')} ${schemes.join(',')}`;

/** Where jobs may send requests. */
export function OutgoingPage() {
  const may = useMay();
  const targets = useQuery(trpc.outgoing.getTargets.queryOptions({}));
  const [dialog, setDialog] = useState<'add' | Target>();
  const mayChange = may('outgoing.replaceTargets');
  const columns: Column<Target>[] = [
    ...COLUMNS,
    ...(mayChange
      ? [
          {
            key: 'actions',
            header: 'Actions',
            cell: (target: Target) => (
              <Button variant="danger" aria-label={`Remove ${target.host}`} onPress={() => setDialog(target)}>
                Remove
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <AdminFrame
      current="Outgoing targets"
      actions={
        mayChange &&
        targets.data && (
          <Button variant="primary" onPress={() => setDialog('add')}>
            Add target
          </Button>
        )
      }
    >
      <QueryView query={targets} loading="Loading targets">
        {({ targets: list }) => (
          <>
            {list.length === 0 ? (
              <Empty
                title="Jobs may not send requests anywhere"
                next={mayChange && { label: 'Add the first one', act: () => setDialog('add') }}
              >
                <p>Add the hosts that the tasks of workflows may call.</p>
              </Empty>
            ) : (
              <DataTable label="Outgoing targets" columns={columns} rows={list} rowKey={keyOf} />
            )}
            {dialog === 'add' && <AddTarget targets={list} onClose={() => setDialog(undefined)} />}
            {typeof dialog === 'object' && (
              <RemoveTarget targets={list} target={dialog} onClose={() => setDialog(undefined)} />
            )}
          </>
        )}
      </QueryView>
    </AdminFrame>
  );
}

const COLUMNS: Column<Target>[] = [
  { key: 'host', header: 'Host', cell: ({ host }) => host },
  { key: 'ports', header: 'Ports', cell: ({ ports = [] }) => ports.join(', ') || 'those of the schemes' },
  { key: 'schemes', header: 'Schemes', cell: ({ schemes = [] }) => schemes.join(', ') || 'https' },
];

type Change = { targets: readonly Target[]; onClose: () => void };

function AddTarget({ targets, onClose }: Change) {
  const refresh = useRefresh(trpc.outgoing.getTargets.pathFilter());
  const [host, setHost] = useState('');
  const [ports, setPorts] = useState('');
  const [isHttp, setHttp] = useState(false);
  const schemes: Scheme[] = isHttp ? ['https', 'http'] : ['https'];
  return (
    <FormDialog
      title="Add target"
      action="Add target"
      isOpen
      onClose={onClose}
      isReady={host.trim() !== ''}
      onSubmit={async () => {
        const numbers = ports
          .split(/[\s,]+/)
          .filter(Boolean)
          .map(Number);
        const target = { host: host.trim(), schemes, ...(numbers.length > 0 && { ports: numbers }) };
        await api.outgoing.replaceTargets.mutate({ targets: [...targets, target] });
        await refresh();
      }}
    >
      <TextField
        label="Host"
        hint="A name or an address."
        value={host}
        onChange={setHost}
        isRequired
        autoFocus
      />
      <TextField
        label="Ports"
        hint="Separated by commas. Default: those of the schemes."
        value={ports}
        onChange={setPorts}
      />
      <Checkbox label="Allow http as well, without encryption" isChecked={isHttp} onChange={setHttp} />
    </FormDialog>
  );
}

function RemoveTarget({ targets, target, onClose }: Change & { target: Target }) {
  const refresh = useRefresh(trpc.outgoing.getTargets.pathFilter());
  return (
    <FormDialog
      title="Remove target"
      action="Remove target"
      isDanger
      isOpen
      onClose={onClose}
      onSubmit={async () => {
        await api.outgoing.replaceTargets.mutate({ targets: targets.filter((one) => one !== target) });
        await refresh();
      }}
    >
      <p>Tasks can no longer send requests to {target.host}.</p>
    </FormDialog>
  );
}
