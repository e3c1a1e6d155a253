import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { observedPort } from '#server/kernel/observability/observed-port.ts';
import { metricsOf } from '#server/kernel/observability/otlp/metrics.ts';
import { figureOf } from '#server/kernel/observability/shared-figures.ts';
import {
  describeSpan,
  type EndedSpan,
  inSpan,
  isTracing,
  startTracing,
  traceparent,
} from '#server/kernel/observability/trace.ts';

let end = () => {};
afterEach(() => end());
const record = (sampled = 1) => {
  const spans: EndedSpan[] = [];
  end = startTracing((span) => spans.push(span), sampled);
  return spans;
};

test('while tracing is off, a span runs its function and nothing else', async () => {
  expect(isTracing()).toBe(false);
  expect(await inSpan('one', {}, async () => traceparent())).toBeUndefined();
});

test('spans within a span are its children, also those that run at once', async () => {
  const spans = record();
  await inSpan('outer', { kind: 'server' }, async () => {
    await Promise.all(['a', 'b'].map((name) => inSpan(name, {}, () => sleep(5))));
    describeSpan({ status: 200 }, 'renamed');
  });
  expect(spans.map(({ name }) => name).sort()).toEqual(['a', 'b', 'renamed']);
  const outer = spans.find(({ name }) => name === 'renamed');
  expect(outer?.attributes).toEqual({ status: 200 });
  for (const span of spans) {
    expect(span.traceId).toBe(outer?.traceId);
    expect(span.endNs >= span.startNs).toBe(true);
    if (span !== outer) expect(span.parentId).toBe(outer?.spanId);
  }
});

test('a traceparent continues a trace, one that is damaged begins a new one, and one that is not sampled is not recorded', async () => {
  const spans = record();
  const id = '0af7651916cd43dd8448eb211c80319c';
  await inSpan('continued', { parent: `00-${id}-b7ad6b7169203331-01` }, async () => {
    expect(traceparent()).toMatch(new RegExp(`^00-${id}-[0-9a-f]{16}-01$`));
  });
  await inSpan('quiet', { parent: `00-${id}-b7ad6b7169203331-00` }, async () => {
    expect(traceparent()).toMatch(new RegExp(`^00-${id}-[0-9a-f]{16}-00$`));
  });
  for (const parent of [
    '',
    'x',
    `00-${id}-0000000000000000-01`,
    `ff-${id}-b7ad6b7169203331-01`,
    `00-${id.toUpperCase()}-b7ad6b7169203331-01`,
  ])
    await inSpan('new', { parent }, async () => undefined);
  expect(spans.map(({ name }) => name)).toEqual(['continued', 'new', 'new', 'new', 'new', 'new']);
  expect(spans[0]).toMatchObject({ traceId: id, parentId: 'b7ad6b7169203331' });
  for (const span of spans.slice(1)) {
    expect(span.traceId).not.toBe(id);
    expect(span.parentId).toBeUndefined();
  }
});

test('a span of a failure has the kind of the error, and neither its message nor its stack', async () => {
  const spans = record();
  const failure = Object.assign(new Error('the password is hunter2'), { code: 'AUTH_FAILED' });
  await expect(inSpan('one', {}, () => Promise.reject(failure))).rejects.toBe(failure);
  expect(spans[0]?.error).toBe('AUTH_FAILED');
  expect(
    JSON.stringify(spans, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
  ).not.toContain('hunter2');
});

test('a port counts its calls by outcome, and passes them on unchanged', async () => {
  const port = {
    run: async (target: { name: string }, fails: boolean) => {
      if (fails) throw new Error('lost');
      return target.name;
    },
    facts: () => 'as before',
  };
  const observed = observedPort({ kind: 'gnoi', span: 'device' }, port, ['run'], ({ name }) => ({ name }));
  const before = [figureOf('gnoi', 'ok'), figureOf('gnoi', 'error')];
  expect(await observed.run({ name: 'one' }, false)).toBe('one');
  await expect(observed.run({ name: 'one' }, true)).rejects.toThrow('lost');
  expect(observed.facts()).toBe('as before');
  expect([figureOf('gnoi', 'ok'), figureOf('gnoi', 'error')].map((n, at) => n - (before[at] ?? 0))).toEqual([
    1, 1,
  ]);
  const spans = record();
  await observed.run({ name: 'two' }, false);
  expect(spans[0]).toMatchObject({ name: 'device run', kind: 'client', attributes: { name: 'two' } });
});

test('metrics in the text format become sums, gauges and histograms whose buckets are not cumulative', () => {
  const text = [
    '# HELP requests_total Requests',
    '# TYPE requests_total counter',
    'requests_total{route="/a\\"b",status="200"} 3',
    '# HELP up Whether it is up',
    '# TYPE up gauge',
    'up NaN',
    '# TYPE size gauge',
    'size 12.5',
    '# HELP seconds Time',
    '# TYPE seconds histogram',
    'seconds_bucket{route="/",le="0.1"} 2',
    'seconds_bucket{route="/",le="1"} 5',
    'seconds_bucket{route="/",le="+Inf"} 6',
    'seconds_sum{route="/"} 4.5',
    'seconds_count{route="/"} 6',
    '',
  ].join('\n');
  const time = { startTimeUnixNano: '1', timeUnixNano: '2' };
  const label = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  expect(metricsOf(text, '1', '2')).toEqual([
    {
      name: 'requests_total',
      description: 'Requests',
      sum: {
        aggregationTemporality: 2,
        isMonotonic: true,
        dataPoints: [{ attributes: [label('route', '/a"b'), label('status', '200')], ...time, asDouble: 3 }],
      },
    },
    { name: 'size', description: '', gauge: { dataPoints: [{ attributes: [], ...time, asDouble: 12.5 }] } },
    {
      name: 'seconds',
      description: 'Time',
      histogram: {
        aggregationTemporality: 2,
        dataPoints: [
          {
            attributes: [label('route', '/')],
            ...time,
            count: '6',
            sum: 4.5,
            explicitBounds: [0.1, 1],
            bucketCounts: ['2', '3', '1'],
          },
        ],
      },
    },
  ]);
});
