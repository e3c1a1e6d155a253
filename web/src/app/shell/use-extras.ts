import { useEffect, useState } from 'react';
import { loadCode } from '~/ui/load-code.ts';
import { loadOverlays } from '~/ui/overlays/load-overlays.ts';

const load = () => import('./extras.tsx');

/** How long a browser without idle callbacks waits, in milliseconds. */
const LOAD_MS = 1000;

/**
 * Returns the parts of the frame that the first page is drawn without. They are loaded once the page has nothing else to do, together
 * with what dialogs need: they then open at once, also when the service is gone by then.
 *
 * @param isWanted whether one of them is opened: they are loaded then at the latest
 * @returns undefined until they are loaded
 */
export function useExtras(isWanted: boolean): Awaited<ReturnType<typeof load>> | undefined {
  const [extras, setExtras] = useState<Awaited<ReturnType<typeof load>>>();
  useEffect(() => {
    // What fails here is loaded with the first one that opens.
    const loadIdly = () => {
      loadOverlays();
      load().then(setExtras, () => undefined);
    };
    // Some browsers have no idle moments to wait for.
    if ('requestIdleCallback' in window) window.requestIdleCallback(loadIdly);
    else setTimeout(loadIdly, LOAD_MS);
  }, []);
  useEffect(() => {
    if (!isWanted || extras) return;
    loadOverlays();
    void loadCode(load).then(setExtras);
  }, [isWanted, extras]);
  return extras;
}
