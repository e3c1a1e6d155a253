import { type QueryFilters, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

/**
 * Reads queries again whenever what they follow has changed, such as a list beside the numbers of its run.
 *
 * @param progress what they follow, as text
 */
export function useFollowedBy(queries: QueryFilters, progress: string): void {
  const queryClient = useQueryClient();
  const seen = useRef(progress);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the queries are the same at each render
  useEffect(() => {
    if (seen.current === progress) return;
    seen.current = progress;
    void queryClient.invalidateQueries(queries);
  }, [progress]);
}
