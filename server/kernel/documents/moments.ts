import { withoutFinal } from '#server/kernel/text/without-final.ts';

/** Sorts after every character of a time. */
const END = '~';

/**
 * Returns the earliest time that a bound means, in the form of the column `date` (db/tables/golden-config/configurations.ts): no `Z`, no
 * trailing zeros. A day begins with its first instant.
 *
 * @param bound ISO 8601 in UTC, or a day `2026-02-03`
 */
export const earliest = (bound: string): string => {
  const moment = bound.replace(/Z$/, '');
  const whole = /T\d\d:\d\d$/.test(moment) ? `${moment}:00` : moment;
  return whole.includes('.') ? withoutFinal(withoutFinal(whole, '0'), '.') : whole;
};

/** Returns the latest time that a bound means: a day ends with its last instant. */
export const latest = (bound: string): string => (bound.includes('T') ? earliest(bound) : `${bound}${END}`);
