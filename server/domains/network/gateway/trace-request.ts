import { type Issue, invalidRequest } from '#server/kernel/errors.ts';
import type { TraceRequest } from '#server/southbound/gnoi/ports.ts';

/**
 * The parameters of a trace; null means not given. The endpoint accepts those of contract/endpoints#4.10; the task
 * `gnoiTraceroute` also accepts do_not_lookup_asn, l4protocol and network_instance.
 */
export type TraceInput = {
  destination: string;
  host: string;
  do_not_fragment?: boolean | null | undefined;
  do_not_resolve?: boolean | null | undefined;
  do_not_lookup_asn?: boolean | null | undefined;
  initial_ttl?: number | null | undefined;
  max_ttl?: number | null | undefined;
  l3protocol?: string | null | undefined;
  l4protocol?: string | null | undefined;
  network_instance?: string | null | undefined;
  source?: string | null | undefined;
  wait?: number | null | undefined;
};

const PROTOCOLS: Readonly<Record<string, 'IPV4' | 'IPV6' | undefined>> = {
  IPV4: 'IPV4',
  1: 'IPV4',
  IPV6: 'IPV6',
  2: 'IPV6',
};
/** Values for which the destination determines the family. */
const UNSPECIFIED = new Set(['', 'UNSPECIFIED', '0']);

/** Maximum wait in nanoseconds: an hour. */
const LONGEST_WAIT = 3_600_000_000_000;

/**
 * Returns the validated request for a target: address families agree, TTLs are in range.
 *
 * @param familyOf returns 4 or 6 for an address, 0 for any other text
 * @throws ServiceError BAD_REQUEST with all issues
 */
export function traceRequestOf(input: TraceInput, familyOf: (text: string) => number): TraceRequest {
  const issues: Issue[] = [];
  const say = (field: keyof TraceInput, message: string) =>
    void issues.push({ path: [field], message, code: 'invalid_value' });
  const { destination } = input;
  const source = input.source ?? '';
  const initial_ttl = input.initial_ttl ?? 0;
  const max_ttl = input.max_ttl ?? 0;
  const wait = input.wait ?? 0;

  const family = destination.includes('%') ? 0 : familyOf(destination);
  if (family === 0) say('destination', 'must be an IP address');
  const given = (input.l3protocol ?? '').toUpperCase();
  const wanted = PROTOCOLS[given];
  if (wanted === undefined && !UNSPECIFIED.has(given)) {
    say('l3protocol', 'must be IPV4 or IPV6 (1 or 2)');
  } else if (wanted !== undefined && family !== 0 && wanted !== `IPV${family}`) {
    say('l3protocol', `is ${wanted}, but the destination is an IPv${family} address`);
  }
  if (source !== '') {
    const own = source.includes('%') ? 0 : familyOf(source);
    if (own === 0) say('source', 'must be an IP address');
    else if (family !== 0 && own !== family)
      say('source', `must be an IPv${family} address, as the destination is`);
  }
  if (initial_ttl < 0 || initial_ttl > 255)
    say('initial_ttl', 'must be from 1 to 255; 0 selects the default of 1');
  if (max_ttl < -1 || max_ttl > 255) {
    say('max_ttl', 'must be from 1 to 255; 0 selects the default of 30, -1 sets no limit');
  } else if (max_ttl !== -1 && initial_ttl <= 255 && initial_ttl > (max_ttl || DEFAULT_MAX)) {
    say('initial_ttl', `must not be greater than max_ttl, ${max_ttl || DEFAULT_MAX}`);
  }
  if (wait < 0 || wait > LONGEST_WAIT) say('wait', 'must be a number of nanoseconds, at most one hour');
  if (issues.length > 0) throw invalidRequest(issues);
  return {
    destination,
    source,
    initial_ttl,
    max_ttl,
    wait,
    do_not_fragment: input.do_not_fragment ?? false,
    do_not_resolve: input.do_not_resolve ?? false,
    l3protocol: family === 6 ? 'IPV6' : 'IPV4',
    // The schema accepts only these three values.
    l4protocol: (input.l4protocol ?? 'ICMP') as TraceRequest['l4protocol'],
    // Some targets fail the whole call when they cannot look up the owner of an address.
    do_not_lookup_asn: input.do_not_lookup_asn ?? true,
    network_instance: input.network_instance ?? '',
  };
}

/** Defaults of gNOI. */
const DEFAULT_MAX = 30;
const PROBES = 3;

/** Assumed wait per probe, in milliseconds, when the caller sets none. */
const USUAL_WAIT = 2000;

/** Minimum and maximum deadline of a trace, in milliseconds. */
const LEAST = 15_000;
const MOST = 600_000;

/**
 * Returns the deadline of a trace in milliseconds: the time needed if no hop responds (contract/engines#gnoi-result).
 *
 * @param timeoutMs the host's own timeout, which takes precedence (contract/endpoints#4.10)
 */
export function deadlineOf(
  { initial_ttl, max_ttl, wait }: TraceRequest,
  timeoutMs: number | null | undefined,
): number {
  if (timeoutMs) return timeoutMs;
  if (max_ttl === -1) return MOST;
  const hops = (max_ttl || DEFAULT_MAX) - (initial_ttl || 1) + 1;
  const each = wait > 0 ? wait / 1e6 : USUAL_WAIT;
  return Math.round(Math.min(MOST, Math.max(LEAST, hops * PROBES * each + 5000)));
}
