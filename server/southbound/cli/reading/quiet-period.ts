/** Minimum and maximum time without output that confirms a prompt, in milliseconds (contract/endpoints#4.14-timing). */
const LEAST = 5;
const MOST = 150;

/** Gaps up to this length, in milliseconds, are normal between bytes and not a pause of the device. */
const GAP = 2;

/** Computes how long a device must be silent before its last line is accepted as a prompt. */
export type Quiet = {
  /** Records a measured round trip, in milliseconds. */
  roundTrip: (ms: number) => void;
  /** Records the gap before bytes in the middle of a reply, in milliseconds. */
  gap: (ms: number) => void;
  /** Marks the beginning of a new reply. */
  begin: () => void;
  ms: () => number;
};

/**
 * Returns twice the round trip or, for a device that sends with pauses, twice its longest pause. That prevents a line
 * that only looks like the prompt from being accepted before the output continues.
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
