const degraded = new Set<string>();

/** Records that a part of this process does not answer or is being replaced, which health then says. */
export const markDegraded = (part: string) => void degraded.add(part);

/** Records that a part of this process answers again, was replaced, or has been stopped. */
export const clearDegraded = (part: string) => void degraded.delete(part);

/** Returns the parts of this process that are degraded. */
export const degradedParts = (): readonly string[] => [...degraded];
