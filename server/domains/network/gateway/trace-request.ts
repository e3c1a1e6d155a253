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
  const { destination } = input;
  const source = input.source ?? '';
  const initial_ttl = input.initial_ttl ?? 0;
  const max_ttl = input.max_ttl ?? 0;
  const wait = input.wait ?? 0;
  const withoutZone = (address: string) => (address.includes('%') ? 0 : familyOf(address));
  const family = withoutZone(destination);
  const faults: (readonly [field: keyof TraceInput, fault: string | null])[] = [
    ['destination', family === 0 ? 'must be an IP address' : null],
    ['l3protocol', protocolFault(input.l3protocol ?? '', family)],
    ['source', source === '' ? null : sourceFault(withoutZone(source), family)],
    ...ttlFaults(initial_ttl, max_ttl),
    ['wait', wait < 0 || wait > LONGEST_WAIT ? 'must be a number of nanoseconds, at most one hour' : null],
  ];
  const issues = faults.flatMap(([field, message]): Issue[] =>
    message === null ? [] : [{ path: [field], message, code: 'invalid_value' }],
  );
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

/** @param family of the destination: 4 or 6, or 0 for no address */
function protocolFault(l3protocol: string, family: number): string | null {
  const given = l3protocol.toUpperCase();
  const wanted = PROTOCOLS[given];
  if (wanted === undefined) return UNSPECIFIED.has(given) ? null : 'must be IPV4 or IPV6 (1 or 2)';
  if (family === 0 || wanted === `IPV${family}`) return null;
  return `is ${wanted}, but the destination is an IPv${family} address`;
}

function sourceFault(own: number, family: number): string | null {
  if (own === 0) return 'must be an IP address';
  if (family === 0 || own === family) return null;
  return `must be an IPv${family} address, as the destination is`;
}

function ttlFaults(initial: number, max: number): ['initial_ttl' | 'max_ttl', string | null][] {
  const isInitial = initial >= 0 && initial <= 255;
  const isMax = max >= -1 && max <= 255;
  const last = max || DEFAULT_MAX;
  const isAfter = isMax && max !== -1 && initial <= 255 && initial > last;
  return [
    ['initial_ttl', isInitial ? null : 'must be from 1 to 255; 0 selects the default of 1'],
    ['max_ttl', isMax ? null : 'must be from 1 to 255; 0 selects the default of 30, -1 sets no limit'],
    ['initial_ttl', isAfter ? `must not be greater than max_ttl, ${last}` : null],
  ];
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
