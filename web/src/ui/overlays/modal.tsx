import { useEffect, useRef } from 'react';
import { Dialog as AriaDialog, Modal as AriaModal, Heading, ModalOverlay } from 'react-aria-components';
import { useUnsaved } from '~/app/use-unsaved.ts';
import type { DialogProps } from './dialog.tsx';

/** A dialog while it is open. */
export function Modal({ title, onClose, size = 'normal', children }: Omit<DialogProps, 'isOpen'>) {
  const box = useRef<HTMLDivElement>(null);
  const isTyped = useRef(false);
  // Only Back leads away from an open dialog; what its own buttons open is meant.
  useUnsaved(
    () => isTyped.current,
    (_before, _after, isBack) => isBack,
  );
  // Over another dialog, which keeps the focus until this one is there, a field that asks for it does not get it at first.
  useEffect(() => {
    const note = ({ target }: Event) => {
      if ((target as HTMLElement).closest('form[data-draft]')) isTyped.current = true;
    };
    box.current?.addEventListener('input', note);
    const { activeElement } = document;
    if (!activeElement?.matches('input, textarea, select') || !box.current?.contains(activeElement)) {
      box.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    }
  }, []);
  return (
    <ModalOverlay className="overlay" isOpen onOpenChange={(open) => !open && onClose()}>
      <AriaModal ref={box} className="dialog-box" data-size={size}>
        <AriaDialog className="dialog">
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
        </AriaDialog>
      </AriaModal>
    </ModalOverlay>
  );
}
