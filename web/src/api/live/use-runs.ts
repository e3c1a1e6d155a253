import { type QueryFilters, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { onLiveEvent } from './live.ts';
import { useRefetchOn } from './use-live.ts';

/** Kinds of runs that publish events of their progress and of their end: `backupRunProgressed`, `backupRunFinished`. */
export type RunKind = 'backupRun' | 'campaign' | 'gitRun' | 'inventoryRun' | 'retentionRun';

/** The service publishes the progress of a run once a second at most: what follows is read after that, in milliseconds. */
const LATER_MS = 1200;

/**
 * Reads queries again when runs of a kind begin, make progress or end, and once more after the last event, which may have
 * come before the last device of that second.
 *
 * @param kind undefined: nothing is followed
 */
export function useRunEvents(kind: RunKind | undefined, filters: QueryFilters): void {
  const queryClient = useQueryClient();
  const latest = useRef(filters);
  latest.current = filters;
  const concerns = ({ topic }: { topic: string }) => kind !== undefined && topic.startsWith(kind);
  useRefetchOn(filters, concerns);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const remove = onLiveEvent(({ topic }) => {
      if (kind === undefined || !topic.startsWith(kind)) return;
      clearTimeout(timer);
      timer = setTimeout(() => void queryClient.invalidateQueries(latest.current), LATER_MS);
    });
    return () => {
      clearTimeout(timer);
      remove();
    };
  }, [queryClient, kind]);
}
