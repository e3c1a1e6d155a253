/** Work of many sources of which a few pieces run at the same time. */
export type FairQueue = {
  /** Returns whether a source may wait: a full queue is closed to those who wait in it already. */
  hasRoom: (source: string) => boolean;
  /** Does work when it is its turn. */
  run: <Value>(source: string, work: () => Promise<Value>) => Promise<Value>;
};

/**
 * Opens a queue in which the sources take turns, so that one with much work delays others by one piece of it at a time.
 *
 * @param atOnce how many pieces run at the same time
 * @param most how many may wait; as many again of sources of which none waits
 */
export function openFairQueue({ atOnce, most }: { atOnce: number; most: number }): FairQueue {
  /** Waiting work by source; the source whose turn is next comes first. */
  const waiting = new Map<string, (() => void)[]>();
  let running = 0;
  let count = 0;

  const wait = (source: string) =>
    new Promise<void>((go) => {
      const before = waiting.get(source);
      if (before) before.push(go);
      else waiting.set(source, [go]);
      count += 1;
    });

  /** Passes the place of finished work on, or releases it. */
  const pass = () => {
    const [first] = waiting;
    if (!first) {
      running -= 1;
      return;
    }
    const [source, [go, ...others]] = first;
    waiting.delete(source);
    if (others.length > 0) waiting.set(source, others);
    count -= 1;
    go?.();
  };

  return {
    hasRoom: (source) => count < most || (count < 2 * most && !waiting.has(source)),
    async run(source, work) {
      if (running < atOnce) running += 1;
      else await wait(source);
      try {
        return await work();
      } finally {
        pass();
      }
    },
  };
}
