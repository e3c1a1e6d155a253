import type { IncomingHttpHeaders } from 'node:http';
import type { Stage } from './failures.ts';

/** TLS settings of a connection, as PEM text. */
export type TlsSettings = {
  rejectUnauthorized?: boolean | undefined;
  ca?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
  /** Name that the certificate must be for, when it is not the host. */
  serverName?: string | undefined;
};

/** The system that a request goes to. The settings hold decrypted secrets; they must not outlive the call. */
export type HttpTarget = {
  /** Name of the adapter, for messages. */
  adapter: string;
  tls: TlsSettings;
  timeouts: { connect: number; request: number };
  /** Changes with the settings: requests with the same value share connections. Absent: a new connection for each. */
  connectionKey?: string | undefined;
};

/** A request, sent exactly as given. */
export type HttpRequest = {
  method: string;
  /** `http:` or `https:`, with its query. */
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array | undefined;
};

export type HttpOptions = {
  /** Cancels the request; its reason is thrown as is. */
  signal: AbortSignal;
  /** Maximum size of the decoded response in bytes; longer responses are rejected. */
  maxBytes: number;
  /** Longer responses are cut off instead. */
  truncate?: boolean | undefined;
  /** Stage to report once connected. */
  stage?: Stage | undefined;
};

/** A response of any status; the body is decompressed. */
export type HttpAnswer = { status: number; headers: IncomingHttpHeaders; bytes: Buffer };

/**
 * Requests to other systems over HTTP. Redirects are not followed, and every address is checked when it is connected to
 * (contract/lifecycle#9). Failures are thrown as a ServiceError with `reason`, `host`, `stage` and `retryable`
 * (contract/decisions#2).
 */
export type HttpPort = {
  send: (target: HttpTarget, request: HttpRequest, options: HttpOptions) => Promise<HttpAnswer>;
  /** Makes a connection, with TLS for `https:`, and closes it again. */
  connect: (target: HttpTarget, url: URL, signal: AbortSignal) => Promise<void>;
};
