import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { trpc } from './client.ts';

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

/** The preferences of the account, and a function that changes some of them. */
export function usePreferences(): [Preferences, (change: Partial<Preferences>) => void] {
  const queryClient = useQueryClient();
  const settings = useQuery(trpc.session.getSettings.queryOptions({}, { staleTime: 60_000 }));
  const save = useMutation(
    trpc.session.savePreferences.mutationOptions({
      onSettled: () => queryClient.invalidateQueries(trpc.session.getSettings.pathFilter()),
    }),
  );
  const stored = (settings.data?.preferences ?? {}) as Preferences & Record<string, unknown>;
  // What was just changed shows at once, before the server has stored it.
  const preferences = (save.isPending ? save.variables.preferences : stored) as Preferences;
  return [preferences, (change) => save.mutate({ preferences: { ...preferences, ...change } })];
}
