import { type QueryFilters, useQueryClient } from '@tanstack/react-query';
import { showProblem, showToast } from '../overlays/toast.tsx';

/**
 * Returns a function that does something at once: what the server says is shown, and what changed is read again.
 *
 * @param changed the queries that show what is changed, such as `trpc.adapters.listAdapters.pathFilter()`
 */
export function useAct(...changed: QueryFilters[]) {
  const queryClient = useQueryClient();
  return async (work: () => Promise<{ message: string }>): Promise<void> => {
    try {
      showToast((await work()).message);
    } catch (error) {
      showProblem(error);
    }
    await Promise.all(changed.map((filters) => queryClient.invalidateQueries(filters)));
  };
}

/** Returns a function that reads queries again after a change. */
export function useRefresh(...changed: QueryFilters[]) {
  const queryClient = useQueryClient();
  return () => Promise.all(changed.map((filters) => queryClient.invalidateQueries(filters)));
}
