import { Menu as AriaMenu, MenuItem as AriaMenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Button } from '../button.tsx';

export type MenuAction = { label: string; onAction: () => void; isDisabled?: boolean };

/** A button that opens a menu of actions. */
export function ActionMenu({
  label,
  name,
  actions,
}: {
  label: string;
  /** The accessible name, where several buttons have the same label. */
  name?: string;
  actions: readonly MenuAction[];
}) {
  return (
    <MenuTrigger>
      <Button {...(name && { 'aria-label': name })}>{label} ▾</Button>
      <Popover className="popover">
        <AriaMenu>
          {actions.map(({ label, onAction, isDisabled = false }) => (
            <AriaMenuItem key={label} className="menu-item" onAction={onAction} isDisabled={isDisabled}>
              {label}
            </AriaMenuItem>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
