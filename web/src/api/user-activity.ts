/** A request later than this after the last action of the user was not caused by it, in milliseconds. */
const EFFECT_MS = 10_000;

/** What users do to the page; a pointer that only moves is no action. */
const ACTIONS = ['keydown', 'pointerdown', 'wheel'] as const;

// Opening the page is an action too.
let lastAction = performance.now();
const note = () => {
  lastAction = performance.now();
};
for (const action of ACTIONS) addEventListener(action, note, { capture: true, passive: true });

/**
 * Returns whether the user has done nothing for a while: what is read now follows an event or a timer, and must not keep an
 * idle session alive.
 */
export const isUserIdle = (): boolean => performance.now() - lastAction > EFFECT_MS;
