import { useEffect, useState } from 'react';
import { loadCode } from '../load-code.ts';

/** The parts of dialogs and menus that need much code of react-aria, which the first page is drawn without. */
type Overlays = Pick<typeof import('./modal.tsx'), 'Modal'> &
  Pick<typeof import('./menu-list.tsx'), 'MenuList'>;

let loaded: Overlays | undefined;

async function load(): Promise<Overlays> {
  if (loaded) return loaded;
  const [{ Modal }, { MenuList }] = await Promise.all([import('./modal.tsx'), import('./menu-list.tsx')]);
  loaded = { Modal, MenuList };
  return loaded;
}

/** Loads what overlays need, before the first one opens; what fails here is loaded with that one. */
export const loadOverlays = (): void => void load().catch(() => undefined);

/**
 * Returns what an overlay needs, without waiting when it is loaded: keys that are typed right after a shortcut must reach the dialog
 * that it opens.
 *
 * @param isOpen whether the overlay is open; it is loaded then at the latest
 * @returns undefined until it is loaded
 */
export function useOverlays(isOpen: boolean): Overlays | undefined {
  const [, setLoaded] = useState(loaded);
  useEffect(() => {
    if (isOpen && !loaded) void loadCode(load).then(setLoaded);
  }, [isOpen]);
  return loaded;
}
