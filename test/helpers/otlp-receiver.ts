import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const Hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`));
const Nanoseconds = z.string().regex(/^\d{19}$/);
const Value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({ boolValue: z.boolean() }),
]);
const Attributes = z.array(z.strictObject({ key: z.string().min(1), value: Value }));
const Resource = z.strictObject({ attributes: Attributes });
const Scope = z.strictObject({ name: z.string(), version: z.string() });

/** The JSON encoding of the requests of OTLP 1.x, as far as the service uses it; other fields are rejected. */
const Traces = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: Resource,
      scopeSpans: z.array(
        z.strictObject({
          scope: Scope,
          spans: z.array(
            z.strictObject({
              traceId: Hex(16),
              spanId: Hex(8),
              parentSpanId: Hex(8).optional(),
              name: z.string().min(1),
              kind: z.int().min(1).max(5),
              startTimeUnixNano: Nanoseconds,
              endTimeUnixNano: Nanoseconds,
              attributes: Attributes,
              status: z.strictObject({ code: z.int().min(0).max(2).optional() }),
            }),
          ),
        }),
      ),
    }),
  ),
});
const Times = { attributes: Attributes, startTimeUnixNano: Nanoseconds, timeUnixNano: Nanoseconds };
const Numbers = z.array(z.strictObject({ ...Times, asDouble: z.number() }));
const Count = z.string().regex(/^\d+$/);
const Metrics = z.strictObject({
  resourceMetrics: z.array(
    z.strictObject({
      resource: Resource,
      scopeMetrics: z.array(
        z.strictObject({
          scope: Scope,
          metrics: z.array(
            z.strictObject({
              name: z.string().min(1),
              description: z.string(),
              gauge: z.strictObject({ dataPoints: Numbers }).optional(),
              sum: z
                .strictObject({
                  aggregationTemporality: z.literal(2),
                  isMonotonic: z.boolean(),
                  dataPoints: Numbers,
                })
                .optional(),
              histogram: z
                .strictObject({
                  aggregationTemporality: z.literal(2),
                  dataPoints: z.array(
                    z.strictObject({
                      ...Times,
                      count: Count,
                      sum: z.number(),
                      explicitBounds: z.array(z.number()),
                      bucketCounts: z.array(Count),
                    }),
                  ),
                })
                .optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

type Value = z.infer<typeof Value>;
/** A span as the receiver understood it. */
export type ReceivedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  kind: number;
  isError: boolean;
  attributes: Record<string, unknown>;
};
/** A metric as the receiver understood it. */
export type ReceivedMetric = z.infer<
  typeof Metrics
>['resourceMetrics'][number]['scopeMetrics'][number]['metrics'][number];

const plain = (attributes: readonly { key: string; value: Value }[]) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      'intValue' in value ? Number(value.intValue) : Object.values(value)[0],
    ]),
  );

/**
 * A receiver of OTLP over HTTP in JSON: it answers 400 to what the encoding does not allow, and keeps the rest.
 *
 * @param status answered instead while it is set
 */
export async function openReceiver() {
  const received = {
    spans: [] as ReceivedSpan[],
    metrics: [] as ReceivedMetric[],
    resources: [] as Record<string, unknown>[],
    headers: [] as Record<string, unknown>[],
    faults: [] as string[],
    requests: 0,
    status: undefined as number | undefined,
  };
  const hear = (path: string | undefined, body: string) => {
    if (path === '/v1/traces') {
      for (const { resource, scopeSpans } of Traces.parse(JSON.parse(body)).resourceSpans) {
        received.resources.push(plain(resource.attributes));
        for (const { attributes, status, parentSpanId, ...span } of scopeSpans.flatMap(({ spans }) => spans))
          received.spans.push({
            ...span,
            parentSpanId,
            isError: status.code === 2,
            attributes: plain(attributes),
          });
      }
    } else if (path === '/v1/metrics') {
      for (const { scopeMetrics } of Metrics.parse(JSON.parse(body)).resourceMetrics)
        received.metrics.push(...scopeMetrics.flatMap(({ metrics }) => metrics));
    } else throw new Error(`no such path: ${path}`);
  };
  const server = createServer((request, response) => {
    received.requests += 1;
    received.headers.push(request.headers);
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (received.status !== undefined) return void response.writeHead(received.status).end();
      try {
        hear(request.url, Buffer.concat(parts).toString('utf8'));
        response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
      } catch (error) {
        received.faults.push(String(error));
        response.writeHead(400).end();
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, received, close };
}
