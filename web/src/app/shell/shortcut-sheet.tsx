import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { Dialog } from '~/ui/overlays/dialog.tsx';
import { AREAS } from '../areas.ts';

/** The list of all keyboard shortcuts. */
export function ShortcutSheet({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={onClose}>
      <Details
        entries={[
          ['Ctrl K', 'Search and commands'],
          ['/', 'Filter the list'],
          ['?', 'This list'],
          ['Escape', 'Close a dialog'],
          ...AREAS.map(({ key, name }): [string, string] => [`g ${key}`, name]),
        ]}
      />
      <div className="dialog-actions">
        <Button onPress={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
