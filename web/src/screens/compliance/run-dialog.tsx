import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { trpc } from '~/api/client.ts';
import { useUrlState } from '~/app/url-state.ts';
import { FormDialog } from '~/ui/dialog.tsx';
import { Checkbox, TextArea } from '~/ui/fields.tsx';
import { QueryView } from '~/ui/states.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import { pathsOf, type Slice } from './slice.tsx';

/** Starts a run over the devices of the slice, after it has said how many they are. */
export function RunDialog({ slice, onClose }: { slice: Slice; onClose: () => void }) {
  const { treeId, version, nodePath, deviceGroupId } = slice;
  const [{ batch }, setUrl] = useUrlState();
  const [names, setNames] = useState('');
  const [hasChildren, setChildren] = useState(true);
  const named = names.split(/[\s,]+/).filter(Boolean);
  const tree = useQuery(trpc.configurationManager.getVersion.queryOptions({ treeId, version }));
  const placed = useQuery(trpc.configurationManager.listTreeDevices.queryOptions({ treeId, version }));
  const group = useQuery(
    trpc.configurationManager.getDeviceGroup.queryOptions(
      { id: deviceGroupId ?? '' },
      { enabled: deviceGroupId !== undefined },
    ),
  );
  const run = useMutation(trpc.configurationManager.runCompliance.mutationOptions());
  const path = nodePath ?? (tree.data ? pathsOf(tree.data.root)[0] : undefined);
  const members = new Set(group.data?.devices ?? []);
  const targets = new Set(
    (placed.data ?? [])
      .filter(({ nodePath: at }) => path && (at === path || (hasChildren && at.startsWith(`${path}/`))))
      .filter(({ device }) => deviceGroupId === undefined || members.has(device))
      .map(({ device }) => device),
  );
  const chosen = named.length > 0 ? [...new Set(named)] : [...targets];
  const isLoaded = tree.data && placed.data && (deviceGroupId === undefined || group.data);
  const isNamed = named.length > 0 || deviceGroupId !== undefined;
  return (
    <FormDialog
      title="Run compliance"
      action={`Check ${chosen.length.toLocaleString('en')} ${chosen.length === 1 ? 'device' : 'devices'}`}
      isOpen
      onClose={onClose}
      isReady={Boolean(isLoaded) && chosen.length > 0}
      onSubmit={async () => {
        const { batchId } = await run.mutateAsync({
          options: {
            treeId,
            version,
            nodePath: path ?? '',
            ...(isNamed ? { devices: chosen } : { children: hasChildren }),
          },
        });
        setUrl({ batch: [batchId, ...(batch ?? '').split(',')].filter(Boolean).slice(0, 5).join(',') });
      }}
    >
      <QueryView query={placed} loading="Counting devices">
        {() => (
          <p>
            <strong>{chosen.length.toLocaleString('en')}</strong> {chosen.length === 1 ? 'device' : 'devices'}{' '}
            against the rules of <code>{visibleText(path ?? '')}</code>, version {visibleText(version)}.{' '}
            {chosen.length === 0 && 'Assign devices to the node, choose another slice, or name some below.'}
          </p>
        )}
      </QueryView>
      <Checkbox label="Check the nodes below as well" isChecked={hasChildren} onChange={setChildren} />
      <TextArea
        label="Only these devices"
        hint="Names separated by commas or lines; empty: those of the slice."
        rows={3}
        value={names}
        onChange={setNames}
      />
    </FormDialog>
  );
}
