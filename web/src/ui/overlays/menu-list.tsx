import type { RefObject } from 'react';
import { Menu as AriaMenu, MenuItem as AriaMenuItem, Popover } from 'react-aria-components';
import type { MenuAction } from './menu.tsx';

/** The actions of a menu while it is open, below its button. */
export function MenuList({
  button,
  label,
  actions,
  start,
  onClose,
}: {
  button: RefObject<HTMLButtonElement | null>;
  /** The accessible name: that of the button. */
  label: string;
  actions: readonly MenuAction[];
  /** The action that has the focus first. */
  start: 'first' | 'last';
  onClose: () => void;
}) {
  return (
    <Popover
      className="popover"
      trigger="MenuTrigger"
      triggerRef={button}
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      <AriaMenu aria-label={label} autoFocus={start} onClose={onClose}>
        {actions.map(({ label, onAction, isDisabled = false }) => (
          <AriaMenuItem key={label} className="menu-item" onAction={onAction} isDisabled={isDisabled}>
            {label}
          </AriaMenuItem>
        ))}
      </AriaMenu>
    </Popover>
  );
}
