import { useQuery } from '@tanstack/react-query';
import { type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';

type Group = Outputs['configurationManager']['listDeviceGroups'][number];

/** All device groups that the account may see. */
export function useDeviceGroups() {
  const may = useMay();
  return useQuery(
    trpc.configurationManager.listDeviceGroups.queryOptions(
      {},
      { enabled: may('configurationManager.listDeviceGroups') },
    ),
  );
}

/** The names of the groups of a device, in one text. */
export const groupNamesOf = (groups: readonly Group[] | undefined, device: string): string =>
  (groups ?? [])
    .filter(({ devices }) => devices.includes(device))
    .map(({ name }) => name)
    .join(', ');
