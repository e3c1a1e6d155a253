import { useEffect, useRef } from 'react';
import { Dialog as AriaDialog, Modal as AriaModal, Heading, ModalOverlay } from 'react-aria-components';
import type { DialogProps } from './dialog.tsx';

/** A dialog while it is open. */
export function Modal({ title, onClose, size = 'normal', children }: Omit<DialogProps, 'isOpen'>) {
  const box = useRef<HTMLDivElement>(null);
  // Over another dialog, which keeps the focus until this one is there, a field that asks for it does not get it at first.
  useEffect(() => {
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
