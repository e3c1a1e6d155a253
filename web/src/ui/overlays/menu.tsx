import { useRef, useState } from 'react';
import { Button } from '../button.tsx';
import { useOverlays } from './load-overlays.ts';

export type MenuAction = { label: string; onAction: () => void; isDisabled?: boolean };

/** A button that opens a menu of actions: by a press at the first action, by the up arrow at the last one. */
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
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState<'first' | 'last'>();
  const overlays = useOverlays(open !== undefined);
  return (
    <>
      <Button
        ref={button}
        {...(name && { 'aria-label': name })}
        aria-haspopup="menu"
        aria-expanded={open !== undefined}
        onPress={() => setOpen('first')}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setOpen('first');
          else if (event.key === 'ArrowUp') setOpen('last');
          else event.continuePropagation();
        }}
      >
        {label} <span aria-hidden="true">▾</span>
      </Button>
      {open && overlays && (
        <overlays.MenuList
          button={button}
          label={name ?? label}
          actions={actions}
          start={open}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}
