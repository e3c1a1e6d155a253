/** Returns the time since a moment of `performance.now()` in milliseconds, rounded to tenths as answers show it. */
export const elapsedMs = (began: number): number => Math.round((performance.now() - began) * 10) / 10;
