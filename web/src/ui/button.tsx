import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';

export type Variant = 'primary' | 'secondary' | 'danger' | 'quiet';

type ButtonProps = Omit<AriaButtonProps, 'className' | 'isPending'> & {
  variant?: Variant;
  /** What the button started is under way: it keeps the focus and ignores presses. */
  isPending?: boolean;
};

/** A button of the console. */
export function Button({ variant = 'secondary', isPending = false, onPress, type, ...props }: ButtonProps) {
  return (
    <AriaButton
      {...props}
      className="button"
      data-variant={variant}
      aria-busy={isPending || undefined}
      type={isPending ? 'button' : (type ?? 'button')}
      {...(onPress && !isPending && { onPress })}
    />
  );
}

/** A link that looks like a button, for actions that open a page. */
export function LinkButton({
  children,
  variant = 'secondary',
  ...link
}: LinkProps & { children: ReactNode; variant?: Variant }) {
  return (
    <Link {...link} className="button" data-variant={variant}>
      {children}
    </Link>
  );
}
