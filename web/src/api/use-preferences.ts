import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { UrlState } from '~/app/url-state.ts';
import { api, trpc } from './client.ts';

/** A named filter of a list: its part of the address. */
export type SavedView = { name: string; search: UrlState };

/** What the console stores with the account. */
export type Preferences = {
  theme?: 'system' | 'light' | 'dark';
  density?: 'comfortable' | 'compact';
  /** Saved views by the path of their list. */
  views?: Record<string, SavedView[]>;
  /** Hidden columns by the path of their list. */
  hiddenColumns?: Record<string, string[]>;
  tour?: { isDismissed?: boolean; done?: string[] };
};

/** Returns what to change, from the preferences as they are stored now: keys that it leaves out stay, at every depth. */
type Change = (stored: Preferences) => Preferences;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns preferences with a change, as the service stores it. */
const merged = (
  stored: Record<string, unknown>,
  change: Record<string, unknown>,
): Record<string, unknown> => ({
  ...stored,
  ...Object.fromEntries(
    Object.entries(change).map(([key, value]) => {
      const before = stored[key];
      return [key, isObject(before) && isObject(value) ? merged(before, value) : value];
    }),
  ),
});

/**
 * The preferences of the account, and a function that changes some of them. Other tabs change them too: only what changes is
 * sent, and the service merges it. Lists are replaced as a whole, so that they are read again before a change.
 */
export function usePreferences(): [Preferences, (change: Change) => Promise<unknown>] {
  const queryClient = useQueryClient();
  const options = trpc.session.getSettings.queryOptions({}, { staleTime: 60_000 });
  const settings = useQuery(options);
  const { mutateAsync } = useMutation({
    scope: { id: 'preferences' },
    mutationFn: async (change: Change) => {
      const { preferences = {} } = await api.session.getSettings.query({});
      await api.session.savePreferences.mutate({ preferences: change(preferences) });
    },
    // What was just changed shows at once, before the server has stored it.
    onMutate: async (change: Change) => {
      await queryClient.cancelQueries(options);
      const before = queryClient.getQueryData(options.queryKey);
      queryClient.setQueryData(
        options.queryKey,
        (shown) =>
          shown && {
            ...shown,
            preferences: merged(shown.preferences ?? {}, change(shown.preferences ?? {})),
          },
      );
      return { before };
    },
    onError: (_error, _change, shown) => queryClient.setQueryData(options.queryKey, shown?.before),
    onSettled: () => queryClient.invalidateQueries(trpc.session.getSettings.pathFilter()),
  });
  return [(settings.data?.preferences ?? {}) as Preferences, mutateAsync];
}
