import { hash, verify } from '@node-rs/argon2';
import { ServiceError } from '#server/kernel/errors.ts';

/**
 * Argon2id at OWASP's strength: 19 MiB, two passes, one lane (OWASP Password Storage Cheat Sheet). Version and salt are in
 * the text.
 */
const STRENGTH = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Longest password that is hashed; what is longer cannot be right, and must not cost more. */
const LONGEST = 1024;

/** Passwords hashed at once, and most that wait: of Node's four threads two stay free for files and name look-ups. */
const AT_ONCE = 2;
const MOST_WAITING = 500;

let running = 0;
const waiting: (() => void)[] = [];

/** Something to hash against when the account does not exist, so that its absence takes the same time. */
let decoy: Promise<string> | undefined;

export const hashPassword = (password: string) => inTurn(() => hash(password, STRENGTH));

/** Whether the password is the one that was hashed; false, after the same work, when there is no hash. */
export async function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword('no account has this password');
  // Awaited in either case: the first attempt after a start must not tell which names exist.
  const other = await decoy;
  const fits = password.length <= LONGEST;
  const right = await inTurn(() => verify(stored ?? other, fits ? password : ''));
  return right && fits && stored !== undefined;
}

/**
 * Refuse an attempt that would wait for seconds, before it counts as one.
 *
 * @throws ServiceError TOO_MANY_REQUESTS with Retry-After
 */
export function assertRoom(): void {
  if (waiting.length < MOST_WAITING) return;
  throw new ServiceError('TOO_MANY_REQUESTS', 'Too many sign-ins at this moment; try again in 2 s', {
    headers: { 'Retry-After': '2' },
  });
}

async function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
  if (running >= AT_ONCE) await new Promise<void>((go) => waiting.push(go));
  else running += 1;
  try {
    return await work();
  } finally {
    // The turn is handed on, or given back.
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
