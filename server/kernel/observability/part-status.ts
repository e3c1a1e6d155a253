/** What health calls the threads that are watched; a part's place is its bit where a thread reports to another. */
const PARTS = ['durable work', 'device sessions', 'device connections'] as const;
export type WatchedPart = (typeof PARTS)[number];

const degraded = new Set<WatchedPart>();
/** What threads that this one started report of those that they started themselves. */
const reports = new Map<object, number>();

/** Records that a part of this thread does not answer or is being replaced, which health then says. */
export const markDegraded = (part: WatchedPart) => void degraded.add(part);

/** Records that a part of this thread answers again, was replaced, or has been stopped. */
export const clearDegraded = (part: WatchedPart) => void degraded.delete(part);

/** Records which parts another thread finds degraded, in the form of `degradedBits`; 0: none, or the thread has ended. */
export function reportDegraded(thread: object, bits: number): void {
  if (bits === 0) reports.delete(thread);
  else reports.set(thread, bits);
}

/** Returns the degraded parts of this thread and of all below it, a bit each. */
export const degradedBits = (): number =>
  [...reports.values()].reduce(
    (bits, reported) => bits | reported,
    PARTS.reduce((bits, part, at) => (degraded.has(part) ? bits | (1 << at) : bits), 0),
  );

/** Returns the degraded parts of this thread and of all below it by name. */
export const degradedParts = (): readonly WatchedPart[] => {
  const bits = degradedBits();
  return PARTS.filter((_, at) => bits & (1 << at));
};
