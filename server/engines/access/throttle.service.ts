import { RateLimiterDrizzle, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '#db/client.ts';
import { throttle as throttleTable } from '#db/tables.ts';
import { ServiceError } from '#server/errors.ts';
import { sha256 } from '#server/vault.ts';

/** Failed sign-ins that one account-and-address pair, and one address, may have in five minutes (lifecycle §1). */
const PAIR = 10;
const ADDRESS = 100;
const SECONDS = 300;

/** Counts sign-ins in the database, so that every process sees them. */
export type Throttle = {
  /**
   * Count an attempt that starts.
   * @throws ServiceError TOO_MANY_REQUESTS with Retry-After in seconds
   */
  begin: (username: string, address: string) => Promise<{ succeeded: () => Promise<void> }>;
};

/** @param refused told of each attempt that was not let in */
export function openThrottle(db: Database, refused: () => void): Throttle {
  const limiter = (keyPrefix: string, points: number) =>
    new RateLimiterDrizzle({
      storeClient: db,
      schema: throttleTable,
      keyPrefix,
      points,
      duration: SECONDS,
      // What is over the limit is refused from memory: a flood must not become a flood of queries.
      inMemoryBlockOnConsumed: points,
      clearExpiredByTimeout: false,
    });
  const pair = limiter('pair', PAIR);
  const source = limiter('address', ADDRESS);

  const consume = async (one: RateLimiterDrizzle, key: string) => {
    try {
      await one.consume(key);
    } catch (thrown) {
      if (!(thrown instanceof RateLimiterRes)) throw thrown;
      refused();
      const seconds = Math.max(1, Math.ceil(thrown.msBeforeNext / 1000));
      throw new ServiceError('TOO_MANY_REQUESTS', `Too many sign-ins failed; try again in ${seconds} s`, {
        headers: { 'Retry-After': String(seconds) },
      });
    }
  };

  return {
    async begin(username, address) {
      // Names are hashed: people type passwords into name fields.
      const both = sha256(JSON.stringify([username, address]));
      await consume(pair, both);
      await consume(source, address);
      return {
        succeeded: async () => {
          await Promise.all([pair.delete(both), source.reward(address)]);
        },
      };
    },
  };
}
