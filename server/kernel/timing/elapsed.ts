/**
 * Returns the time since a moment in milliseconds, rounded to tenths as answers show it.
 *
 * @param began the moment, of `performance.now()`
 */
export const elapsedMs = (began: number): number => Math.round((performance.now() - began) * 10) / 10;
