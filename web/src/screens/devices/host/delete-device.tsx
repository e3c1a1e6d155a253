import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { BulkRun } from '~/ui/actions/bulk-run.tsx';
import { Checkbox } from '~/ui/fields.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { useRefreshDevices } from './change-device.tsx';

type Device = Outputs['configurationManager']['getDevice'];

/** Returns the inventory that a device is in; undefined when only an orchestrator reports it. */
export function inventoryOf(device: Device): 'cli' | 'grpc' | undefined {
  if (device.origin !== 'gateway') return undefined;
  return device['device-type'] === 'gnoi' ? 'grpc' : 'cli';
}

/** Removes a device from the inventory: says what goes with it and what stays. */
export function DeleteDevice({ device, onClose }: { device: Device; onClose: () => void }) {
  const { name, origins = [] } = device;
  const kind = inventoryOf(device) ?? 'cli';
  const may = useMay();
  const navigate = useNavigate();
  const refresh = useRefreshDevices();
  const [isForced, setForced] = useState(false);
  const trees = useQuery(
    trpc.configurationManager.listDeviceTrees.queryOptions(
      { deviceName: name },
      { enabled: may('configurationManager.listDeviceTrees') },
    ),
  );
  const groups = useQuery(
    trpc.configurationManager.listGroupsOfDevice.queryOptions(
      { deviceName: name },
      { enabled: may('configurationManager.listGroupsOfDevice') },
    ),
  );
  const backups = useQuery(
    trpc.configurationManager.searchBackups.queryOptions(
      { options: { filter: { name }, regex: false, limit: 1 } },
      { enabled: may('configurationManager.searchBackups') },
    ),
  );
  const nodes = (trees.data ?? []).map((tree) => `${tree.name} ${tree.version}, ${tree.nodePath}`);
  const named = (groups.data ?? []).map((group) => group.name);
  const others = origins.filter((origin) => origin !== 'gateway');
  const count = backups.data?.total;
  return (
    <FormDialog
      title={`Delete ${name}?`}
      action="Delete device"
      isDanger
      isOpen
      onClose={onClose}
      isReady={nodes.length === 0 || isForced}
      onSubmit={async () => {
        await api.automationgateway.deleteHost.mutate({ kind, name, ...(isForced && { force: true }) });
        showToast(`${name} is deleted`);
        await navigate({ to: '/devices' });
        await refresh();
      }}
    >
      <p>
        <strong>{name}</strong> is removed from the inventory, with its address, its stored login, its known
        host key and its custom fields. It cannot be reached afterwards.
      </p>
      <p>
        What is stored about it stays: {count === undefined ? 'its backups' : backupsText(count)}, its reports
        and proposals, jobs and the audit trail.
        {named.length > 0 && ` Groups that list it keep its name: ${named.join(', ')}.`}
      </p>
      {others.length > 0 && <p>It stays in the list of devices: {others.join(', ')} reports it as well.</p>}
      {typeof device.source === 'string' && (
        <p className="note" data-tone="warn">
          The inventory source {device.source} manages it, and adds it again when it is read, unless the
          device is gone there as well.
        </p>
      )}
      {nodes.length > 0 && (
        <>
          <p className="note" data-tone="warn">
            It is assigned to golden configs: {nodes.join('; ')}. Compliance runs of these nodes will report
            an error for it.
          </p>
          <Checkbox
            label="Delete it although golden configs name it"
            isChecked={isForced}
            onChange={setForced}
          />
        </>
      )}
    </FormDialog>
  );
}

const backupsText = (count: number) =>
  count === 0 ? 'no backup' : `${count.toLocaleString('en')} ${count === 1 ? 'backup' : 'backups'}`;

/** Devices that one call deletes at most. */
const MOST = 1000;

type Outcome = Outputs['automationgateway']['deleteDevices']['data'][number];

/** Deletes devices from the inventory. @returns the outcome of each, by its name */
async function deleteAll(names: readonly string[]): Promise<Map<string, Outcome>> {
  const outcomes: Outcome[] = [];
  for (let at = 0; at < names.length; at += MOST) {
    const part = names.slice(at, at + MOST);
    outcomes.push(...(await api.automationgateway.deleteDevices.mutate({ names: part })).data);
  }
  return new Map(outcomes.map((outcome) => [outcome.name, outcome]));
}

/** Removes selected devices from the inventory, and shows the outcome of each. */
export function DeleteDevices({ names, onClose }: { names: readonly string[]; onClose: () => void }) {
  const refresh = useRefreshDevices();
  // One call deletes them all: each row waits for its part of the answer.
  const deletion = useRef<Promise<Map<string, Outcome>>>(undefined);
  return (
    <BulkRun
      title="Delete devices"
      action={`Delete ${names.length.toLocaleString('en')} ${names.length === 1 ? 'device' : 'devices'}`}
      intro="They are removed from the inventory with their stored logins. Backups, reports and jobs stay, and groups keep the names. A device that a golden config names is not deleted: delete it on its own page."
      isDanger
      items={names}
      run={async (name) => {
        deletion.current ??= deleteAll(names);
        const { success = false, message = 'no outcome' } = (await deletion.current).get(name) ?? {};
        return { isGood: success, text: success ? 'deleted' : message };
      }}
      onDone={() => void refresh()}
      onClose={onClose}
    />
  );
}
