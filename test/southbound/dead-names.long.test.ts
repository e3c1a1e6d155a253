import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { makeFolder } from '../helpers/folder.ts';

/** An address of this machine that no other name server uses. */
const ADDRESS = '127.1.2.3';

/** Another `/etc/resolv.conf` for one process needs a mount namespace of its own, which root may have outside of most containers. */
const canMount =
  process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'mount', '--bind', '/etc', '/etc']).status === 0;

test.skipIf(!canMount)('names whose server does not answer hold up no other names', async () => {
  const config = join(await makeFolder(), 'resolv.conf');
  writeFileSync(config, `nameserver ${ADDRESS}\n`);
  const program = `mount --bind ${config} /etc/resolv.conf && exec "${process.execPath}" --import tsx test/helpers/processes/look-up-process.ts ${ADDRESS}`;
  const { stdout } = await promisify(execFile)('unshare', ['-m', 'sh', '-c', program], {
    env: { ...process.env, UV_THREADPOOL_SIZE: '32' },
    timeout: 60_000,
  });
  // The resolver gives up after ten seconds.
  for (const ms of JSON.parse(stdout) as number[]) expect(ms).toBeLessThan(5000);
});
