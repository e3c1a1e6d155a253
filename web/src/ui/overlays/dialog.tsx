import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { problemOf } from '~/api/problem.ts';
import { Button } from '../button.tsx';
import { ProblemNote } from '../states.tsx';
import { useOverlays } from './load-overlays.ts';
import { announced } from './toast.tsx';

export type DialogProps = {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  size?: 'normal' | 'wide';
  children: ReactNode;
};

/** A modal dialog; Escape closes it, and the focus returns to what opened it. */
export function Dialog({ isOpen, ...modal }: DialogProps) {
  const overlays = useOverlays(isOpen);
  return isOpen && overlays && <overlays.Modal {...modal} />;
}

type FormDialogProps = Omit<DialogProps, 'children'> & {
  /** The label of the button that sends the form, a verb: `Create group`. */
  action: string;
  /** Sends the form. The dialog closes when it resolves; when it rejects, it shows why and keeps what was typed. */
  onSubmit: () => Promise<unknown>;
  isReady?: boolean;
  isDanger?: boolean;
  /** True: the dialog shows the outcome itself, and stays. */
  staysOpen?: boolean;
  children?: ReactNode;
};

/** A dialog with a form: `Back` leaves it, the action sends it, and an error keeps everything that was typed. */
export function FormDialog({
  action,
  onSubmit,
  isReady = true,
  isDanger = false,
  staysOpen = false,
  onClose,
  children,
  ...dialog
}: FormDialogProps) {
  const [isPending, setPending] = useState(false);
  // The state is that of the last drawn picture: two presses may come before the next one.
  const isSending = useRef(false);
  const [error, setError] = useState<unknown>();
  const close = () => {
    setError(undefined);
    onClose();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // A form inside a dialog must not submit a form around it: React bubbles events through portals.
    event.stopPropagation();
    if (!isReady || isSending.current) return;
    isSending.current = true;
    setPending(true);
    setError(undefined);
    try {
      await announced(`${action}: accepted`, onSubmit);
      if (!staysOpen) onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      isSending.current = false;
      setPending(false);
    }
  };
  return (
    <Dialog {...dialog} onClose={close}>
      <form data-draft onSubmit={submit}>
        {children}
        <div className="dialog-actions">
          {error !== undefined && <ProblemNote problem={problemOf(error)} />}
          <Button onPress={close}>Back</Button>
          <Button
            type="submit"
            variant={isDanger ? 'danger' : 'primary'}
            isDisabled={!isReady}
            isPending={isPending}
          >
            {isPending ? `${action} …` : action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

type ConfirmProps = {
  /** What is done, as its button says it: `Delete group`. */
  action: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  /** What will happen. */
  children: ReactNode;
};

/** Asks for confirmation of an action that cannot be undone. */
export const ConfirmDialog = ({ action, onConfirm, onClose, children }: ConfirmProps) => (
  <FormDialog title={action} action={action} isDanger isOpen onClose={onClose} onSubmit={onConfirm}>
    <p>{children}</p>
  </FormDialog>
);
