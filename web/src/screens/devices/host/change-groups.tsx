import { useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { CheckList } from '~/ui/inputs/check-list.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { useDeviceGroups } from '../use-device-groups.ts';

/** Chooses the groups that list a device. */
export function ChangeGroups({ name, onClose }: { name: string; onClose: () => void }) {
  const { listDeviceGroups, listGroupsOfDevice, searchDeviceGroups, getDeviceGroup } =
    trpc.configurationManager;
  const refresh = useRefresh(
    ...[listDeviceGroups, listGroupsOfDevice, searchDeviceGroups, getDeviceGroup].map((one) =>
      one.pathFilter(),
    ),
  );
  const [edits, setEdits] = useState<ReadonlyMap<string, boolean>>(new Map());
  const read = useDeviceGroups();
  const groups = read.data ?? [];
  // A group with a selection has what it matches: no device is put into it.
  const listed = groups.filter(({ selection }) => !selection);
  const matching = groups.filter(({ selection, devices }) => selection && devices.includes(name));
  const isMember = ({ id, devices }: (typeof groups)[number]) => edits.get(id) ?? devices.includes(name);
  const changed = listed.filter((group) => isMember(group) !== group.devices.includes(name));
  return (
    <FormDialog
      title={`Groups of ${name}`}
      action="Save"
      isOpen
      onClose={onClose}
      isReady={changed.length > 0}
      onSubmit={async () => {
        const { addGroupDevices, removeGroupDevices } = api.configurationManager;
        try {
          for (const group of changed) {
            const procedure = isMember(group) ? addGroupDevices : removeGroupDevices;
            await procedure.mutate({ id: group.id, devices: [name] });
          }
        } finally {
          await refresh();
        }
      }}
    >
      <CheckList
        label="Groups"
        from={read}
        items={listed.map(({ id, name: group }) => ({ id, name: group }))}
        chosen={new Set(listed.filter(isMember).map(({ id }) => id))}
        onChange={(chosen) => setEdits(new Map(listed.map(({ id }) => [id, chosen.has(id)])))}
      />
      {matching.length > 0 && (
        <p className="muted">
          Selections of these groups match it: {matching.map((group) => group.name).join(', ')}.
        </p>
      )}
    </FormDialog>
  );
}
