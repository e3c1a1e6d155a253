import { setTimeout as sleep } from 'node:timers/promises';

/** How long a directory that has the user waits for those before it, in milliseconds. */
const BEFORE_MS = 2000;
/** How long a sign-in waits for all directories together, in milliseconds. */
const ALL_MS = 10_000;

/** A directory in which a sign-in looks for the user. */
type SignInDirectory<User> = {
  /** Whether it could not be used the last time: nobody waits for it then. */
  isFailing: boolean;
  /**
   * Looks for the user and checks the password.
   *
   * @param mayVerify called once the directory has the user; resolves to false when another one checks the password
   * @returns undefined: it does not have the user, or cannot be used; null: it does not accept the password
   */
  ask: (mayVerify: () => Promise<boolean>) => Promise<User | null | undefined>;
};

/**
 * Asks several directories for a user at once. The first of them that has the user, in the order given, checks the password,
 * which no other one receives; a directory before it is waited for two seconds.
 *
 * @param directories in the order in which they count
 * @returns which of them checked the password, and the user, who is null when the password is wrong; undefined when no
 *   directory has the user, or none has answered within ten seconds
 */
export async function askDirectories<User>(
  directories: readonly SignInDirectory<User>[],
): Promise<{ at: number; user: User | null } | undefined> {
  if (directories.length === 0) return undefined;
  const states = directories.map((): 'asked' | 'found' | 'ended' => 'asked');
  let choose: (at: number) => void = () => undefined;
  const chosen = new Promise<number>((resolve) => {
    choose = resolve;
  });
  let isLate = false;
  const decide = () => {
    const first = states.indexOf('found');
    const isFirst = states
      .slice(0, first)
      .every((state, at) => state === 'ended' || directories[at]?.isFailing);
    if (first >= 0 && (isFirst || isLate)) choose(first);
  };
  const mayVerify = async (at: number) => {
    if (!states.includes('found')) {
      void sleep(BEFORE_MS, undefined, { ref: false }).then(() => {
        isLate = true;
        decide();
      });
    }
    states[at] = 'found';
    decide();
    return (await chosen) === at;
  };
  const asking = directories.map(async ({ ask }, at) => {
    const user = await ask(() => mayVerify(at));
    states[at] = 'ended';
    decide();
    return user === undefined ? undefined : { at, user };
  });
  const ended = Promise.all(asking).then((answers) => answers.find((one) => one !== undefined));
  // After the first answer, the requests that still run report their own failures.
  ended.catch(() => undefined);
  // Afterwards none receives the password.
  const late = sleep(ALL_MS, undefined, { ref: false }).then(() => {
    choose(-1);
    return undefined;
  });
  return Promise.race([ended, chosen.then((at) => asking[at]), late]);
}
