import { isIPv6 } from 'node:net';
import type { Hop, Probe, Trace, TraceMessage } from './ports.ts';

/**
 * Groups the messages of a trace by hop; they may arrive in any order (contract/engines#gnoi-result).
 *
 * @param request destination and limit of hops, as requested
 * @param truncated true: there were more messages than are kept
 * @returns the hops in ascending order, each with its probes
 */
export function traceOf(
  messages: readonly TraceMessage[],
  request: { destination: string; max_ttl: number },
  { truncated = false }: { truncated?: boolean } = {},
): Trace['result'] {
  const header = messages.find(isHeader);
  const address = header?.destination_address || request.destination;
  const probes = new Map<number, Probe[]>();
  for (const message of messages.filter(isProbe)) {
    const known = probes.get(message.hop);
    if (known) known.push(probeOf(message));
    else probes.set(message.hop, [probeOf(message)]);
  }
  const hops = [...probes].map(([hop, found]) => hopOf(hop, found)).sort((a, b) => a.hop - b.hop);
  const goal = plain(address);
  return {
    destination: { name: header?.destination_name || request.destination, address },
    max_hops: header?.hops || (request.max_ttl === 0 ? 30 : request.max_ttl),
    packet_size: header?.packet_size ?? 0,
    reached: hops.some(({ probes: found }) =>
      found.some(({ state, address: from }) => state === 'DEFAULT' && plain(from) === goal),
    ),
    hops,
    truncated,
  };
}

/** Returns whether a message describes the trace as a whole. Some targets send none, and no field identifies it. */
const isHeader = ({ destination_name, destination_address, hops, packet_size, hop }: TraceMessage) =>
  destination_name !== '' || destination_address !== '' || (hop === 0 && (hops > 0 || packet_size > 0));

const isProbe = (message: TraceMessage) =>
  message.hop > 0 ||
  (!isHeader(message) && (message.address !== '' || message.rtt !== '0' || message.state !== 'DEFAULT'));

function probeOf({ address, name, rtt, state, icmp_code, mpls, as_path }: TraceMessage): Probe {
  const answered = state !== 'NONE' && (address !== '' || rtt !== '0');
  const ns = Number(rtt);
  return {
    address,
    name,
    rtt_ms: answered ? ns / 1e6 : null,
    rtt_ns: answered ? ns : null,
    state: answered || state !== 'DEFAULT' ? state : 'NONE',
    icmp_code,
    mpls,
    as_path,
  };
}

function hopOf(hop: number, probes: Probe[]): Hop {
  const times = probes.flatMap(({ rtt_ms }) => (rtt_ms === null ? [] : [rtt_ms]));
  const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length;
  return {
    hop,
    probes,
    loss: Math.round(((probes.length - times.length) / probes.length) * 1e4) / 1e4,
    rtt:
      times.length === 0
        ? { min: null, avg: null, max: null }
        : { min: Math.min(...times), avg: Math.round(mean * 1e6) / 1e6, max: Math.max(...times) },
  };
}

/** Returns an address in canonical form, because targets abbreviate IPv6 addresses differently. */
function plain(address: string): string {
  const bare = address.split('%', 1)[0] ?? '';
  return isIPv6(bare) ? new URL(`http://[${bare}]/`).hostname : bare;
}
