/** Where to reach a gNOI target, and as whom: secrets are open here, and stay in this call. */
export type GnoiTarget = {
  /** Name in the inventory: what messages call it, and what its calls in flight are counted by. */
  name: string;
  /** An address or a name. */
  host: string;
  port: number;
  username: string;
  password: string;
  /** PEM texts; "" where there is none. Without `ca` the roots that Node brings are trusted. */
  tls: {
    enabled: boolean;
    /** Name that the certificate must bear; "": the host. */
    serverName: string;
    ca: string;
    cert: string;
    key: string;
    skipVerify: boolean;
  };
};

/** A trace to be run by a target; members as gNOI names them (contract/engines#gnoi). */
export type TraceRequest = {
  destination: string;
  source: string;
  /** 0: as the target likes. */
  initial_ttl: number;
  /** 0: as the target likes; -1: without end. */
  max_ttl: number;
  /** Nanoseconds to wait for each probe; 0: as the target likes. */
  wait: number;
  do_not_fragment: boolean;
  do_not_resolve: boolean;
  l3protocol: 'IPV4' | 'IPV6';
  l4protocol: 'ICMP' | 'TCP' | 'UDP';
  do_not_lookup_asn: boolean;
  network_instance: string;
};

/** A message of the target as it came: names of enums and 64-bit numbers as text. */
export type TraceMessage = {
  destination_name: string;
  destination_address: string;
  hops: number;
  packet_size: number;
  hop: number;
  address: string;
  name: string;
  /** Nanoseconds. */
  rtt: string;
  state: string;
  icmp_code: number;
  mpls: Record<string, string>;
  as_path: number[];
  icmp_ext_data: { class: number; type: number; data: string }[];
};

/** One probe of a hop. */
export type Probe = {
  /** Who answered; "" when nobody did. */
  address: string;
  name: string;
  /** Null when nobody answered. */
  rtt_ms: number | null;
  rtt_ns: number | null;
  /** DEFAULT: an ordinary answer; NONE: no answer; others: what was answered instead. */
  state: string;
  icmp_code: number;
  mpls: Record<string, string>;
  as_path: number[];
};

/** What the probes of one distance found. */
export type Hop = {
  hop: number;
  probes: Probe[];
  /** Share of the probes that nobody answered, 0 to 1. */
  loss: number;
  /** Milliseconds, of the probes that were answered; null when none was. */
  rtt: { min: number | null; avg: number | null; max: number | null };
};

/** A trace as it is told (contract/engines#gnoi-result). */
export type Trace = {
  /** partial: it ended before the target was done. */
  status: 'success' | 'partial';
  /** Status of gRPC: 0 for success. */
  code: number;
  /** The host that traced. */
  key: string;
  result: {
    destination: { name: string; address: string };
    max_hops: number;
    /** Bytes; 0 when the target does not tell. */
    packet_size: number;
    /** Whether the destination itself answered. */
    reached: boolean;
    hops: Hop[];
    /** True when the target told more than is kept. */
    truncated: boolean;
  };
  /** What the target sent, in order. */
  responses: TraceMessage[];
};

/** How long a call may take, and what ends it before: a caller who goes away. */
export type CallOptions = { deadlineMs: number; signal: AbortSignal };

/**
 * gNOI targets as engines see them. Whatever cannot be answered is thrown as a ServiceError with `reason`, `host`,
 * `stage`, `retryable`, and with `partial` where some of it came (contract/decisions#2, contract/endpoints#4.14-partial).
 */
export type GnoiPort = {
  /** @throws ServiceError GATEWAY_TIMEOUT with the hops that came; CLIENT_CLOSED_REQUEST when `signal` aborted */
  traceroute: (target: GnoiTarget, request: TraceRequest, terms: CallOptions) => Promise<Trace>;
  /** Its clock, in nanoseconds since 1970; null when it answers but does not tell. */
  time: (target: GnoiTarget, terms: CallOptions) => Promise<bigint | null>;
};
