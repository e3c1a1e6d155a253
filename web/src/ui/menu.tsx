import { Menu as AriaMenu, MenuItem as AriaMenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Button } from './button.tsx';

export type MenuAction = { label: string; onAction: () => void; isDisabled?: boolean };

/** A button that opens a menu of actions. */
export function ActionMenu({ label, actions }: { label: string; actions: MenuAction[] }) {
  return (
    <MenuTrigger>
      <Button>{label} ▾</Button>
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
