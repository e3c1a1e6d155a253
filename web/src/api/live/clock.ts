/** A clock that is off by less shows the same as one that is right, in milliseconds. */
const TOLERANCE_MS = 60_000;

/** How far the clock of the service is ahead of that of this browser, in milliseconds. */
let ahead = 0;

/** Compares the clock of this browser with the time of an answer. @param date the header `Date`; null: the answer has none */
export function noteTime(date: string | null): void {
  const difference = Date.parse(date ?? '') - Date.now();
  ahead = Math.abs(difference) > TOLERANCE_MS ? difference : 0;
}

/** Returns the time of the service in milliseconds since 1970: the clock of a browser may be a day off, and events are its own. */
export const now = (): number => Date.now() + ahead;
