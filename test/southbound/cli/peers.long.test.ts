import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { openCli } from '#server/southbound/cli/cli.ts';
import type { CliTarget } from '#server/southbound/cli/ports.ts';
import { never } from '../../helpers/devices/cli.ts';

const run = promisify(execFile);

/** Real devices: OpenSSH before FRR's vtysh, BIRD and shells. They need root, and packages of the system. */
const peer = ['../../../../shared/peers/frr-sshd.sh', '../../../../../shared/peers/frr-sshd.sh']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path));
const PROGRAMS = ['/usr/lib/frr/zebra', '/usr/bin/vtysh', '/usr/sbin/bird', '/usr/sbin/sshd', '/usr/sbin/ip'];
const missing = [
  ...(peer ? [] : ['../shared/peers/frr-sshd.sh']),
  ...PROGRAMS.filter((path) => !existsSync(path)),
  ...(process.getuid?.() === 0 ? [] : ['root']),
];
if (missing.length > 0) console.warn(`real devices: skipped, without ${missing.join(', ')}`);

const cli = openCli({ allowPrivateTargets: true, insecure: () => undefined });
let facts: Record<string, string> = {};
if (peer && missing.length === 0) {
  const others = await run('bash', [peer, 'env']).then(() => isUp());
  await run('bash', [peer, 'start', '600']);
  facts = Object.fromEntries(
    (await run('bash', [peer, 'env'])).stdout
      .split('\n')
      .flatMap((line) =>
        [...line.matchAll(/^(\w+)="?([^"#]*?)"?\s*(?:#.*)?$/g)].map(([, name = '', value = '']) => [
          name,
          value,
        ]),
      ),
  );
  // Somebody else who started them still needs them.
  if (!others) afterAll(() => run('bash', [peer, 'stop']).then(() => undefined));
}
afterAll(() => cli.close());

async function isUp(): Promise<boolean> {
  const { createConnection } = await import('node:net');
  return new Promise((resolve) => {
    const socket = createConnection({ port: 2201, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

const target = (username: string, deviceType: string, more: Partial<CliTarget> = {}): CliTarget => ({
  name: `${username} ${deviceType} ${more.port ?? ''}${more.privateKey ? 'key' : ''}`,
  host: facts.PEER_HOST ?? '',
  port: Number(facts.PEER_PORT),
  username,
  password: facts.PEER_PASSWORD,
  deviceType,
  hostKey: { policy: 'accept-new', algorithm: '', fingerprint: null },
  connectMs: 20_000,
  ...more,
});

const real = test.skipIf(missing.length > 0);

real.each(['frr', 'generic', 'cisco_ios', 'autodetect'])(
  'the table of a real pager comes back whole to the driver %s',
  async (driver) => {
    const { result } = await cli.run(
      target('peervtypager', driver),
      ['show ip route', 'show version', 'show ip route'],
      never(10_000),
    );
    expect(result.map(({ status }) => status)).toEqual(['success', 'success', 'success']);
    const lines = result[0]?.output.split('\n') ?? [];
    expect(lines).toHaveLength(128);
    expect(lines.filter((line) => /^S>\* 198\.51\.100\.\d+\/32/.test(line))).toHaveLength(120);
    expect(result[2]?.output.split('\n')).toHaveLength(128);
  },
);

real('every user at every port answers, by each way of signing in', async () => {
  const ports = { kbd: Number(facts.PEER_PORT_KBDINT), old: Number(facts.PEER_PORT_LEGACY) };
  const key = readFileSync(facts.PEER_KEY ?? '', 'utf8');
  const locked = readFileSync(facts.PEER_KEY_ENC ?? '', 'utf8');
  const requested: [string, string, string, RegExp][] = [
    ['peervty', 'frr', 'show version', /^FRRouting/],
    ['peervtypager', 'frr', 'show version', /^FRRouting/],
    ['peerbird', 'bird', 'show status', /^BIRD 2/],
    ['peersh', 'linux', 'seq 300', /^1\n2\n(?:\d+\n){297}300$/],
    ['peerdash', 'linux', 'seq 300', /^1\n2\n(?:\d+\n){297}300$/],
  ];
  const ways: Partial<CliTarget>[] = [
    {},
    { port: ports.kbd },
    { port: ports.old },
    { privateKey: key, password: undefined },
  ];
  await Promise.all(
    requested.flatMap(([user, driver, command, answer]) =>
      ways.map(async (way) => {
        const { result, session } = await cli.run(
          target(user, driver, way),
          [command, command],
          never(10_000),
        );
        expect(
          result.map(({ status }) => status),
          `${user} ${JSON.stringify(session)}`,
        ).toEqual(['success', 'success']);
        for (const { output } of result) expect(output).toMatch(answer);
        if (way.port === ports.old)
          expect(session?.algorithms).toMatchObject({
            profile: 'compatible',
            kex: 'diffie-hellman-group14-sha1',
          });
      }),
    ),
  );
  const { result } = await cli.run(
    target('peersh', 'linux', { privateKey: locked, passphrase: 'Key-Pass-1', password: undefined }),
    ['echo ü', 'cd /tmp', 'printf "no end"', 'false; echo $?', 'pwd'],
    never(10_000),
  );
  expect(result.map(({ output }) => output)).toEqual(['ü', '', 'no end', '1', '/tmp']);
});

real('a wrong password is rejected with each authentication method', async () => {
  for (const port of [facts.PEER_PORT, facts.PEER_PORT_KBDINT, facts.PEER_PORT_LEGACY]) {
    await expect(
      cli.run(target('peervty', 'frr', { port: Number(port), password: 'wrong' }), ['show version'], never()),
    ).rejects.toMatchObject({ extra: { reason: 'DEVICE_AUTH_FAILED', stage: 'auth' } });
  }
});
