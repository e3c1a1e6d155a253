import { Dialog as AriaDialog, Modal as AriaModal, Heading, ModalOverlay } from 'react-aria-components';
import type { DialogProps } from './dialog.tsx';

/** A dialog while it is open. */
export function Modal({ title, onClose, size = 'normal', children }: Omit<DialogProps, 'isOpen'>) {
  return (
    <ModalOverlay className="overlay" isOpen onOpenChange={(open) => !open && onClose()}>
      <AriaModal className="dialog-box" data-size={size}>
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
