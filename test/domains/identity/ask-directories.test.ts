import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { askDirectories } from '#server/domains/identity/providers/ask-directories.service.ts';

/** A directory that has the user, or not, after some time. @param verified receives its name when it checks the password */
const directory = (name: string, hasUser: boolean, ms: number, verified: string[], isFailing = false) => ({
  isFailing,
  ask: async (mayVerify: () => Promise<boolean>) => {
    await sleep(ms, undefined, { ref: false });
    if (!hasUser || !(await mayVerify())) return undefined;
    verified.push(name);
    return name;
  },
});

test('the first directory that has the user checks the password, also when a later one answers sooner, and no other does', async () => {
  const verified: string[] = [];
  const found = await askDirectories([
    directory('without', false, 100, verified),
    directory('first', true, 300, verified),
    directory('second', true, 0, verified),
  ]);
  expect(found).toEqual({ at: 1, user: 'first' });
  await sleep(50);
  expect(verified).toEqual(['first']);
});

test('a silent directory is waited for two seconds once another has the user, and not at all when it failed before', async () => {
  const took = async (isFailing: boolean) => {
    const began = performance.now();
    const verified: string[] = [];
    const found = await askDirectories([
      directory('silent', true, 60_000, verified, isFailing),
      directory('second', true, 0, verified),
      directory('third', true, 0, verified),
    ]);
    expect(found).toEqual({ at: 1, user: 'second' });
    expect(verified).toEqual(['second']);
    return performance.now() - began;
  };
  const [waited, atOnce] = await Promise.all([took(false), took(true)]);
  expect(waited).toBeGreaterThan(1900);
  expect(waited).toBeLessThan(5000);
  expect(atOnce).toBeLessThan(1900);
});

test('a wrong password in the first directory that has the user is final, and no directory means no user', async () => {
  const wrong = {
    isFailing: false,
    ask: async (may: () => Promise<boolean>) => ((await may()) ? null : undefined),
  };
  expect(await askDirectories([wrong, directory('second', true, 0, [])])).toEqual({ at: 0, user: null });
  expect(await askDirectories([])).toBeUndefined();
  expect(await askDirectories([directory('without', false, 0, [])])).toBeUndefined();
});

test('an unexpected error of one directory is thrown', async () => {
  const broken = { isFailing: false, ask: () => Promise.reject(new Error('broken')) };
  await expect(askDirectories([broken, directory('without', false, 0, [])])).rejects.toThrow('broken');
});
