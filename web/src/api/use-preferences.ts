import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, trpc } from './client.ts';

/** A named filter of a list: its part of the address. */
export type SavedView = { name: string; search: Record<string, string> };

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

/** Returns what to change, from the preferences as they are stored now. */
type Change = (stored: Preferences) => Partial<Preferences>;

/**
 * The preferences of the account, and a function that changes some of them. The service stores them as one document, which other
 * tabs change too: it is read again before a change, and changes of one page follow each other.
 */
export function usePreferences(): [Preferences, (change: Change) => Promise<unknown>] {
  const queryClient = useQueryClient();
  const options = trpc.session.getSettings.queryOptions({}, { staleTime: 60_000 });
  const settings = useQuery(options);
  const { mutateAsync } = useMutation({
    scope: { id: 'preferences' },
    mutationFn: async (change: Change) => {
      const { preferences = {} } = await api.session.getSettings.query({});
      await api.session.savePreferences.mutate({ preferences: { ...preferences, ...change(preferences) } });
    },
    // What was just changed shows at once, before the server has stored it.
    onMutate: async (change: Change) => {
      await queryClient.cancelQueries(options);
      queryClient.setQueryData(
        options.queryKey,
        (shown) =>
          shown && { ...shown, preferences: { ...shown.preferences, ...change(shown.preferences ?? {}) } },
      );
    },
    onSettled: () => queryClient.invalidateQueries(trpc.session.getSettings.pathFilter()),
  });
  return [(settings.data?.preferences ?? {}) as Preferences, mutateAsync];
}
