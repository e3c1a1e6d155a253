/** Pauses before a process is started again, and deaths after which it is not; times in milliseconds. */
export const RESTARTS = { first: 1000, longest: 60_000, most: 5, within: 10 * 60_000 };

/**
 * Returns how long the next start has to wait: 1, 2, 4 … 60 s after the last death; null when there were five deaths in
 * ten minutes, so that it is not started until the first of them is older.
 *
 * @param deaths times of deaths, oldest first; those that no longer count are removed
 */
export function restartDelay(deaths: number[], now: number): number | null {
  while (deaths.length > 0 && now - (deaths[0] ?? 0) > RESTARTS.within) deaths.shift();
  if (deaths.length === 0) return 0;
  if (deaths.length >= RESTARTS.most) return null;
  const pause = Math.min(RESTARTS.longest, RESTARTS.first * 2 ** (deaths.length - 1));
  return Math.max(0, (deaths.at(-1) ?? 0) + pause - now);
}
