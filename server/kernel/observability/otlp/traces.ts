import type { Logger } from 'pino';
import { type EndedSpan, type SpanKind, startTracing } from '../trace.ts';
import { keyValues, type OtlpSettings, openSender, resourceOf, SCOPE } from './exporter.ts';

/** Interval between two exports, in milliseconds. */
const EVERY_MS = 2000;
/** Most spans of one export, and most that wait: more are dropped while the receiver is slow or away. */
const MOST_AT_ONCE = 512;
const MOST_WAITING = 8192;

/** Numbers of the kinds in OTLP. */
const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3, consumer: 5 };
const STATUS_ERROR = 2;

/**
 * Traces this thread, and exports its spans in batches.
 *
 * @returns a function that exports the rest and ends it
 */
export function exportTraces(settings: OtlpSettings, log: Pick<Logger, 'warn'>): () => Promise<void> {
  const ending = new AbortController();
  const send = openSender(settings, '/v1/traces', log, ending.signal);
  const resource = resourceOf(settings);
  const waiting: EndedSpan[] = [];
  let dropped = 0;
  let sending: Promise<void> | undefined;

  const flush = async () => {
    while (waiting.length > 0) {
      const spans = waiting.splice(0, MOST_AT_ONCE).map(written);
      await send({ resourceSpans: [{ resource, scopeSpans: [{ scope: SCOPE, spans }] }] });
    }
    if (dropped === 0) return;
    log.warn({ dropped }, 'spans were dropped: the receiver of OpenTelemetry is too slow');
    dropped = 0;
  };
  const flushOnce = () => {
    sending ??= flush().finally(() => {
      sending = undefined;
    });
    return sending;
  };
  const end = startTracing((span) => {
    if (waiting.length >= MOST_WAITING) dropped += 1;
    else waiting.push(span);
    if (waiting.length === MOST_AT_ONCE) void flushOnce();
  }, settings.sampled);
  const timer = setInterval(() => void flushOnce(), EVERY_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    end();
    ending.abort();
    await sending;
    await flush();
  };
}

const written = ({
  traceId,
  spanId,
  parentId,
  name,
  kind,
  startNs,
  endNs,
  attributes,
  error,
}: EndedSpan) => ({
  traceId,
  spanId,
  ...(parentId !== undefined && { parentSpanId: parentId }),
  name,
  kind: KINDS[kind],
  startTimeUnixNano: String(startNs),
  endTimeUnixNano: String(endNs),
  attributes: keyValues({ ...attributes, ...(error !== undefined && { 'error.type': error }) }),
  status: error === undefined ? {} : { code: STATUS_ERROR },
});
