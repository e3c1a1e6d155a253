import { once } from 'node:events';
import { readdir, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PackageOutcome } from '#server/southbound/packages/ports.ts';
import { openHost } from '../../helpers/integrations/packages.ts';
import { isLong, sampled } from '../../helpers/long.ts';
import { HOSTILE } from './hostile-code.ts';

/** Short limits, so that what hangs is noticed soon. */
const LIMITS = { look: 300, silence: 5000, mostMemory: 400 * 1024 * 1024, timeouts: 1 };

/** A server that packages have no leave to reach, in the network and as a local socket. */
const reached: string[] = [];
const other = createServer((socket) => {
  reached.push('connection');
  socket.on('error', () => undefined);
  socket.end('reached');
});
const target: Record<string, unknown> = {};

beforeAll(async () => {
  process.env.HUSH = 'the secret of the environment';
  other.listen(0, 'localhost');
  await once(other, 'listening');
  const address = other.address();
  target.port = typeof address === 'object' && address ? address.port : 0;
});
afterAll(() => {
  delete process.env.HUSH;
  other.close();
});

/** Native code that this machine could load. */
async function nativeModule(): Promise<string> {
  const files = await readdir('node_modules/@node-rs', { recursive: true });
  const found = files.find((name) => name.endsWith('.node'));
  expect(found).toBeDefined();
  return join(process.cwd(), 'node_modules/@node-rs', found ?? '');
}

/** Why a call to some of them fails. */
const REASONS: Readonly<Record<string, string>> = {
  'ends its process': 'ADAPTER_DIED',
  'computes without end': 'ADAPTER_DIED',
  'allocates without end': 'ADAPTER_DIED',
  'throws in a timer': 'ADAPTER_DIED',
  'forges messages': 'ADAPTER_DIED',
  'never calls back': 'CALL_TIMEOUT',
  'answers with too much': 'OUTPUT_LIMIT',
  'answers with what is no JSON': 'UNSENDABLE',
};

/** Time for an attack: enough for a slow machine where something else than the time must end it. In milliseconds. */
const timeoutOf = (name: string) => ([undefined, 'CALL_TIMEOUT'].includes(REASONS[name]) ? 6000 : 60_000);

/** All in the long form; in the short form those that fail for a reason of their own, and some of the others. */
const ATTACKS = [
  ...Object.entries(HOSTILE).filter(([name]) => name in REASONS),
  ...sampled(
    Object.entries(HOSTILE).filter(([name]) => !(name in REASONS)),
    4,
  ),
];

async function attackAll(options: Parameters<typeof openHost>[0], left: readonly string[] = []) {
  const host = await openHost({ limits: LIMITS, ...options });
  const local = join(host.folder, 'local');
  const server = createServer((socket) => void socket.end('reached'));
  server.listen(local);
  await once(server, 'listening');
  const native = await nativeModule();
  const at = { ...target, local, native, folder: host.folder };
  const neighbour = await host.warehouse('neighbour', { host: '127.0.0.1', stub: true });
  expect(await host.packages.start(neighbour)).toBeNull();
  const outcomes = new Map<string, PackageOutcome>();
  let slowest = 0;
  for (const [name, code] of ATTACKS) {
    if (left.includes(name)) continue;
    const hostile = await host.packageWith(`h${outcomes.size}`, code);
    let ended = false;
    const attacked = host.packages
      .call({ ...hostile, method: 'attack', args: [at], timeoutMs: timeoutOf(name) })
      .finally(() => {
        ended = true;
      });
    while (!ended) {
      const began = performance.now();
      const outcome = await host.packages.call({ ...neighbour, method: 'getItems', args: [{}] });
      expect(outcome).toMatchObject({ data: { icode: 'AD.200' } });
      slowest = Math.max(slowest, performance.now() - began);
      await Promise.race([attacked, new Promise((resolve) => setTimeout(resolve, 50))]);
    }
    outcomes.set(name, await attacked);
    host.packages.stop(hostile.instance);
    // A process that was only throttled would continue beside the next one.
    const { pid } = host.packages.state(hostile.instance);
    if (pid) process.kill(pid, 'SIGKILL');
  }
  server.close();
  const written = (await readdir(host.folder, { recursive: true })).filter((name) =>
    /written|link$/.test(name),
  );
  return { host, outcomes, slowest, written };
}

const succeeded = (outcomes: ReadonlyMap<string, PackageOutcome>) =>
  [...outcomes].filter(([, outcome]) => 'data' in outcome);

test('none of the hostile packages has success, and a package beside them answers all the time', async () => {
  const { host, outcomes, slowest, written } = await attackAll({});
  expect(succeeded(outcomes)).toEqual([]);
  expect(outcomes.size).toBe(ATTACKS.length);
  expect(Object.keys(HOSTILE).length).toBeGreaterThanOrEqual(20);
  expect(written).toEqual([]);
  expect(reached).toEqual([]);
  expect({}).not.toHaveProperty('polluted');
  const reasonOf = (name: string) => {
    const outcome = outcomes.get(name);
    return outcome && 'failure' in outcome ? outcome.failure.reason : outcome;
  };
  for (const [name, reason] of Object.entries(REASONS)) expect(reasonOf(name), name).toBe(reason);
  // The log has the flood's first lines, and not two hundred thousand.
  expect(host.lines.filter((line) => line.includes('flood')).length).toBeLessThan(2000);
  expect(slowest).toBeLessThan(2000);
});

test.skipIf(!isLong)('with a network namespace, the same holds without the guard', async ({ skip }) => {
  // The guard alone closes signals where the service is not run by root, and WASI, which knows no permissions.
  const left = ['reads files through WASI', 'connects to another local socket', 'makes a socket of its own'];
  if (process.getuid?.() !== 0) left.push('signals the service', 'reads the environment');
  const { host, outcomes } = await attackAll({ isGuarded: false }, left);
  const { isolation } = host.packages.state('neighbour');
  if (isolation?.network !== 'namespace') return skip(`no network namespace here: ${isolation?.reason}`);
  expect(succeeded(outcomes)).toEqual([]);
  expect(reached).toEqual([]);
});

test('refuses a package with a symbolic link that leads out of it', async () => {
  const host = await openHost();
  const hostile = await host.packageWith('linked', HOSTILE['reads files of the machine'] ?? '');
  await symlink('/etc', join(hostile.package.directory, 'etc'));
  const outcome = await host.packages.call({ ...hostile, method: 'attack', args: [{}] });
  expect(outcome).toMatchObject({
    failure: { reason: 'ADAPTER_REFUSED', message: expect.stringContaining('symbolic link etc leads out') },
  });
});
