import { type QueryFilters, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { connectionStore, type LiveEvent, onGap, onLiveEvent } from './live.ts';

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
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = 0;
    const refetch = () => {
      timer = undefined;
      last = performance.now();
      // A call that is under way began before the event: its answer may lack it.
      void queryClient.invalidateQueries(latest.current.filters, { cancelRefetch: true });
    };
    const schedule = () => {
      if (timer !== undefined) return;
      const wait = Math.max(0, last + REFETCH_MS - performance.now());
      if (wait === 0) refetch();
      else timer = setTimeout(refetch, wait);
    };
    const removeEvents = onLiveEvent((event) => latest.current.concerns(event) && schedule());
    const removeGap = onGap(refetch);
    return () => {
      clearTimeout(timer);
      removeEvents();
      removeGap();
    };
  }, [queryClient]);
}
