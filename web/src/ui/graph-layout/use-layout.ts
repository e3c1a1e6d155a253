import { useEffect, useMemo, useState } from 'react';
import { type LayoutRequest, layOut, type Places } from './layout.ts';

/** Most nodes of a graph that is laid out at once, in 25 to 50 ms of CPU time: a thread takes longer to start. */
const MOST_AT_ONCE = 50;

/**
 * Lays out a graph: a large one in a thread of its own, so that the page can be used meanwhile.
 *
 * @param request the same object until the graph changes; absent: there is nothing to lay out
 * @returns the places of the nodes; undefined until a large graph is laid out, and those before until it is laid out anew
 */
export function useLayout(request: LayoutRequest | undefined): Places | undefined {
  const [laidOut, setLaidOut] = useState<Places>();
  const atOnce = useMemo(
    () => (request && request.ids.length <= MOST_AT_ONCE ? layOut(request) : undefined),
    [request],
  );
  useEffect(() => {
    if (!request || atOnce) return undefined;
    const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<Places>) => {
      setLaidOut(data);
      worker.terminate();
    };
    // Its file may be gone with an upgrade of the service: late is better than never.
    worker.onerror = () => setLaidOut(layOut(request));
    worker.postMessage(request);
    return () => worker.terminate();
  }, [request, atOnce]);
  return atOnce ?? laidOut;
}
