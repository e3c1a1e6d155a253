import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Characters of each text: short enough for the young generation, long enough that one that stays counts. */
const LENGTH = 50_000;
const TEXTS = 400;
const AT_ONCE = 20;

/**
 * Lets `use` work with 20 MB of new texts, of which the caller keeps none, and collects young objects alone meanwhile, as V8 does while a
 * service works.
 *
 * @returns the bytes by which old memory has grown: what is kept alive becomes old
 */
export async function oldBytesAfter(use: (text: string) => unknown): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
  const run = async (texts: number) => {
    for (let made = 0; made < texts; made += AT_ONCE) {
      for (let at = 0; at < AT_ONCE; at++) await use(Buffer.alloc(LENGTH, `${at}`).toString('latin1'));
      await new Promise((resolve) => setImmediate(resolve));
      collect({ type: 'minor' });
    }
  };
  // What code and caches need is there before the measurement.
  await run(AT_ONCE * 2);
  collect();
  const before = oldBytes();
  await run(TEXTS);
  return oldBytes() - before;
}

const oldBytes = () =>
  getHeapSpaceStatistics()
    .filter(({ space_name: name }) => name === 'old_space')
    .reduce((sum, { space_used_size: size }) => sum + size, 0);
