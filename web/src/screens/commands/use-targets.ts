import { useQuery } from '@tanstack/react-query';
import { trpc } from '~/api/client.ts';
import { useUrlState } from '~/app/url-state.ts';
import { selectionIn } from '~/ui/selection/selection-draft.ts';

/** Most devices of one run. */
export const TARGETS = 1000;

/**
 * The devices that the address names: by text in the name, by platform, by group, or one by one; without any of them: none.
 * Those that the user took out again stand in the address too: a reload or a link must not bring them back.
 */
export function useTargets() {
  const [{ match = '', platform = '', group = '', devices = '', selection: text = '', without = '' }] =
    useUrlState();
  const selection = selectionIn(text);
  const selected = useQuery(
    trpc.inventory.listSelection.queryOptions(
      { selection: selection ?? {}, limit: TARGETS },
      { enabled: selection !== undefined, retry: false },
    ),
  );
  const isFiltered = match !== '' || platform !== '';
  const found = useQuery(
    trpc.configurationManager.searchDevices.queryOptions(
      { options: { filter: { name: match, ostype: platform }, limit: TARGETS } },
      { enabled: isFiltered },
    ),
  );
  const members = useQuery(
    trpc.configurationManager.getDeviceGroupByName.queryOptions(
      { groupName: group },
      { enabled: group !== '' },
    ),
  );
  const named = devices.split('\n').filter(Boolean);
  const names = new Set([
    ...named,
    ...(isFiltered ? (found.data?.list.map(({ name }) => name) ?? []) : []),
    ...(group === '' ? [] : (members.data?.devices ?? [])),
    ...(selection ? (selected.data?.devices ?? []) : []),
  ]);
  const matching = Math.max(
    isFiltered ? (found.data?.total ?? 0) : 0,
    selection ? (selected.data?.total ?? 0) : 0,
  );
  const excluded = without.split('\n').filter(Boolean);
  const listed = [...names].sort().slice(0, TARGETS);
  return {
    names: listed,
    excluded,
    /** Those that are targets: all but the excluded ones. */
    chosen: listed.filter((name) => !excluded.includes(name)),
    /** There are more than one run may have. */
    isCut: names.size > TARGETS || matching > TARGETS,
    isLoading: found.isFetching || members.isFetching || selected.isFetching,
    error: found.error ?? members.error ?? selected.error,
  };
}
