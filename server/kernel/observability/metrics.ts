import { isMainThread } from 'node:worker_threads';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { certificateEnd } from './certificate-end.ts';
import { openRequestFigures, type RequestFigures } from './request-figures.ts';
import { figuresText } from './shared-figures.ts';

/** The metrics of this process, in Prometheus' terms. Labels are route patterns, never values (docs/operations.md). */
export type Metrics = {
  request: RequestFigures['observe'];
  signIn: (outcome: 'ok' | 'refused' | 'throttled') => void;
  /** Returns the metrics in the text exposition format. */
  text: () => Promise<string>;
};

/** Figures that the database reports. */
export type DatabaseFigures = {
  bytes: number;
  connections: number;
  /** How many jobs have ended in each state, in all processes. */
  jobsEnded: Readonly<Record<'complete' | 'error' | 'canceled', number>>;
  /** How many jobs have not ended. */
  jobsActive: Readonly<Record<'running' | 'paused', number>>;
  /** When the next scheduled backup is due, in epoch seconds; null: none is scheduled. */
  nextBackup: number | null;
  /** Pieces of durable work by queue and state. */
  queues: readonly { queue: string; state: 'waiting' | 'running'; n: number }[];
  /** For how long the oldest piece of work of each queue has waited for a process, in seconds; queues in which none waits are absent. */
  waits: Readonly<Record<string, number>>;
  /** How many of each kind are stored. */
  stored: Readonly<Record<Stored, number>>;
  /** Runs over many devices that have not ended. */
  runsActive: Readonly<Record<Run, number>>;
  /** Compliance runs that ended, by outcome. */
  complianceRuns: Readonly<Record<string, number>>;
};

type Stored = 'devices' | 'backups' | 'adapters';
type Run = 'compliance' | 'backup';

/** Interval at which the delay of the event loop is measured, in milliseconds; an idle process reports this much. */
const LOOP_DELAY_MS = 50;

/**
 * Opens the metrics of this process, beside figures of the database that are the same in every process.
 *
 * @param measure queries the database each time the metrics are read; returns undefined while it is unavailable
 */
export function openMetrics(measure: () => Promise<DatabaseFigures | undefined>): Metrics {
  const registry = new Registry();
  // They describe the process. The delay of the event loop is taken with a timer of its own, which wakes an idle thread.
  if (isMainThread)
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_DELAY_MS });
  const requests = openRequestFigures();
  const signIns = new Counter({
    name: 'sign_ins_total',
    help: 'Sign-in attempts, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  });
  // An alert about an increase does not see a counter that appears: it is 0 from the start.
  for (const outcome of ['ok', 'refused', 'throttled']) signIns.inc({ outcome }, 0);
  const jobsEnded = new Counter({
    name: 'jobs_ended_total',
    help: 'Jobs that ended, by outcome, of every process; a retry can resume those in error',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const up = gauge('database_up', 'Whether the database responds: 1, else 0');
  const bytes = gauge('database_size_bytes', 'Size of the database');
  const connections = gauge('database_connections', 'Connections to the database, of every process');
  const jobsActive = new Gauge({
    name: 'jobs_active',
    help: 'Jobs that have not ended, by state, of every process',
    labelNames: ['state'],
    registers: [registry],
  });
  const queues = new Gauge({
    name: 'work_items',
    help: 'Pieces of durable work, by queue and state, of every process',
    labelNames: ['queue', 'state'],
    registers: [registry],
  });
  const waits = new Gauge({
    name: 'work_longest_wait_seconds',
    help: 'For how long the oldest piece of work of a queue has waited for a process, of every process',
    labelNames: ['queue'],
    registers: [registry],
  });
  const stored = new Gauge({
    name: 'stored_documents',
    help: 'Devices (an estimate beyond 100,000), backups of configurations and adapters that are stored',
    labelNames: ['kind'],
    registers: [registry],
  });
  const runsActive = new Gauge({
    name: 'fleet_runs_active',
    help: 'Runs over many devices that have not ended, by kind',
    labelNames: ['kind'],
    registers: [registry],
  });
  const complianceRuns = new Gauge({
    name: 'compliance_runs',
    help: 'Compliance runs that are stored, by state',
    labelNames: ['state'],
    registers: [registry],
  });
  const nextBackup = gauge('backup_next_due_seconds', 'When the next scheduled backup is due, epoch seconds');
  const certificate = gauge(
    'certificate_end_seconds',
    'When the TLS certificate that this process serves ends, epoch seconds',
  );
  const setCounts = (figures: DatabaseFigures) => {
    for (const [state, n] of Object.entries(figures.jobsActive)) jobsActive.set({ state }, n);
    for (const [kind, n] of Object.entries(figures.stored)) stored.set({ kind }, n);
    for (const [kind, n] of Object.entries(figures.runsActive)) runsActive.set({ kind }, n);
    // A queue that is empty, or a state that no run is in, is not among the figures.
    queues.reset();
    for (const { queue, state, n } of figures.queues) queues.set({ queue, state }, n);
    waits.reset();
    for (const [queue, seconds] of Object.entries(figures.waits)) waits.set({ queue }, seconds);
    complianceRuns.reset();
    for (const [state, n] of Object.entries(figures.complianceRuns)) complianceRuns.set({ state }, n);
    jobsEnded.reset();
    for (const [outcome, n] of Object.entries(figures.jobsEnded)) jobsEnded.inc({ outcome }, n);
  };
  return {
    request: requests.observe,
    signIn: (outcome) => signIns.inc({ outcome }),
    async text() {
      const figures = await measure();
      up.set(figures ? 1 : 0);
      bytes.set(figures?.bytes ?? Number.NaN);
      connections.set(figures?.connections ?? Number.NaN);
      nextBackup.set(figures?.nextBackup ?? Number.NaN);
      certificate.set((certificateEnd() ?? Number.NaN) / 1000);
      // The database counts: while it is unavailable, the last counts stay.
      if (figures) setCounts(figures);
      return `${await registry.metrics()}${requests.text()}${figuresText()}`;
    },
  };
}
