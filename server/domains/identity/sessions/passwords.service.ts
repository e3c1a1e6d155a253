import { hash, verify } from '@node-rs/argon2';
import { ServiceError } from '#server/kernel/errors.ts';

/**
 * Argon2id with the parameters of the OWASP Password Storage Cheat Sheet: 19 MiB, two iterations, one lane. The hash
 * includes version and salt.
 */
const STRENGTH = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Longest password that is hashed: a longer one cannot be right, and must not cost more. */
const LONGEST = 1024;

/**
 * Maximum number of passwords to hash in parallel and to queue: two of Node's four threads remain free for files and DNS.
 */
const AT_ONCE = 2;
const MOST_WAITING = 500;

let running = 0;
const waiting: (() => void)[] = [];

/** A hash to verify against when the account does not exist, so that this takes the same time. */
let decoy: Promise<string> | undefined;

/**
 * Hashes a password with Argon2id, two at a time in each process.
 *
 * @returns the hash with version, parameters and salt
 */
export const hashPassword = (password: string) => inTurn(() => hash(password, STRENGTH));

/** Returns whether the password matches the hash; without a hash, returns false after the same work. */
export async function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword('no account has this password');
  // Awaited in either case: the timing of the first attempt after a start must not reveal which names exist.
  const other = await decoy;
  const fits = password.length <= LONGEST;
  const right = await inTurn(() => verify(stored ?? other, fits ? password : ''));
  return right && fits && stored !== undefined;
}

/**
 * Rejects an attempt that would wait for seconds, before it is counted.
 *
 * @throws ServiceError TOO_MANY_REQUESTS with Retry-After
 */
export function assertRoom(): void {
  if (waiting.length < MOST_WAITING) return;
  throw new ServiceError('TOO_MANY_REQUESTS', 'Too many sign-ins at the moment; retry in 2 s', {
    headers: { 'Retry-After': '2' },
  });
}

async function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
  if (running >= AT_ONCE) await new Promise<void>((go) => waiting.push(go));
  else running += 1;
  try {
    return await work();
  } finally {
    // The slot is passed to the next one, or released.
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
