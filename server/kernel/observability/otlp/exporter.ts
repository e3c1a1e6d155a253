import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { RELEASE } from '#server/kernel/config.ts';
import { retryAfterMs } from '#server/kernel/timing/retry-after.ts';

/** Where and as what a process exports, as the variables of OpenTelemetry set it. */
export type OtlpSettings = {
  /** Base URL of a receiver of OTLP over HTTP: `/v1/traces` and `/v1/metrics` are below it. */
  endpoint: string;
  /** Headers of each request, such as a token of the receiver: secrets. */
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  /** Further attributes of the resource. */
  attributes: Readonly<Record<string, string>>;
  /** Share of new traces that are recorded. */
  sampled: number;
  /** Interval between two exports of metrics, in milliseconds. */
  metricsMs: number;
};

/** A value as OTLP writes it in JSON. */
type AnyValue =
  | { stringValue: string }
  | { intValue: string }
  | { doubleValue: number }
  | { boolValue: boolean };
export type KeyValue = { key: string; value: AnyValue };

const SEND_MS = 10_000;
/** Time for all that is left once the process ends, in milliseconds: the database is closed after it, within the time of the stop. */
const LAST_MS = 1500;
/** Bytes of an answer that are read: the status is all that counts, and a receiver may send without end. */
const MOST_ANSWERED = 64 * 1024;
/** Pauses after a failed attempt, in milliseconds; a `Retry-After` of the receiver makes each longer, up to a minute. */
const PAUSES_MS = [1000, 4000, 0];
const MOST_PAUSE_MS = 60_000;
const REPORT_MS = 60_000;
const TRY_AGAIN = new Set([429, 502, 503, 504]);

/** Returns attributes in the JSON encoding of OTLP; those that are undefined are left out. */
export const keyValues = (
  attributes: Readonly<Record<string, string | number | boolean | undefined>>,
): KeyValue[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : { key, value: anyValue(value) },
  );

function anyValue(value: string | number | boolean): AnyValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Returns the process, as spans and metrics name it. */
export const resourceOf = ({ serviceName, attributes }: OtlpSettings) => ({
  attributes: keyValues({
    'service.name': serviceName,
    'service.version': RELEASE,
    'service.instance.id': `${hostname()}:${process.pid}`,
    'host.name': hostname(),
    'process.pid': process.pid,
    ...attributes,
  }),
});

/** The instrumentation scope that exports name for their spans and metrics. */
export const SCOPE = { name: 'switchyard', version: RELEASE };

/** Reads an answer, so that its connection can be used again, unless it is too long. */
async function discardBody({ body }: Response): Promise<void> {
  let size = 0;
  // Leaving the loop closes the connection.
  for await (const { length } of body ?? []) {
    size += length;
    if (size > MOST_ANSWERED) return;
  }
}

/**
 * Returns a function that sends one export, and again after a pause while the receiver is away. Never throws: what cannot be
 * delivered is dropped, and the log says so at most once a minute, without the headers.
 *
 * @param path of the signal, such as `/v1/traces`
 * @param ending aborts when the process ends: what is sent then, and from then on, has 1.5 s in all
 */
export function openSender(
  { endpoint, headers }: OtlpSettings,
  path: string,
  log: Pick<Logger, 'warn'>,
  ending: AbortSignal,
): (body: object) => Promise<void> {
  const url = `${endpoint.replace(/\/$/, '')}${path}`;
  let reportedAt = -REPORT_MS;
  let endsAt = Number.POSITIVE_INFINITY;
  let underWay: AbortController | undefined;
  const atTheEnd = () => {
    endsAt = performance.now() + LAST_MS;
    setTimeout(() => underWay?.abort(), LAST_MS).unref();
  };
  ending.addEventListener('abort', atTheEnd, { once: true });
  const send = async (text: string) => {
    const request = new AbortController();
    underWay = request;
    const ms = Math.min(SEND_MS, Math.max(1, endsAt - performance.now()));
    const timer = setTimeout(() => request.abort(new Error('it does not answer')), ms);
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: text,
        redirect: 'manual',
        signal: request.signal,
      });
      await discardBody(answer);
      return answer;
    } finally {
      clearTimeout(timer);
    }
  };
  return async (body) => {
    const text = JSON.stringify(body);
    let reason = '';
    for (const leastMs of PAUSES_MS) {
      let pauseMs = leastMs;
      try {
        const { status, headers: answered } = await send(text);
        if (status < 300) return;
        reason = `status ${status}`;
        if (!TRY_AGAIN.has(status)) break;
        // Also after the last attempt, so that the next export does not come too early.
        const askedMs = retryAfterMs(Object.fromEntries(answered), Date.now()) ?? 0;
        pauseMs = Math.max(leastMs, Math.min(askedMs, MOST_PAUSE_MS));
      } catch (error) {
        const { cause, message } = error as Error;
        reason = (cause as { code?: string } | undefined)?.code ?? message;
      }
      // At the stop there is one attempt.
      if (ending.aborted) break;
      await sleep(pauseMs, undefined, { signal: ending, ref: false }).catch(() => undefined);
    }
    if (performance.now() - reportedAt < REPORT_MS) return;
    reportedAt = performance.now();
    log.warn({ path, reason }, 'the receiver of OpenTelemetry does not accept exports: they are dropped');
  };
}
