import { createLink } from '@tanstack/react-router';
import { type ComponentPropsWithRef, type RefObject, useLayoutEffect, useRef } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';

export type Variant = 'primary' | 'secondary' | 'danger' | 'quiet';

type ButtonProps = Omit<AriaButtonProps, 'className' | 'isPending' | 'onPress'> & {
  variant?: Variant;
  /** What a press starts; further presses are ignored until its promise has settled. */
  onPress?: () => unknown;
  /** What the button started is under way: it keeps the focus and ignores presses. */
  isPending?: boolean;
  ref?: RefObject<HTMLButtonElement | null>;
};

/** A button of the console. */
export function Button({
  variant = 'secondary',
  isPending = false,
  onPress,
  type,
  ref,
  ...props
}: ButtonProps) {
  const isRunning = useRef(false);
  const own = useRef<HTMLButtonElement>(null);
  const element = ref ?? own;
  // Noted here: a button that is disabled has lost the focus by the time that it is drawn.
  const hasFocus = useRef(false);
  const isDisabled = props.isDisabled === true;
  // A browser takes the focus from what is disabled or removed: then the page or the dialog around it has it.
  useLayoutEffect(() => {
    const button = element.current;
    const around = button?.closest<HTMLElement>('[tabindex="-1"]');
    const passFocus = () => around?.focus({ preventScroll: true });
    if (isDisabled && hasFocus.current) {
      hasFocus.current = false;
      passFocus();
    }
    return () => {
      if (document.activeElement === button) passFocus();
    };
  }, [isDisabled, element]);
  const press = async () => {
    if (isRunning.current) return;
    isRunning.current = true;
    try {
      await onPress?.();
    } finally {
      isRunning.current = false;
    }
  };
  return (
    <AriaButton
      {...props}
      ref={element}
      onFocusChange={(isFocused) => {
        if (isFocused || !element.current?.disabled) hasFocus.current = isFocused;
      }}
      className="button"
      data-variant={variant}
      aria-busy={isPending || undefined}
      type={isPending ? 'button' : (type ?? 'button')}
      {...(onPress && !isPending && { onPress: () => void press() })}
    />
  );
}

/** A link that looks like a button, for actions that open a page. */
export const LinkButton = createLink(function ButtonAnchor({
  variant = 'secondary',
  ...anchor
}: ComponentPropsWithRef<'a'> & { variant?: Variant }) {
  return <a {...anchor} className="button" data-variant={variant} />;
});
