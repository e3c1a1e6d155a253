import { z } from 'zod';
import { percentDecoded } from './text/percent-decoded.ts';

/** `name=value` pairs separated by commas, percent-encoded, as OpenTelemetry writes headers and attributes. */
const pairs = z.string().transform((text, ctx): Record<string, string> => {
  const all: Record<string, string> = {};
  for (const pair of text.split(',').map((one) => one.trim())) {
    if (pair === '') continue;
    const [, name, value = ''] = /^([\w.-]+)\s*=\s*(.*)$/.exec(pair) ?? [];
    const decoded = name === undefined ? undefined : percentDecoded(value, undefined);
    if (name === undefined || decoded === undefined) {
      // The value may be a secret.
      ctx.addIssue('must be name=value pairs separated by commas');
      return z.NEVER;
    }
    all[name] = decoded;
  }
  return all;
});

/** Variables of OpenTelemetry, with the names and units of its specification (docs/observability.md). */
export const TELEMETRY_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be a URL such as http://127.0.0.1:4318' })
    .optional(),
  OTEL_EXPORTER_OTLP_HEADERS: pairs.prefault(''),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.literal('http/json', 'must be http/json').optional(),
  OTEL_SERVICE_NAME: z.string().min(1).default('switchyard'),
  OTEL_RESOURCE_ATTRIBUTES: pairs.prefault(''),
  /** Share of new traces that are recorded. */
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'must be a number from 0 to 1')
    .transform(Number)
    .prefault('1'),
  /** In milliseconds. */
  OTEL_METRIC_EXPORT_INTERVAL: z
    .string()
    .regex(/^\d+$/, 'must be an integer')
    .transform(Number)
    .pipe(z.number().min(1000).max(3_600_000))
    .prefault('60000'),
};

const Variables = z.object(TELEMETRY_VARIABLES);

/** Returns where traces and metrics are exported; undefined: nowhere. */
export const telemetryOf = (value: z.output<typeof Variables>) =>
  value.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
    ? undefined
    : {
        endpoint: value.OTEL_EXPORTER_OTLP_ENDPOINT,
        headers: value.OTEL_EXPORTER_OTLP_HEADERS,
        serviceName: value.OTEL_SERVICE_NAME,
        attributes: value.OTEL_RESOURCE_ATTRIBUTES,
        sampled: value.OTEL_TRACES_SAMPLER_ARG,
        metricsMs: value.OTEL_METRIC_EXPORT_INTERVAL,
      };
