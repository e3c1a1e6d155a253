/** Calls to other systems, of all threads of a process. */
const CALLS = ['ssh', 'gnoi', 'http'] as const;
export type CallKind = (typeof CALLS)[number];

/** The figures that every kind of call has, in the order of their slots. */
const FIGURES = ['ok', 'error', 'milliseconds', 'opened', 'reused'] as const;
type Figure = (typeof FIGURES)[number];

/** Memory of the figures, which a thread passes to those that it starts. */
export type FigureMemory = SharedArrayBuffer;

let memory: FigureMemory = new SharedArrayBuffer(
  CALLS.length * FIGURES.length * BigInt64Array.BYTES_PER_ELEMENT,
);

/** Returns the memory of this thread's figures. */
export const figureMemory = (): FigureMemory => memory;

/** Counts in the memory of another thread from now on: that thread reports the figures. */
export const useFigureMemory = (shared: FigureMemory): void => {
  memory = shared;
};

const slotOf = (kind: CallKind, figure: Figure): number =>
  CALLS.indexOf(kind) * FIGURES.length + FIGURES.indexOf(figure);

/**
 * Adds to a figure of this process, from whichever of its threads.
 *
 * @param by calls, sessions, or milliseconds
 */
export function count(kind: CallKind, figure: Figure, by = 1): void {
  Atomics.add(new BigInt64Array(memory), slotOf(kind, figure), BigInt(by));
}

/** Returns a figure since the start of the process. */
export const figureOf = (kind: CallKind, figure: Figure): number =>
  Number(Atomics.load(new BigInt64Array(memory), slotOf(kind, figure)));

/**
 * Counts one call: its outcome and duration.
 *
 * @param run makes the call
 * @returns the result of `run`
 */
export async function counted<Result>(kind: CallKind, run: () => Promise<Result>): Promise<Result> {
  const begun = performance.now();
  let outcome: Figure = 'error';
  try {
    const result = await run();
    outcome = 'ok';
    return result;
  } finally {
    count(kind, outcome);
    count(kind, 'milliseconds', Math.round(performance.now() - begun));
  }
}

const HELP: Readonly<Record<CallKind, string>> = {
  ssh: 'Calls to devices over SSH',
  gnoi: 'Calls to devices over gNOI',
  http: 'Calls to other systems over HTTP, for integrations and adapters',
};

/** Returns the figures in Prometheus' text exposition format. */
export const figuresText = (): string =>
  [
    ...CALLS.flatMap((kind) => [
      `# HELP ${kind}_calls_total ${HELP[kind]}, by outcome`,
      `# TYPE ${kind}_calls_total counter`,
      `${kind}_calls_total{outcome="ok"} ${figureOf(kind, 'ok')}`,
      `${kind}_calls_total{outcome="error"} ${figureOf(kind, 'error')}`,
      `# HELP ${kind}_call_seconds_total Time that these calls took`,
      `# TYPE ${kind}_call_seconds_total counter`,
      `${kind}_call_seconds_total ${figureOf(kind, 'milliseconds') / 1000}`,
    ]),
    '# HELP ssh_sessions_total Sessions with devices that calls used, opened for them or open before',
    '# TYPE ssh_sessions_total counter',
    `ssh_sessions_total{session="opened"} ${figureOf('ssh', 'opened')}`,
    `ssh_sessions_total{session="reused"} ${figureOf('ssh', 'reused')}`,
    '',
  ].join('\n');
