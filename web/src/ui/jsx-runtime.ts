import * as react from 'react/jsx-runtime';
import { visibleText } from './visible-text.ts';

/**
 * Takes the place of `react/jsx-runtime` in the build (`web/vite.config.ts`): every text that the console draws, and every name that
 * only screen readers say, has its control and bidirectional characters as visible marks, whoever wrote the screen (decision 0193).
 */

type Props = Record<string, unknown>;

/** The attributes that users see or hear; `title` is one of them on elements of the page alone. */
const SPOKEN = ['aria-label', 'aria-description', 'aria-valuetext', 'alt', 'placeholder'];

function shown(child: unknown): unknown {
  if (typeof child === 'string') return visibleText(child);
  // Elements have their own texts: a list without a text of its own stays the same list.
  return Array.isArray(child) && child.some((one) => typeof one === 'string') ? child.map(shown) : child;
}

/** Returns the properties of an element as they are drawn; the same object when nothing in them is to be marked. */
function shownProps(type: unknown, props: Props): Props {
  let changed: Props | undefined;
  const note = (name: string) => {
    const value = shown(props[name]);
    if (value === props[name]) return;
    changed ??= { ...props };
    changed[name] = value;
  };
  if ('children' in props) note('children');
  for (const name of SPOKEN) if (typeof props[name] === 'string') note(name);
  if (typeof type === 'string' && typeof props.title === 'string') note('title');
  return changed ?? props;
}

type Draw = (type: never, props: Props, key?: never) => unknown;

const shownBy =
  (draw: Draw): Draw =>
  (type, props, key) =>
    draw(type, shownProps(type, props), key);

export const Fragment = react.Fragment;
export const jsx = shownBy(react.jsx as Draw);
export const jsxs = shownBy(react.jsxs as Draw);
