import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { makeFolder } from '../helpers/folder.ts';

/** Another hosts file and a firewall for one process need namespaces of their own. */
const canIsolate =
  process.getuid?.() === 0 &&
  spawnSync('unshare', [
    '-n',
    '-m',
    'sh',
    '-c',
    'mount --bind /etc /etc && iptables -A INPUT -d 127.9.9.9 -j DROP',
  ]).status === 0;

test.skipIf(!canIsolate)(
  'a host whose first packet is lost is reached, also where its other address is dead',
  async () => {
    const hosts = join(await makeFolder(), 'hosts');
    writeFileSync(hosts, '127.0.0.1 localhost two.example\n127.9.9.9 two.example\n');
    // The kernel sends the first packet of a connection again after a second.
    const program = `ip link set lo up && mount --bind ${hosts} /etc/hosts && iptables -A INPUT -d 127.9.9.9 -j DROP &&
    iptables -A INPUT -p tcp --syn -m statistic --mode nth --every 2 --packet 0 -j DROP &&
    exec "${process.execPath}" --import tsx test/helpers/processes/slow-address-process.ts`;
    const { stdout } = await promisify(execFile)('unshare', ['-n', '-m', 'sh', '-c', program], {
      env: process.env,
      timeout: 60_000,
    });
    expect(stdout).toBe('200');
  },
);
