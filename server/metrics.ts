import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What is measured of this process, in Prometheus' terms. Labels are route patterns, never values (operations). */
export type Metrics = {
  /** @param seconds from the first byte read to the answer handed over */
  request: (method: string, route: string, status: number, seconds: number) => void;
  signIn: (outcome: 'ok' | 'refused' | 'throttled') => void;
  /** The text exposition format. */
  text: () => Promise<string>;
};

/** What the database tells of itself. */
export type DatabaseFigures = { bytes: number; connections: number };

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** @param measure asks the database, each time the metrics are read; undefined while it is away */
export function openMetrics(measure: () => Promise<DatabaseFigures | undefined>): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered, by route pattern',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer a request, by route pattern',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  const signIns = new Counter({
    name: 'sign_ins_total',
    help: 'Sign-ins tried, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const up = gauge('database_up', 'Whether the database answers: 1, else 0');
  const bytes = gauge('database_size_bytes', 'Size of the database');
  const connections = gauge('database_connections', 'Connections to the database, of every process');
  return {
    request(method, route, status, seconds) {
      // A caller may send any word as a method: it must not become a label of its own.
      const known = METHODS.has(method) ? method : 'other';
      requests.inc({ method: known, route, status });
      durations.observe({ method: known, route }, seconds);
    },
    signIn: (outcome) => signIns.inc({ outcome }),
    async text() {
      const figures = await measure();
      up.set(figures ? 1 : 0);
      bytes.set(figures?.bytes ?? Number.NaN);
      connections.set(figures?.connections ?? Number.NaN);
      return registry.metrics();
    },
  };
}
