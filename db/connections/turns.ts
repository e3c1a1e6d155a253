/**
 * Those who wait for a connection, and who has one. The next is always of the user who has the fewest connections: who sends
 * hundreds of requests at once waits for his own, and others wait for one statement (decision 0181).
 */
export interface Turns<Use> {
  /** Number of those who wait. */
  size: () => number;
  wait: (user: string, use: Use) => void;
  /** Removes who is next; of users with equally many connections, the one who was served longest ago. */
  next: () => { user: string; use: Use } | undefined;
  /** Removes and returns all who wait. */
  clear: () => Use[];
  /** Notes that a user has one connection more. */
  occupy: (user: string) => void;
  /** Notes that a user has one connection less. */
  release: (user: string) => void;
}

/** Returns the turns of a pool in which nobody waits. */
export function openTurns<Use>(): Turns<Use> {
  /** In the order of service. */
  const waiting = new Map<string, Use[]>();
  const occupied = new Map<string, number>();
  let size = 0;
  const count = (user: string) => occupied.get(user) ?? 0;
  const first = (): string | undefined => {
    let found: string | undefined;
    for (const user of waiting.keys()) if (found === undefined || count(user) < count(found)) found = user;
    return found;
  };
  return {
    size: () => size,
    wait: (user, use) => {
      size += 1;
      const own = waiting.get(user);
      if (own) own.push(use);
      else waiting.set(user, [use]);
    },
    next: () => {
      const user = first();
      const own = user === undefined ? undefined : waiting.get(user);
      const use = own?.shift();
      if (user === undefined || own === undefined || use === undefined) return undefined;
      size -= 1;
      waiting.delete(user);
      if (own.length > 0) waiting.set(user, own);
      return { user, use };
    },
    clear: () => {
      const all = [...waiting.values()].flat();
      waiting.clear();
      size = 0;
      return all;
    },
    occupy: (user) => void occupied.set(user, count(user) + 1),
    release: (user) => {
      const left = count(user) - 1;
      if (left > 0) occupied.set(user, left);
      else occupied.delete(user);
    },
  };
}
