/** Least and most time without a byte that confirms a prompt, in milliseconds (contract/endpoints#4.14-timing). */
const LEAST = 5;
const MOST = 150;

/** Gaps shorter than this are how bytes come, not how a device pauses. */
const GAP = 2;

/** How long a device must be quiet before its last line is believed. */
export type Quiet = {
  /** A round trip was measured, in milliseconds. */
  roundTrip: (ms: number) => void;
  /** Bytes came, so long after those before them, in the middle of an answer. */
  gap: (ms: number) => void;
  /** A new answer begins. */
  begin: () => void;
  ms: () => number;
};

/**
 * Twice the round trip; and where a device dribbles, twice the longest pause that it made, so that a line which
 * only looks like the prompt is not believed before it goes on.
 */
export function openQuiet(): Quiet {
  let roundTrip = Number.POSITIVE_INFINITY;
  let longest = 0;
  let remembered = 0;
  return {
    roundTrip(ms) {
      roundTrip = Math.min(roundTrip, ms);
    },
    gap(ms) {
      if (ms > GAP) longest = Math.max(longest, ms);
    },
    begin() {
      remembered = Math.max(longest, remembered * 0.5);
      longest = 0;
    },
    ms() {
      const trips = Number.isFinite(roundTrip) ? 2 * roundTrip : 20;
      return Math.min(MOST, Math.max(LEAST, trips, 2 * Math.max(longest, remembered)));
    },
  };
}
