import type { Logger } from 'pino';
import { runAtIntervals } from '../../timing/interval-task.ts';
import { type KeyValue, keyValues, type OtlpSettings, openSender, resourceOf, SCOPE } from './exporter.ts';

/** A line of Prometheus' text format: a value with its labels. */
type Sample = { name: string; labels: Readonly<Record<string, string>>; value: number };
type Family = { name: string; help: string; type: string; samples: Sample[] };

/** Cumulative since the start, as the counters of Prometheus are. */
const CUMULATIVE = 2;

/**
 * Exports the metrics of `GET /prometheus_metrics` at intervals.
 *
 * @param text reads them in the text format of Prometheus
 * @returns a function that exports them once more and ends it
 */
export function exportMetrics(
  settings: OtlpSettings,
  text: () => Promise<string>,
  log: Pick<Logger, 'warn'>,
): () => Promise<void> {
  const ending = new AbortController();
  const send = openSender(settings, '/v1/metrics', log, ending.signal);
  const resource = resourceOf(settings);
  const startNs = nanoseconds(Math.round(performance.timeOrigin));
  const run = async () => {
    const metrics = metricsOf(await text(), startNs, nanoseconds(Date.now()));
    await send({ resourceMetrics: [{ resource, scopeMetrics: [{ scope: SCOPE, metrics }] }] });
  };
  const end = runAtIntervals(settings.metricsMs, run, (err) =>
    log.warn({ err }, 'the metrics could not be exported'),
  );
  return async () => {
    ending.abort();
    await end();
    // The process ends: the last figures are lost when nobody accepts them.
    await run().catch(() => undefined);
  };
}

const nanoseconds = (ms: number): string => `${BigInt(ms) * 1_000_000n}`;

/**
 * Converts Prometheus' text format to the metrics of OTLP in JSON.
 *
 * @param text in the text exposition format
 * @param startTimeUnixNano since when counters count, in nanoseconds since 1970
 * @param timeUnixNano time of the measurement, in nanoseconds since 1970
 * @returns one metric for each family that has a finite value
 */
export function metricsOf(text: string, startTimeUnixNano: string, timeUnixNano: string): object[] {
  const time = { startTimeUnixNano, timeUnixNano };
  return familiesOf(text).flatMap(({ name, help, type, samples }) => {
    const known = samples.filter(({ value }) => Number.isFinite(value));
    if (known.length === 0) return [];
    const dataPoints = () =>
      known.map(({ labels, value }) => ({ attributes: keyValues(labels), ...time, asDouble: value }));
    const head = { name, description: help };
    if (type === 'counter')
      return {
        ...head,
        sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints: dataPoints() },
      };
    if (type === 'histogram')
      return {
        ...head,
        histogram: { aggregationTemporality: CUMULATIVE, dataPoints: histogramsOf(name, known, time) },
      };
    return { ...head, gauge: { dataPoints: dataPoints() } };
  });
}

function familiesOf(text: string): Family[] {
  const families: Family[] = [];
  const helps = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (word === 'HELP') helps.set(name, rest);
    if (word === 'TYPE') families.push({ name, help: helps.get(name) ?? '', type: rest, samples: [] });
    const sample = line.startsWith('#') ? undefined : sampleOf(line);
    if (sample) families.at(-1)?.samples.push(sample);
  }
  return families;
}

function sampleOf(line: string): Sample | undefined {
  const [, name, inner = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
  if (name === undefined || value === undefined) return undefined;
  const labels = Object.fromEntries(
    [...inner.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', content = '']) => [
      label,
      content.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char)),
    ]),
  );
  return { name, labels, value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value) };
}

type Histogram = { attributes: KeyValue[]; bounds: number[]; counts: number[]; sum: number; count: number };

/** Joins the lines of histograms; their buckets are cumulative, those of OTLP are not. */
function histogramsOf(name: string, samples: readonly Sample[], time: object): object[] {
  const found = new Map<string, Histogram>();
  for (const { name: line, labels, value } of samples) {
    const { le, ...others } = labels;
    const key = JSON.stringify(others);
    const one = found.get(key) ?? { attributes: keyValues(others), bounds: [], counts: [], sum: 0, count: 0 };
    found.set(key, one);
    if (line === `${name}_sum`) one.sum = value;
    else if (line === `${name}_count`) one.count = value;
    else if (le !== undefined && le !== '+Inf') {
      one.bounds.push(Number(le));
      one.counts.push(value);
    }
  }
  return [...found.values()].map(({ attributes, bounds, counts, sum, count }) => ({
    attributes,
    ...time,
    count: String(count),
    sum,
    explicitBounds: bounds,
    bucketCounts: [...counts, count].map((upTo, at, all) => String(upTo - (all[at - 1] ?? 0))),
  }));
}
