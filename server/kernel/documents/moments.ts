/** Sorts after every character of a time. */
const END = '~';

/**
 * The earliest moment that a bound means, in the form of the column `date` (db/tables/documents.ts): no `Z`, no zeros that say
 * nothing. A day begins with its first instant.
 *
 * @param bound ISO 8601 in UTC, or a day `2026-02-03`
 */
export const earliest = (bound: string): string => {
  const moment = bound.replace(/Z$/, '');
  const whole = /T\d\d:\d\d$/.test(moment) ? `${moment}:00` : moment;
  return whole.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
};

/** The latest moment that a bound means: a day ends with its last instant. */
export const latest = (bound: string): string => (bound.includes('T') ? earliest(bound) : `${bound}${END}`);
