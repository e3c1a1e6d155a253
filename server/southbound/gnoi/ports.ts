/** The address and credential of a gNOI target. It holds decrypted secrets, which must not outlive the call. */
export type GnoiTarget = {
  /** Name in the inventory, used in messages and to limit concurrent calls. */
  name: string;
  /** Address or host name. */
  host: string;
  port: number;
  username: string;
  password: string;
  /** PEM texts; "" when not set. Without `ca`, the root certificates of Node are trusted. */
  tls: {
    enabled: boolean;
    /** Name that the certificate must have; "": the host. */
    serverName: string;
    ca: string;
    cert: string;
    key: string;
    skipVerify: boolean;
  };
};

/** Parameters of a trace, named as in gNOI (contract/engines#gnoi). */
export type TraceRequest = {
  destination: string;
  source: string;
  /** 0: the target's default. */
  initial_ttl: number;
  /** 0: the target's default; -1: unlimited. */
  max_ttl: number;
  /** Nanoseconds to wait for each probe; 0: the target's default. */
  wait: number;
  do_not_fragment: boolean;
  do_not_resolve: boolean;
  l3protocol: 'IPV4' | 'IPV6';
  l4protocol: 'ICMP' | 'TCP' | 'UDP';
  do_not_lookup_asn: boolean;
  network_instance: string;
};

/** A message of the target, unchanged: enum values and 64-bit numbers are text. */
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
  icmp_ext_data: { class: number; type: number; data: number[] }[];
};

/** One probe of a hop. */
export type Probe = {
  /** Responder; "" without a response. */
  address: string;
  name: string;
  /** Null without a response. */
  rtt_ms: number | null;
  rtt_ns: number | null;
  /** DEFAULT: ordinary response; NONE: no response; others: the kind of response received instead. */
  state: string;
  icmp_code: number;
  mpls: Record<string, string>;
  as_path: number[];
};

/** The probes of one hop and their statistics. */
export type Hop = {
  hop: number;
  probes: Probe[];
  /** Share of probes without a response, 0 to 1. */
  loss: number;
  /** Milliseconds, over the probes with a response; null when there are none. */
  rtt: { min: number | null; avg: number | null; max: number | null };
};

/** The result of a trace (contract/engines#gnoi-result). */
export type Trace = {
  /** partial: the trace ended before the target had finished. */
  status: 'success' | 'partial';
  /** gRPC status: 0 for success. */
  code: number;
  /** Name of the target that ran the trace. */
  key: string;
  result: {
    destination: { name: string; address: string };
    max_hops: number;
    /** Bytes; 0 when the target does not report it. */
    packet_size: number;
    /** Whether the destination itself responded. */
    reached: boolean;
    hops: Hop[];
    /** True when the target sent more than is kept. */
    truncated: boolean;
  };
  /** Messages of the target, in order of arrival. */
  responses: TraceMessage[];
};

/** The time limit of a call, and a signal that cancels it when the caller disconnects. */
export type CallOptions = { deadlineMs: number; signal: AbortSignal };

/**
 * gNOI targets as engines see them. Failures are thrown as a ServiceError with `reason`, `host`, `stage`, `retryable`,
 * and with `partial` when some results had arrived (contract/decisions#2, contract/endpoints#4.14-partial).
 */
export type GnoiPort = {
  /** @throws ServiceError GATEWAY_TIMEOUT with the hops received so far; CLIENT_CLOSED_REQUEST when `signal` aborted */
  traceroute: (target: GnoiTarget, request: TraceRequest, terms: CallOptions) => Promise<Trace>;
  /** Returns the target's clock in nanoseconds since 1970; null when it responds but does not report the time. */
  time: (target: GnoiTarget, terms: CallOptions) => Promise<bigint | null>;
};
