import { hash, verify } from '@node-rs/argon2';
import { ServiceError } from '#server/kernel/errors.ts';
import { openFairQueue } from '#server/kernel/timing/fair-queue.ts';

/**
 * Argon2id with the parameters of the OWASP Password Storage Cheat Sheet: 19 MiB, two iterations, one lane. The hash
 * includes version and salt.
 */
const STRENGTH = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Longest password that is hashed: a longer one cannot be right, and must not cost more. */
const LONGEST = 1024;

/**
 * Attempts that are counted in parallel: those of an address wait for each other's count in the database, and would
 * keep its connections from all other requests.
 */
export const counted = openFairQueue({ atOnce: 2, most: 500 });
/** Passwords that are hashed in parallel, and that wait: two of Node's four threads remain free for files and DNS. */
const turns = openFairQueue({ atOnce: 2, most: 500 });
/** The source of passwords that signed-in users set. */
const SET = 'set';

/** A hash to verify against when the account does not exist, so that this takes the same time. */
let decoy: Promise<string> | undefined;

/**
 * Hashes a password with Argon2id, two at a time in each process.
 *
 * @returns the hash with version, parameters and salt
 */
export const hashPassword = (password: string) => turns.run(SET, () => hash(password, STRENGTH));

/**
 * Returns whether the password matches the hash; without a hash, returns false after the same work.
 *
 * @param source where the attempt comes from: sources take turns
 */
export async function verifyPassword(
  stored: string | undefined,
  password: string,
  source: string,
): Promise<boolean> {
  decoy ??= hashPassword('no account has this password');
  // Awaited in either case: the timing of the first attempt after a start must not reveal which names exist.
  const other = await decoy;
  const fits = password.length <= LONGEST;
  const right = await turns.run(source, () => verify(stored ?? other, fits ? password : ''));
  return right && fits && stored !== undefined;
}

/**
 * Rejects an attempt that would wait for seconds, before it is counted.
 *
 * @param source where it comes from
 * @throws ServiceError TOO_MANY_REQUESTS with Retry-After
 */
export function assertRoom(source: string): void {
  if (counted.hasRoom(source) && turns.hasRoom(source)) return;
  throw new ServiceError('TOO_MANY_REQUESTS', 'Too many sign-ins at the moment; retry in 2 s', {
    headers: { 'Retry-After': '2' },
  });
}
