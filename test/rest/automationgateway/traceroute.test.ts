import { request } from 'node:http';
import { expect, test } from 'vitest';
import { closedPort } from '../../helpers/devices/orchestrator.ts';
import { LOGIN, openTracing, TRACEROUTE } from '../../helpers/devices/tracing.ts';
import { isLong } from '../../helpers/long.ts';
import { until } from '../../helpers/processes/processes.ts';
import { openAuthority } from '../../lab/certificates.ts';
import { openGnoiTarget } from '../../lab/gnoi/target.ts';

const gateway = await openTracing();
const { db, done, send, port, callerWith, logged, host, trace, traced, failed, elsewhere } = gateway;
const { authority, plain, secure, mutual, other, old, silent } = gateway;

type Fields = Record<string, unknown>;

test('hops are reported in order, each with its probes, and received hops are kept', async () => {
  const reported = await traced();
  expect(reported).toMatchObject({ status: 'success', code: 0, key: 'leaf' });
  expect(reported.result).toMatchObject({
    destination: { name: 'server-4.lab.example', address: '198.51.100.9' },
    max_hops: 30,
    packet_size: 60,
    reached: true,
    truncated: false,
  });
  expect(reported.result.hops.map(({ hop, loss }) => [hop, loss])).toEqual([
    [1, 0],
    [2, 0],
    [3, 0],
  ]);
  expect(reported.result.hops[1]).toMatchObject({
    rtt: { min: 2, avg: 2.5, max: 3 },
    probes: [
      {
        address: '192.0.2.5',
        name: 'r2.lab.example',
        rtt_ms: 2,
        rtt_ns: 2_000_000,
        state: 'DEFAULT',
        mpls: { Label: '16001' },
        as_path: [64_500],
      },
      {},
      {},
    ],
  });
  expect(reported.responses).toHaveLength(10);
  expect(reported.responses[1]).toMatchObject({ hop: 1, rtt: '1000000' });
});

test('the family is that of the destination, in any notation', async () => {
  const reported = await traced({ destination: '2001:db8:9:0::9' });
  // The lab knows the short form only: what it does not know is silent.
  expect(reported.result.reached).toBe(false);
  expect((await traced({ destination: '2001:db8:9::9', l3protocol: 'ipv6' })).result.reached).toBe(true);
  expect(plain.requested.at(-1)).toMatchObject({ l3protocol: 'IPV6', do_not_lookup_asn: true });
  for (const l3protocol of ['IPV4', '1', null]) await traced({ l3protocol });
  expect(plain.requested.at(-1)).toMatchObject({ l3protocol: 'IPV4' });
});

test('distances, names, and the caller are passed to the target', async () => {
  const reported = await traced({ initial_ttl: 2, max_ttl: 2, do_not_resolve: true, wait: 2_000_000 });
  expect(reported.result.hops.map(({ hop }) => hop)).toEqual([2]);
  expect(reported.result).toMatchObject({ max_hops: 2, reached: false });
  expect(reported.result.hops[0]?.probes[0]).toMatchObject({ name: '' });
  expect(plain.requested.at(-1)).toMatchObject({ initial_ttl: 2, max_ttl: 2, wait: '2000000' });
});

test.each([
  ['203.0.113.1', 'HOST_UNREACHABLE'],
  ['203.0.113.2', 'PROHIBITED'],
])('a trace to %s succeeds, and its last hop has the state %s', async (destination, state) => {
  const { result } = await traced({ destination });
  expect(result.reached).toBe(false);
  expect(result.hops.at(-1)?.probes.map((probe) => probe.state)).toEqual([state, state, state]);
});

test('a hop that does not answer is reported with a loss of all probes', async () => {
  const { result } = await traced({ destination: '203.0.113.3', max_ttl: 4, wait: 1_000_000 });
  expect(result.reached).toBe(false);
  expect(result.hops).toHaveLength(4);
  expect(result.hops.at(-1)).toMatchObject({
    loss: 1,
    rtt: { min: null, avg: null, max: null },
    probes: [{ address: '', rtt_ms: null, rtt_ns: null, state: 'NONE' }, {}, {}],
  });
});

test('a target without a header, and one that sends hops in another order, are understood', async () => {
  expect((await traced({ destination: '198.51.100.20' })).result).toMatchObject({
    destination: { name: '198.51.100.20', address: '198.51.100.20' },
    max_hops: 30,
    packet_size: 0,
    reached: false,
  });
  const { result } = await traced({ destination: '198.51.100.25' });
  expect(result.reached).toBe(true);
  expect(result.hops.map(({ hop }) => hop)).toEqual([1, 2, 3]);
});

test.skipIf(!isLong)('a target that never ends is cut, and that is reported', async () => {
  const reported = await traced({ destination: '198.51.100.23', max_ttl: -1 });
  expect(reported).toMatchObject({ status: 'partial', result: { truncated: true } });
  expect(reported.responses).toHaveLength(20_000);
  await until('the target to stop', () => plain.running === 0);
});

test.each([
  [{ destination: 'server.lab.example' }, ['destination']],
  [{ destination: 'fe80::1%eth0' }, ['destination']],
  [{ l3protocol: 'IPV6' }, ['l3protocol']],
  [{ l3protocol: 'IPX' }, ['l3protocol']],
  [{ l3protocol: 1 }, ['l3protocol']],
  [{ l4protocol: 'ICMP' }, ['l4protocol']],
  [{ do_not_lookup_asn: true }, ['do_not_lookup_asn']],
  [{ network_instance: 'mgmt' }, ['network_instance']],
  [{ source: '2001:db8::1' }, ['source']],
  [{ source: 'eth0' }, ['source']],
  [{ initial_ttl: 256 }, ['initial_ttl']],
  [{ initial_ttl: 9, max_ttl: 8 }, ['initial_ttl']],
  [{ max_ttl: 256, wait: -1 }, ['max_ttl', 'wait']],
  [{ max_ttl: 1.5 }, ['max_ttl']],
  [{ wait: '1' }, ['wait']],
  [{ speed: 1 }, ['speed']],
])('a request with %j is rejected with 400, which names the field', async (body, members) => {
  const before = plain.requested.length;
  const { status, json } = await trace(body);
  expect(status).toBe(400);
  const { issues } = json as { issues: { path: string[] }[] };
  expect(issues.map(({ path }) => path[0])).toEqual(members);
  expect(plain.requested).toHaveLength(before);
});

test('only a host of the gRPC inventory can be traced from, and only by admin', async () => {
  expect(await failed({ host: 'nobody' })).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  expect(await failed({ host: '127.0.0.1' })).toMatchObject({ status: 404 });
  await done('POST', '/inventory/cli', {
    host: { name: 'shell', host: '127.0.0.1', device_type: 'cisco_ios', ...LOGIN },
  });
  expect(await failed({ host: 'shell' })).toMatchObject({ status: 404 });
  const body = { host: 'leaf', destination: '198.51.100.9' };
  for (const as of ['apiwrite', 'apiread', 'engineering', 'support'] as const) {
    expect((await send('POST', TRACEROUTE, body, { as })).status).toBe(403);
  }
});

test.skipIf(!isLong)(
  'TLS: a trusted certificate is accepted, also under another name, and without verification on request',
  async () => {
    const { ca } = authority;
    await host('tls', { port: secure.port, tls: { enabled: true, ca } });
    await host('tls-name', { port: other.port, tls: { enabled: true, ca, serverName: 'elsewhere.example' } });
    await host('tls-dns', { port: secure.port, host: 'localhost', tls: { enabled: true, ca } });
    await host('tls-address', { port: other.port, tls: { enabled: true, ca, serverName: '192.0.2.7' } });
    await host('tls-any', { port: other.port, tls: { enabled: true, skipVerify: true } });
    const { cert, key } = authority.issue();
    await host('tls-mutual', { port: mutual.port, tls: { enabled: true, ca, cert, key } });
    for (const name of ['tls', 'tls-name', 'tls-dns', 'tls-address', 'tls-any', 'tls-mutual']) {
      expect((await traced({ host: name })).result.reached).toBe(true);
    }
  },
);

test.each<[string, () => Fields, string]>([
  [
    'a CA that did not sign',
    () => ({ port: secure.port, tls: { enabled: true, ca: openAuthority().ca } }),
    'TLS_FAILED',
  ],
  ['no CA of ours', () => ({ port: secure.port, tls: { enabled: true } }), 'TLS_FAILED'],
  ['another name', () => ({ port: other.port, tls: { enabled: true, ca: authority.ca } }), 'TLS_FAILED'],
  [
    'a certificate that has ended',
    () => ({ port: old.port, tls: { enabled: true, ca: authority.ca } }),
    'TLS_FAILED',
  ],
  ['PEM that is none', () => ({ tls: { enabled: true, cert: 'x', key: 'y' } }), 'TLS_FAILED'],
  ['a key without certificate', () => ({ tls: { enabled: true, key: 'y' } }), 'TLS_FAILED'],
  ['a refused credential', () => ({ password: 'wrong' }), 'DEVICE_AUTH_FAILED'],
])('%s is answered with 502 and its reason', async (why, more, reason) => {
  const name = `bad ${why}`;
  await host(name, more());
  const answer = await failed({ host: name });
  expect(answer).toMatchObject({
    status: 502,
    code: 'BAD_GATEWAY',
    reason,
    host: '127.0.0.1',
    retryable: false,
  });
  expect(answer.message).toContain(name);
  expect(await done('POST', `/inventory/grpc/${encodeURIComponent(name)}/test`)).toMatchObject({ ok: false });
});

test.skipIf(!isLong)(
  'a missing client certificate, TLS where there is none, and plain text where TLS is required are answered with 502',
  async () => {
    await host('no-client', { port: mutual.port, tls: { enabled: true, ca: authority.ca } });
    await host('tls-to-plain', { tls: { enabled: true, ca: authority.ca } });
    await host('plain-to-tls', { port: secure.port });
    expect(await failed({ host: 'no-client' })).toMatchObject({ status: 502, reason: 'TLS_FAILED' });
    expect(await failed({ host: 'tls-to-plain' })).toMatchObject({ status: 502, reason: 'TLS_FAILED' });
    expect(await failed({ host: 'plain-to-tls' })).toMatchObject({
      status: 502,
      reason: 'UNAVAILABLE',
      message: expect.stringContaining('may require TLS'),
    });
  },
);

test('a closed port and an unknown name are answered with 502, and a target that is silent with 504', async () => {
  await host('closed', { port: await closedPort() });
  expect(await failed({ host: 'closed' })).toMatchObject({
    status: 502,
    reason: 'REFUSED',
    retryable: true,
  });
  await host('unknown', { host: 'nobody.invalid' });
  expect(await failed({ host: 'unknown' })).toMatchObject({ status: 502, reason: 'DNS' });
  await host('mute', { port: silent.port, options: { timeoutMs: 300 } });
  expect(await failed({ host: 'mute' })).toMatchObject({ status: 504, reason: 'CONNECT_TIMEOUT' });
});

test.each([
  [3, 400, 'INVALID_ARGUMENT'],
  [5, 404, 'NOT_FOUND'],
  [7, 502, 'DEVICE_AUTH_FAILED'],
  [8, 503, 'RESOURCE_EXHAUSTED'],
  [9, 422, 'FAILED_PRECONDITION'],
  [12, 502, 'UNIMPLEMENTED'],
  [13, 502, 'INTERNAL'],
  [2, 502, 'UNKNOWN'],
  [10, 502, 'ABORTED'],
  [14, 502, 'UNAVAILABLE'],
])(
  'status %i of gRPC is answered with %i %s, without the password of the host',
  async (code, status, reason) => {
    const answer = await failed({ destination: `198.51.100.${100 + code}` });
    expect(answer).toMatchObject({ status, reason });
    expect(answer.message).not.toContain('Gnoi-Secret-5');
    if (code !== 7) expect(answer.message).toContain(`${reason}: because of ********`);
    if (status === 503) expect(answer.headers['retry-after']).toBeDefined();
  },
);

test('hops received before a target breaks off, or before the deadline, are returned with the error', async () => {
  const broken = await failed({ destination: '198.51.100.22' });
  expect(broken).toMatchObject({ status: 502, reason: 'INTERNAL', partial: { status: 'partial', code: 13 } });
  expect(broken.partial?.result.hops).toHaveLength(1);
  await host('brief', { options: { timeoutMs: 400 } });
  const began = performance.now();
  const late = await failed({ host: 'brief', destination: '198.51.100.21' });
  expect(performance.now() - began).toBeLessThan(5000);
  expect(late).toMatchObject({
    status: 504,
    reason: 'DEADLINE_EXCEEDED',
    partial: { code: 4, key: 'brief' },
  });
  expect(late.partial?.result.hops).toHaveLength(1);
  expect(late.partial?.responses).toHaveLength(4);
});

test.skipIf(!isLong)(
  'a client that disconnects ends the trace on the target, and the history has it as canceled',
  async () => {
    const { token } = await callerWith('admin');
    const before = plain.canceled;
    const body = JSON.stringify({ host: 'leaf', destination: '198.51.100.21' });
    const sent = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: `/automationgateway${TRACEROUTE}`,
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'Content-Length': body.length,
      },
    });
    sent.on('error', () => undefined);
    sent.end(body);
    await until('the target to trace', () => plain.running === 1);
    sent.destroy();
    await until('the target to be canceled', () => plain.canceled > before && plain.running === 0);
    const page = await until('the history to have it', async () => {
      const found = await done<{ total: number }>('GET', '/history?equals=canceled&equalsField=status');
      return found.total === 1 && found;
    });
    expect(page).toMatchObject({
      results: [{ host: 'leaf', destination: '198.51.100.21', reason: 'CANCELED' }],
    });
  },
);

test.skipIf(!isLong)(
  'calls share a connection, four together, and a target that returns is found again',
  async () => {
    plain.peers.clear();
    plain.most = 0;
    const all = await Promise.all(Array.from({ length: 30 }, () => traced({ destination: '198.51.100.24' })));
    expect(all.every(({ result }) => result.reached)).toBe(true);
    expect(plain.peers.size).toBe(1);
    expect(plain.most).toBe(4);
    const first = await openGnoiTarget();
    await host('reborn', { port: first.port });
    await traced({ host: 'reborn' });
    first.close();
    expect((await failed({ host: 'reborn' })).status).toBe(502);
    const second = await openGnoiTarget({ port: first.port });
    expect((await traced({ host: 'reborn' })).result.reached).toBe(true);
    second.close();
  },
);

test.skipIf(!isLong)(
  'a credential that several hosts share signs in, and a stopped gateway opens no connection',
  async () => {
    await done('POST', '/credentials', { credential: { name: 'net-ro', ...LOGIN } });
    await host('shared', { username: null, password: null, credential: 'net-ro' });
    expect((await traced({ host: 'shared' })).result.reached).toBe(true);
    expect((await elsewhere('PUT', '/adapters/gateway/stop')).status).toBe(200);
    expect(await failed({})).toMatchObject({ status: 409 });
    expect((await elsewhere('PUT', '/adapters/gateway/start')).status).toBe(200);
    expect((await trace({})).status).toBe(200);
  },
);

test('the test of a host asks for its clock', async () => {
  expect(await done('POST', '/inventory/grpc/leaf/test')).toMatchObject({
    ok: true,
    latencyMs: expect.any(Number),
    detail: expect.stringContaining('its clock shows 20'),
  });
  expect(await done('POST', '/inventory/grpc/closed/test')).toMatchObject({
    ok: false,
    detail: expect.stringContaining('refuses the connection'),
  });
  expect((await send('POST', '/inventory/grpc/nobody/test')).status).toBe(404);
  expect((await send('POST', '/inventory/grpc/leaf/test', undefined, { as: 'apiread' })).status).toBe(403);
});

test('the history records each call, the audit trail its account, and no log a secret', async () => {
  const { results } = await done<{ results: Fields[] }>('GET', '/history?equals=brief&equalsField=host');
  expect(results).toEqual([
    expect.objectContaining({
      kind: 'traceroute',
      destination: '198.51.100.21',
      status: 'partial',
      reason: 'DEADLINE_EXCEEDED',
      user: expect.stringMatching(/^admin-/),
      requestId: expect.any(String),
    }),
  ]);
  const audited = await elsewhere(
    'GET',
    '/audit?equals=automationgateway.executeTraceroute&equalsField=operation&limit=500',
  );
  const { results: deeds } = (await audited.json()) as { results: Fields[] };
  expect(deeds.some(({ outcome }) => outcome === 'refused')).toBe(true);
  expect(deeds.find(({ outcome }) => outcome === 'ok')).toMatchObject({
    document: { kind: 'grpc host calls', name: expect.stringContaining('traceroute ') },
  });
  expect(logged.join('')).not.toContain('Gnoi-Secret-5');
  const stored = await db.execute('select string_agg(doc::text, $$ $$) as text from gateway_calls');
  expect(JSON.stringify(stored)).not.toContain('Gnoi-Secret-5');
});
