import { FormDialog } from '../overlays/dialog.tsx';
import type { Selection } from './selection-draft.ts';
import { devicesText, SelectionField } from './selection-field.tsx';
import { useSelection } from './use-selection.ts';

type SelectionDialogProps = {
  initial?: Selection | undefined;
  onSelect: (selection: Selection) => void;
  onClose: () => void;
};

/** Chooses devices by their properties, for a form that shows the selection in one line. */
export function SelectionDialog({ initial, onSelect, onClose }: SelectionDialogProps) {
  const state = useSelection(initial);
  const { selection } = state;
  return (
    <FormDialog
      title="Select devices by properties"
      action={`Select ${devicesText(state.count)}`}
      size="wide"
      isOpen
      onClose={onClose}
      isReady={state.isReady}
      onSubmit={async () => {
        if (selection) onSelect(selection);
      }}
    >
      <SelectionField state={state} />
    </FormDialog>
  );
}
