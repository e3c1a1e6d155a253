import { type ReactNode, useState } from 'react';
import { type ProcedureName, useMay } from '~/api/use-may.ts';
import { Button } from '../button.tsx';

export type Create = {
  /** The button beside the title of the list: `Create group`. */
  label: string;
  /** The button of the empty list; absent: `Create the first one`. */
  first?: string;
  needs: ProcedureName;
  dialog: (onClose: () => void) => ReactNode;
};

/**
 * How a list offers to create what it holds, to those who may: a button beside its title, and the next step while it is empty.
 *
 * @param create absent: nothing can be created here
 * @returns the button, the next step for `Empty`, and the dialog while it is open
 */
export function useCreate(create: Create | undefined) {
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const isAllowed = create !== undefined && may(create.needs);
  const open = () => setOpen(true);
  return {
    button: isAllowed && (
      <Button variant="primary" onPress={open}>
        {create.label}
      </Button>
    ),
    next: isAllowed && { label: create.first ?? 'Create the first one', act: open },
    dialog: isOpen && create?.dialog(() => setOpen(false)),
  };
}
