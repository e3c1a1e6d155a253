/** Longest name of a route (contract/lifecycle#6.2). */
const LONGEST = 128;
/** Characters that stay of a route whatever number is put behind it. */
const STEM = 118;

/** What every route that `freeRoute` may choose begins with: routes in use are looked for below it. */
export const stemOf = (wanted: string): string => wanted.slice(0, STEM);

/**
 * A route that no trigger has: the one wanted, else `route-1`, `route-2` …, never longer than a route may be
 * (contract/endpoints#4.21).
 *
 * @param taken routes in use
 */
export function freeRoute(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  for (let count = 1; ; count++) {
    const suffix = `-${count}`;
    const route = wanted.slice(0, LONGEST - suffix.length) + suffix;
    if (!taken.has(route)) return route;
  }
}
