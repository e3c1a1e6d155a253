import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { openRequestFigures, type RequestFigures } from './request-figures.ts';

/** What is measured of this process, in Prometheus' terms. Labels are route patterns, never values (operations). */
export type Metrics = {
  request: RequestFigures['observe'];
  signIn: (outcome: 'ok' | 'refused' | 'throttled') => void;
  /** The text exposition format. */
  text: () => Promise<string>;
};

/** What the database tells of itself. */
export type DatabaseFigures = {
  bytes: number;
  connections: number;
  /** How many jobs ended in each state so far, whichever process did their work. */
  jobsEnded: Readonly<Record<'complete' | 'error' | 'canceled', number>>;
};

/** @param measure asks the database, each time the metrics are read; undefined while it is away */
export function openMetrics(measure: () => Promise<DatabaseFigures | undefined>): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = openRequestFigures();
  const signIns = new Counter({
    name: 'sign_ins_total',
    help: 'Sign-ins tried, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const jobsEnded = new Counter({
    name: 'jobs_ended_total',
    help: 'Jobs that ended, by outcome, of every process; a retry can revive those in error',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const up = gauge('database_up', 'Whether the database answers: 1, else 0');
  const bytes = gauge('database_size_bytes', 'Size of the database');
  const connections = gauge('database_connections', 'Connections to the database, of every process');
  return {
    request: requests.observe,
    signIn: (outcome) => signIns.inc({ outcome }),
    async text() {
      const figures = await measure();
      up.set(figures ? 1 : 0);
      bytes.set(figures?.bytes ?? Number.NaN);
      connections.set(figures?.connections ?? Number.NaN);
      // The database counts: what was counted while it answered last stays.
      if (figures) jobsEnded.reset();
      for (const [outcome, n] of Object.entries(figures?.jobsEnded ?? {})) jobsEnded.inc({ outcome }, n);
      return `${await registry.metrics()}${requests.text()}`;
    },
  };
}
