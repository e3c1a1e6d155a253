import { useMay } from '~/api/use-may.ts';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { Dialog } from '~/ui/overlays/dialog.tsx';
import { areasFor } from '../areas.ts';

/** The list of the keyboard shortcuts, with those of the areas that the account finds in its navigation. */
export function ShortcutSheet({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const may = useMay();
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={onClose}>
      <Details
        entries={[
          ['Ctrl K', 'Search and commands'],
          ['/', 'Filter the list'],
          ['?', 'This list'],
          ['Escape', 'Close a dialog'],
          ...areasFor(may).map(({ key, name }): [string, string] => [`g ${key}`, name]),
        ]}
      />
      <div className="dialog-actions">
        <Button onPress={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
