import { useQuery } from '@tanstack/react-query';
import { trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';

/** More names than this are not read: the field then completes those that were. */
const MOST = 1000;

const once = (names: readonly (string | null | undefined)[]) =>
  [...new Set(names.filter((name): name is string => typeof name === 'string' && name !== ''))].sort();

/** The platforms and sources that exist and that the account may list, for the fields of a selection. */
export function useKnownNames(): { platforms: string[]; sources: string[] } {
  const may = useMay();
  const types = useQuery(
    trpc.automationgateway.listDeviceTypes.queryOptions(
      { queryOptions: { limit: MOST } },
      { enabled: may('automationgateway.listDeviceTypes') },
    ),
  );
  const parsers = useQuery(
    trpc.configurationManager.listParsers.queryOptions(
      {},
      { enabled: may('configurationManager.listParsers') },
    ),
  );
  const sources = useQuery(
    trpc.inventory.listSources.queryOptions(
      { queryOptions: { limit: MOST } },
      { enabled: may('inventory.listSources') },
    ),
  );
  return {
    platforms: once([
      ...(types.data?.results ?? []).map(({ device_type }) => device_type),
      ...(parsers.data ?? []).map(({ name }) => name),
    ]),
    sources: once((sources.data?.results ?? []).map(({ name }) => name)),
  };
}
