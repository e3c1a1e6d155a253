import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { trpc } from '~/api/client.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Button } from '~/ui/button.tsx';
import { Checkbox, TextArea } from '~/ui/fields.tsx';
import { isReading, Unread } from '~/ui/inputs/unread.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { SelectionDialog } from '~/ui/selection/selection-dialog.tsx';
import { type Selection, selectionText } from '~/ui/selection/selection-draft.ts';
import { devicesText } from '~/ui/selection/selection-field.tsx';
import { Loading } from '~/ui/states.tsx';
import { pathsOf, type Slice } from './slice.tsx';

/** Starts a run over the devices of the slice, after it has said how many they are. */
export function RunDialog({ slice, onClose }: { slice: Slice; onClose: () => void }) {
  const { treeId, version, nodePath, deviceGroupId } = slice;
  const [{ batch }, setUrl] = useUrlState();
  const [names, setNames] = useState('');
  const [hasChildren, setChildren] = useState(true);
  const named = names.split(/[\s,]+/).filter(Boolean);
  const [isSelecting, setSelecting] = useState(false);
  const [selected, setSelected] = useState<Selection>();
  const matched = useQuery(
    trpc.inventory.listSelection.queryOptions(
      { selection: selected ?? {}, limit: 1 },
      { enabled: selected !== undefined },
    ),
  );
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
  const count = selected ? (matched.data?.total ?? 0) : chosen.length;
  const isLoaded = tree.data && placed.data && (deviceGroupId === undefined || group.data);
  const isCounted = isLoaded && (!selected || matched.data);
  const isNamed = named.length > 0 || deviceGroupId !== undefined;
  return (
    <FormDialog
      title="Run compliance"
      action={`Check ${devicesText(isCounted ? count : undefined)}`}
      isOpen
      onClose={onClose}
      isReady={Boolean(isCounted) && count > 0}
      onSubmit={async () => {
        const { batchId } = await run.mutateAsync({
          options: {
            treeId,
            version,
            nodePath: path ?? '',
            ...(selected
              ? { selection: selected }
              : isNamed
                ? { devices: chosen }
                : { children: hasChildren }),
          },
        });
        setUrl({ batch: [batchId, ...(batch ?? '').split(',')].filter(Boolean).slice(0, 5).join(',') });
      }}
    >
      <Unread what="Devices" from={[placed, tree, group, matched]} />
      {isCounted ? (
        <p>
          <strong>{devicesText(count)}</strong> against the rules of <code>{path ?? ''}</code>, version{' '}
          {version}. {count === 0 && 'Assign devices to the node, choose another node, or name some below.'}
        </p>
      ) : (
        isReading([placed, tree, group, matched]) && <Loading what="Counting devices" />
      )}
      <Checkbox label="Check the nodes below as well" isChecked={hasChildren} onChange={setChildren} />
      <TextArea
        label="Only these devices"
        hint="Names separated by commas or lines. Default: the devices chosen above."
        rows={3}
        value={names}
        onChange={setNames}
      />
      <div className="row">
        <Button onPress={() => setSelecting(true)}>Select by properties</Button>
        {selected && (
          <>
            <span>{selectionText(selected)}</span>
            <Button variant="quiet" onPress={() => setSelected(undefined)}>
              Clear selection
            </Button>
          </>
        )}
      </div>
      {isSelecting && (
        <SelectionDialog initial={selected} onSelect={setSelected} onClose={() => setSelecting(false)} />
      )}
    </FormDialog>
  );
}
