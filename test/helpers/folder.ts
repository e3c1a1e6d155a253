import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, inject } from 'vitest';

/** A new folder that other accounts can enter, as root's database must. It goes after the test file's last test, or with the run. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(inject('folder'), 'f-'));
  await chmod(folder, 0o711);
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
