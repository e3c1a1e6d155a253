import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { devicePath } from '~/app/paths.ts';

/** The inputs in which tasks have the devices that they work on. */
const INPUTS = ['device', 'deviceName', 'device_name', 'devicename', 'host', 'devices', 'hosts'];
/** More devices than these are in the input of the task alone. */
const MOST = 5;

/**
 * Returns the devices of the inventory that a task works on, as far as its input names them.
 *
 * @param incoming values of the input by name
 */
export function useTaskDevices(incoming: Readonly<Record<string, unknown>> | undefined): string[] {
  const may = useMay();
  const values = INPUTS.flatMap((name) => incoming?.[name] ?? []);
  const named = [...new Set(values.filter((value) => typeof value === 'string' && value !== ''))];
  const isRead = named.length <= MOST && may('configurationManager.searchDevices');
  // An input of this name need not be a device, and a device need not exist any more: only a link that leads somewhere is shown.
  // A search, because the audit trail records each read of a device that does not exist.
  const found = useQueries({
    queries: (isRead ? named : []).map((name) =>
      trpc.configurationManager.searchDevices.queryOptions(
        { options: { filter: { name: String(name) }, exactMatch: true, limit: 1 } },
        { retry: false },
      ),
    ),
  });
  return found.flatMap(({ data }) => data?.list.map((device) => device.name) ?? []);
}

/** Links to the devices of a task. */
export const TaskDevices = ({ names }: { names: readonly string[] }) =>
  names.map((name, place) => (
    <Fragment key={name}>
      {place > 0 && ', '}
      <Link {...devicePath(name)}>{name}</Link>
    </Fragment>
  ));
