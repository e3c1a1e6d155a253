import { Tour } from '../tour/tour.tsx';
import { CommandPalette } from './command-palette.tsx';
import { ShortcutSheet } from './shortcut-sheet.tsx';

export { Trouble } from './trouble.tsx';

export type Overlay = 'palette' | 'shortcuts';

type ExtrasProps = { overlay: Overlay | undefined; onClose: () => void };

/** What the frame has besides the page, and the first page is drawn without: palette, shortcuts and tour. */
export function Extras({ overlay, onClose }: ExtrasProps) {
  return (
    <>
      <Tour />
      <CommandPalette isOpen={overlay === 'palette'} onClose={onClose} />
      <ShortcutSheet isOpen={overlay === 'shortcuts'} onClose={onClose} />
    </>
  );
}
