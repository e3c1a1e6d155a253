/** The names of watched threads in the health report; a part's index is its bit in reports between threads. */
const PARTS = ['durable work', 'device sessions', 'device connections'] as const;
export type WatchedPart = (typeof PARTS)[number];

const degraded = new Set<WatchedPart>();
/** Reports of the threads that this one started about the threads below them. */
const reports = new Map<object, number>();

/** Records that a part of this thread does not answer or is being replaced; health reports it. */
export const markDegraded = (part: WatchedPart): void => void degraded.add(part);

/** Records that a part of this thread answers again, was replaced, or has been stopped. */
export const clearDegraded = (part: WatchedPart): void => void degraded.delete(part);

/**
 * Records the parts that another thread reports as degraded.
 *
 * @param thread identifies the thread
 * @param bits one for each part, as `degradedBits` returns them; 0: none, or the thread has ended
 */
export function reportDegraded(thread: object, bits: number): void {
  if (bits === 0) reports.delete(thread);
  else reports.set(thread, bits);
}

/** Returns the degraded parts of this thread and of all threads below it, one bit each. */
export const degradedBits = (): number =>
  [...reports.values()].reduce(
    (bits, reported) => bits | reported,
    PARTS.reduce((bits, part, at) => (degraded.has(part) ? bits | (1 << at) : bits), 0),
  );

/** Returns the names of the degraded parts of this thread and of all threads below it. */
export const degradedParts = (): readonly WatchedPart[] => {
  const bits = degradedBits();
  return PARTS.filter((_, at) => bits & (1 << at));
};
