import { isIP } from 'node:net';
import { expect, test } from 'vitest';
import { deadlineOf, traceRequestOf } from '#server/domains/network/gateway/trace-request.ts';

const request = (more: object = {}) =>
  traceRequestOf({ host: 'leaf-1', destination: '198.51.100.9', ...more }, isIP);

test('omits absent options, except the address family and the AS lookup', () => {
  expect(request()).toEqual({
    destination: '198.51.100.9',
    source: '',
    initial_ttl: 0,
    max_ttl: 0,
    wait: 0,
    do_not_fragment: false,
    do_not_resolve: false,
    l3protocol: 'IPV4',
    l4protocol: 'ICMP',
    do_not_lookup_asn: true,
    network_instance: '',
  });
  expect(request({ do_not_lookup_asn: false, max_ttl: null, l3protocol: 'unspecified' })).toMatchObject({
    do_not_lookup_asn: false,
    max_ttl: 0,
  });
});

test.each([
  // hops × 3 probes × wait + 5 s, at least 15 s, at most 600 s
  [{}, 185_000],
  [{ max_ttl: 1 }, 15_000],
  [{ initial_ttl: 5, max_ttl: 14, wait: 1_000_000_000 }, 35_000],
  [{ max_ttl: 4, wait: 1 }, 15_000],
  [{ max_ttl: 255, wait: 5_000_000_000 }, 600_000],
  [{ max_ttl: -1 }, 600_000],
])('the deadline follows the hops: %j', (more, ms) => {
  expect(deadlineOf(request(more), undefined)).toBe(ms);
  expect(deadlineOf(request(more), 700)).toBe(700);
});
