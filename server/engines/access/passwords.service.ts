import { hash, verify } from '@node-rs/argon2';

/** Argon2id at OWASP's strength: 19 MiB, two passes, one lane (stack.md §8). Version and salt are in the text. */
const STRENGTH = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Longest password that is hashed; what is longer cannot be right, and must not cost more. */
const LONGEST = 1024;

/** Something to hash against when the account does not exist, so that its absence takes the same time. */
let decoy: Promise<string> | undefined;

export const hashPassword = (password: string) => hash(password, STRENGTH);

/** Whether the password is the one that was hashed; false, after the same work, when there is no hash. */
export async function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword('no account has this password');
  const fits = password.length <= LONGEST;
  const right = await verify(stored ?? (await decoy), fits ? password : '');
  return right && fits && stored !== undefined;
}
