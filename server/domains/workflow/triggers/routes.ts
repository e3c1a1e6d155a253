/** Maximum length of a route name (contract/lifecycle#6.2). */
const LONGEST = 128;
/** Characters of a route that stay unchanged, whatever number is appended. */
const STEM = 118;

/** Returns the prefix of every route that `freeRoute` may choose: routes in use are searched by it. */
export const stemOf = (wanted: string): string => wanted.slice(0, STEM);

/**
 * Returns an unused route: the wanted one, else `route-1`, `route-2` …, never longer than allowed
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
