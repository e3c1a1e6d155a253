import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closedPort } from '../../helpers/devices/orchestrator.ts';
import { openGateway } from '../../helpers/gateway.ts';

/** Beside the checkout, or one folder up when the checkout is a worktree. */
const script = ['../../../../shared', '../../../../../shared']
  .map((path) => fileURLToPath(new URL(`${path}/peers/gnoi_server.py`, import.meta.url)))
  .find(existsSync);

/** Why the independent target cannot run here; null when it can. */
function lack(): string | null {
  if (!script) return 'no ../shared/peers/gnoi_server.py beside this checkout';
  if (process.getuid?.() !== 0) return 'it makes network namespaces, which takes root';
  try {
    execFileSync('/usr/bin/python3', ['-c', 'import grpc, google.protobuf'], { stdio: 'ignore' });
    execFileSync('which', ['protoc', 'grpc_python_plugin', 'traceroute', 'ip', 'openssl'], {
      stdio: 'ignore',
    });
  } catch {
    return 'python3-grpcio, protobuf-compiler-grpc, traceroute, iproute2 or openssl is missing';
  }
  return null;
}

const missing = lack();
if (missing) {
  console.warn(`gNOI peer: absent (${missing})`);
  test.skip('the independent gNOI target is absent: only our own simulator was tested', () => undefined);
}

describe.skipIf(missing !== null)('an independent gNOI target, with real traceroute behind it', async () => {
  const { done, send } = await openGateway();
  const children: ChildProcess[] = [];
  let folder = '';
  const ports = { insecure: 0, tls: 0, mtls: 0 };

  const start = async (mode: keyof typeof ports) => {
    ports[mode] = await closedPort();
    const args = ['--port', String(ports[mode]), '--mode', mode, '--workdir', folder, '--ttl', '300'];
    const child = spawn('/usr/bin/python3', [script ?? '', ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    if (child.exitCode !== null) throw new Error(`the target ended with ${child.exitCode}`);
  };
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const host = (name: string, port: number, tls: object, more: object = {}) =>
    done('POST', '/inventory/grpc', {
      host: { name, host: '127.0.0.1', port, username: 'admin', password: 'Gnoi-Test-1', tls, ...more },
    });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peer-gnoi-'));
    for (const mode of ['insecure', 'tls', 'mtls'] as const) await start(mode);
    const ca = read('ca.crt');
    await host('plain', ports.insecure, { enabled: false });
    await host('tls', ports.tls, { ca });
    await host('tls-name', ports.tls, { ca, serverName: 'gnoi-r1.example' });
    await host('tls-any', ports.tls, { skipVerify: true });
    await host('tls-wrong', ports.tls, { ca, serverName: 'other.example' });
    await host('tls-roots', ports.tls, {});
    await host('mtls', ports.mtls, { ca, cert: read('client.crt'), key: read('client.key') });
    await host('mtls-none', ports.mtls, { ca });
    await host('refused', ports.insecure, { enabled: false }, { password: 'wrong' });
    await host('brief', ports.insecure, { enabled: false }, { options: { timeoutMs: 1500 } });
    await host('tls-to-plain', ports.insecure, { ca });
    await host('plain-to-tls', ports.tls, { enabled: false });
  });

  afterAll(async () => {
    for (const child of children) child.kill('SIGTERM');
    await Promise.all(children.map((child) => child.exitCode ?? once(child, 'exit')));
    await rm(folder, { recursive: true, force: true });
  });

  const trace = async (name: string, destination: string, more: object = {}) => {
    const answer = await send('POST', '/gnoi/traceroute/execute', { host: name, destination, ...more });
    // The body is a trace, or an error.
    return { status: answer.status, body: answer.json as never as Body };
  };
  type Body = {
    reason: string;
    result: { reached: boolean; hops: { hop: number; loss: number; probes: { state: string }[] }[] };
    partial: { result: { hops: unknown[] } };
    responses: unknown[];
  };

  test.each(['plain', 'tls', 'tls-name', 'tls-any', 'mtls'])('v4 and v6 through %s', async (name) => {
    const v4 = await trace(name, '10.61.3.2', { do_not_resolve: true });
    expect(v4.status).toBe(200);
    expect(v4.body.result.reached).toBe(true);
    expect(v4.body.result.hops.map(({ hop }) => hop)).toEqual([1, 2, 3]);
    expect(v4.body.responses).toHaveLength(10);
    const v6 = await trace(name, 'fd61:3:0::2', { do_not_resolve: true, l3protocol: 'IPV6' });
    expect(v6.body.result.reached).toBe(true);
    expect(v6.body.result.hops).toHaveLength(3);
  });

  test('hosts and routers that reject probes, and silence', async () => {
    const states = ({ body }: { body: Body }) =>
      body.result.hops.flatMap(({ probes }) => probes.map(({ state }) => state));
    const more = { do_not_resolve: true, max_ttl: 3, wait: 300_000_000 };
    expect(states(await trace('plain', '10.62.1.1', more))).toContain('HOST_UNREACHABLE');
    expect(states(await trace('plain', '10.62.2.1', more))).toContain('PROHIBITED');
    const silent = await trace('plain', '10.62.3.1', more);
    expect(silent.body.result.reached).toBe(false);
    expect(silent.body.result.hops.at(-1)).toMatchObject({ hop: 3, loss: 1 });
  });

  test.each([
    ['refused', 'DEVICE_AUTH_FAILED'],
    ['tls-roots', 'TLS_FAILED'],
    ['tls-wrong', 'TLS_FAILED'],
  ])('a trace of the target %s answers 502 %s', async (name, reason) => {
    expect(await trace(name, '10.61.3.2')).toMatchObject({ status: 502, body: { reason } });
    expect(await done('POST', `/inventory/grpc/${name}/test`)).toMatchObject({ ok: false });
  });

  test.each(['mtls-none', 'tls-to-plain', 'plain-to-tls'])(
    'a trace of the target %s answers 502',
    async (name) => {
      const answer = await trace(name, '10.61.3.2');
      expect(answer.status).toBe(502);
      expect(['TLS_FAILED', 'UNAVAILABLE', 'RESET']).toContain(answer.body.reason);
    },
  );

  test('the deadline leaves the hops that came', async () => {
    const answer = await trace('brief', '10.62.3.1', { do_not_resolve: true, wait: 1_000_000_000 });
    expect(answer).toMatchObject({ status: 504, body: { reason: 'DEADLINE_EXCEEDED' } });
    expect(answer.body.partial.result.hops).toBeInstanceOf(Array);
  });

  test('a rejection by the target keeps its meaning: 422 for a source address that it does not have', async () => {
    expect(await trace('plain', '10.61.3.2', { source: '192.0.2.1' })).toMatchObject({ status: 422 });
  });

  test('fifty calls together run sequentially where the host accepts four', async () => {
    const all = await Promise.all(
      Array.from({ length: 50 }, () => trace('plain', '10.61.3.2', { do_not_resolve: true })),
    );
    expect(all.every(({ status, body }) => status === 200 && body.result.reached)).toBe(true);
  });

  test('the test of a host reads the clock of the target', async () => {
    expect(await done('POST', '/inventory/grpc/mtls/test')).toMatchObject({ ok: true });
  });
});
