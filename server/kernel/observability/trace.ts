import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

/** Attributes of a span: names and ids, never a path value, a query, a body or a secret. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Who a span works for, in the terms of OpenTelemetry: a request that is answered, one that is sent, queued work, or neither. */
export type SpanKind = 'internal' | 'server' | 'client' | 'consumer';

/** A piece of work that has ended; times in nanoseconds since the epoch. */
export type EndedSpan = {
  traceId: string;
  spanId: string;
  parentId: string | undefined;
  name: string;
  kind: SpanKind;
  startNs: bigint;
  endNs: bigint;
  attributes: Attributes;
  /** The kind of error with which it ended, not its message, which may quote data. */
  error: string | undefined;
};

/** Receives the spans of this thread. */
export type SpanSink = (span: EndedSpan) => void;

type ActiveSpan = {
  traceId: string;
  spanId: string;
  isSampled: boolean;
  attributes: Attributes;
  name: string;
};

type SpanOptions = {
  kind?: SpanKind;
  attributes?: Attributes;
  /** The span that this one belongs to, as a `traceparent` of W3C Trace Context; absent: the active one, or a new trace. */
  parent?: string | undefined;
};

const active = new AsyncLocalStorage<ActiveSpan>();
let sink: SpanSink | undefined;
let ratio = 1;

/**
 * Begins to trace in this thread. Without it `inSpan` only calls its function (decision 0124).
 *
 * @param sampled share of new traces that are recorded, 0 to 1; a trace of a caller is recorded when the caller records it
 * @returns a function that ends it
 */
export function startTracing(receive: SpanSink, sampled = 1): () => void {
  sink = receive;
  ratio = sampled;
  return () => {
    if (sink === receive) sink = undefined;
  };
}

/** Returns whether spans are recorded in this thread. */
export const isTracing = (): boolean => sink !== undefined;

/** Returns the active span as a `traceparent`, to be passed to what continues its trace; undefined without one. */
export function traceparent(): string | undefined {
  if (!sink) return undefined;
  const span = active.getStore();
  return span && `00-${span.traceId}-${span.spanId}-${span.isSampled ? '01' : '00'}`;
}

/** Adds attributes to the active span, and may rename it once more is known of it. */
export function describeSpan(attributes: Attributes, name?: string): void {
  const span = sink && active.getStore();
  if (!span) return;
  span.attributes = { ...span.attributes, ...attributes };
  if (name !== undefined) span.name = name;
}

/**
 * Runs something as a span: spans that it begins are its children. While tracing is off it only runs it.
 *
 * @param name of the span, from a fixed set of names
 * @param run the work of the span
 * @returns the result of `run`
 * @throws the error of `run`, whose kind becomes part of the span
 */
export async function inSpan<Result>(
  name: string,
  { kind = 'internal', attributes = {}, parent }: SpanOptions,
  run: () => Promise<Result>,
): Promise<Result> {
  const receive = sink;
  if (!receive) return run();
  const above = parent === undefined ? active.getStore() : contextOf(parent);
  const span: ActiveSpan = {
    traceId: above?.traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    isSampled: above?.isSampled ?? Math.random() < ratio,
    attributes,
    name,
  };
  const startNs = now();
  let error: string | undefined;
  try {
    return await active.run(span, run);
  } catch (thrown) {
    error = kindOf(thrown);
    throw thrown;
  } finally {
    if (span.isSampled) {
      const { traceId, spanId } = span;
      const what = { name: span.name, kind, attributes: span.attributes };
      receive({ traceId, spanId, parentId: above?.spanId, ...what, startNs, endNs: now(), error });
    }
  }
}

/** Parses a `traceparent`; one that is damaged, or of zeros, begins a new trace as the standard requires. */
function contextOf(text: string): { traceId: string; spanId: string; isSampled: boolean } | undefined {
  const [, traceId = '', spanId = '', flags = ''] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text) ?? [];
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId) || text.startsWith('ff')) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}

/** The clock of the machine, in nanoseconds, with the resolution of the monotonic one. */
const now = (): bigint => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n;
