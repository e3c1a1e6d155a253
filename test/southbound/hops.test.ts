import fc from 'fast-check';
import { expect, test } from 'vitest';
import { traceOf } from '#server/southbound/gnoi/hops.ts';
import type { TraceMessage } from '#server/southbound/gnoi/ports.ts';

const message = (more: Partial<TraceMessage>): TraceMessage => ({
  destination_name: '',
  destination_address: '',
  hops: 0,
  packet_size: 0,
  hop: 0,
  address: '',
  name: '',
  rtt: '0',
  state: 'DEFAULT',
  icmp_code: 0,
  mpls: {},
  as_path: [],
  icmp_ext_data: [],
  ...more,
});
const requested = { destination: '2001:db8::9', max_ttl: 0 };

test('the destination is recognised in every notation of its address', () => {
  const of = (address: string, state = 'DEFAULT') =>
    traceOf([message({ hop: 1, address, rtt: '5', state })], requested).reached;
  expect(of('2001:db8:0:0::9')).toBe(true);
  expect(of('2001:DB8::0009')).toBe(true);
  expect(of('2001:db8::8')).toBe(false);
  expect(of('2001:db8::9', 'PROHIBITED')).toBe(false);
});

test('a message may be about the trace and about a probe', () => {
  const reported = traceOf(
    [
      message({
        destination_address: '2001:db8::9',
        hops: 12,
        hop: 1,
        address: '2001:db8::1',
        rtt: '2000000',
      }),
    ],
    requested,
  );
  expect(reported).toMatchObject({ max_hops: 12, hops: [{ hop: 1, rtt: { min: 2 } }] });
});

test('a probe without an answer counts as one, whatever state the target reports', () => {
  const reported = traceOf(
    [message({ hop: 2 }), message({ hop: 2, address: '192.0.2.1', rtt: '1' })],
    requested,
  );
  expect(reported.hops[0]).toMatchObject({
    loss: 0.5,
    probes: [{ state: 'NONE', rtt_ns: null }, { rtt_ns: 1 }],
  });
  expect(traceOf([], requested)).toMatchObject({ max_hops: 30, reached: false, hops: [] });
});

test('whatever order messages come in, hops are in order and no probe is lost', () => {
  const messages = fc.array(
    fc
      .record({ hop: fc.integer({ min: 1, max: 9 }), rtt: fc.nat().map(String), address: fc.ipV4() })
      .map(message),
  );
  fc.assert(
    fc.property(messages, (sent) => {
      const { hops } = traceOf(sent, requested);
      expect(hops.map(({ hop }) => hop)).toEqual([...new Set(sent.map(({ hop }) => hop))].sort());
      expect(hops.flatMap(({ probes }) => probes)).toHaveLength(sent.length);
      for (const { rtt } of hops) expect(Number(rtt.min)).toBeLessThanOrEqual(Number(rtt.max));
    }),
  );
});
