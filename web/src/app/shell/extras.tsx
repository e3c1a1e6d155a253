import { useEffect } from 'react';
import { Tour } from '../tour/tour.tsx';
import { CommandPalette } from './command-palette.tsx';
import { ShortcutSheet } from './shortcut-sheet.tsx';

export { Trouble } from './trouble.tsx';
export { WaitingCount } from './waiting-count.tsx';

export type Overlay = 'palette' | 'shortcuts';

type ExtrasProps = { overlay: Overlay | undefined; onClose: () => void };

/** Parts of the frame that are loaded after the first page: palette, shortcuts and tour; those above stand elsewhere in it. */
export function Extras({ overlay, onClose }: ExtrasProps) {
  useEffect(() => keepDroppedFilesOut(), []);
  return (
    <>
      <Tour />
      <CommandPalette isOpen={overlay === 'palette'} onClose={onClose} />
      <ShortcutSheet isOpen={overlay === 'shortcuts'} onClose={onClose} />
    </>
  );
}

/** Keeps the browser from leaving the page for a file that is dropped beside a field. @returns lets it do so again */
function keepDroppedFilesOut(): () => void {
  const keep = (event: DragEvent) => {
    const isField = event.target instanceof HTMLInputElement;
    if (!isField && event.dataTransfer?.types.includes('Files')) event.preventDefault();
  };
  window.addEventListener('dragover', keep);
  window.addEventListener('drop', keep);
  return () => {
    window.removeEventListener('dragover', keep);
    window.removeEventListener('drop', keep);
  };
}
