import { type QueryFilters, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { connectionStore, type LiveEvent, onGap, onLiveEvent } from './live.ts';
import { throttled } from './throttled.ts';

/** How often one picture is read again while events keep arriving, in milliseconds. */
const REFETCH_MS = 500;

/** The state of the event stream of this browser. */
export const useConnection = () => useSyncExternalStore(connectionStore.subscribe, connectionStore.read);

/** Calls `handle` for every event; the latest function is used, so it may close over state. */
export function useLiveEvents(handle: (event: LiveEvent) => void): void {
  const latest = useRef(handle);
  latest.current = handle;
  useEffect(() => onLiveEvent((event) => latest.current(event)), []);
}

/**
 * Reads queries again when an event concerns them: at once for the first event, then at most twice a second, and once
 * more after the last event. After a gap in the events they are read again too.
 *
 * @param filters which queries, such as `trpc.operationsManager.listJobs.pathFilter()`
 * @param concerns whether an event changes what these queries show
 */
export function useRefetchOn(filters: QueryFilters, concerns: (event: LiveEvent) => boolean): void {
  const queryClient = useQueryClient();
  const latest = useRef({ filters, concerns });
  latest.current = { filters, concerns };
  useEffect(() => {
    const refetch = throttled(REFETCH_MS, () => {
      // A call that is under way began before the event: its answer may lack it.
      void queryClient.invalidateQueries(latest.current.filters, { cancelRefetch: true });
    });
    const removeEvents = onLiveEvent((event) => latest.current.concerns(event) && refetch.soon());
    const removeGap = onGap(refetch.now);
    return () => {
      refetch.stop();
      removeEvents();
      removeGap();
    };
  }, [queryClient]);
}
