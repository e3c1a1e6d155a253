import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** What is measured of this process, in Prometheus' terms. Labels are route patterns, never values (operations). */
export type Metrics = {
  /** @param seconds from the first byte read to the answer handed over */
  request: (method: string, route: string, status: number, seconds: number) => void;
  signIn: (outcome: 'ok' | 'refused' | 'throttled') => void;
  /** The text exposition format. */
  text: () => Promise<string>;
};

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export function openMetrics(): Metrics {
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
  return {
    request(method, route, status, seconds) {
      // A caller may send any word as a method: it must not become a label of its own.
      const known = METHODS.has(method) ? method : 'other';
      requests.inc({ method: known, route, status });
      durations.observe({ method: known, route }, seconds);
    },
    signIn: (outcome) => signIns.inc({ outcome }),
    text: () => registry.metrics(),
  };
}
