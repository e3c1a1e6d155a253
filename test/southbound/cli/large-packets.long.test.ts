import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** A firewall for one process needs a network namespace of its own. */
const LOSE = 'ip link set lo up && iptables -A INPUT -p tcp -m length --length 600:65535 -j DROP';
const canIsolate = process.getuid?.() === 0 && spawnSync('unshare', ['-n', 'sh', '-c', LOSE]).status === 0;

test.skipIf(!canIsolate)(
  'a device behind a path that loses large packets is reported in time, with the cause',
  async () => {
    const program = `${LOSE} && exec "${process.execPath}" --import tsx test/helpers/processes/large-packets-process.ts`;
    const { stdout } = await promisify(execFile)('unshare', ['-n', 'sh', '-c', program], { timeout: 60_000 });
    const { message, ms } = JSON.parse(stdout) as { message: string; ms: number };
    expect(message).toMatch(
      /^far-1: it accepted the connection, but the key exchange did not finish \(large packets may be lost on the way: MTU\) within \d+ ms$/,
    );
    expect(ms).toBeLessThan(8000);
  },
);
