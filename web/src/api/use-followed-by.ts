import { type QueryFilters, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

/**
 * Reads queries again whenever what they follow has changed, such as a list beside the numbers of its run.
 *
 * @param progress what they follow, as text
 */
export function useFollowedBy(queries: QueryFilters, progress: string): void {
  const queryClient = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the queries are the same at each drawing
  useEffect(() => {
    void queryClient.invalidateQueries(queries);
  }, [progress]);
}
