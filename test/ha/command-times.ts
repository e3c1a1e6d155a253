/** The answer to a command on a device, as far as it says where its time went (docs/devices.md). */
type Answered = {
  timings?: { queue_ms: number; connect_ms: number; total_ms: number };
  session?: { reused: boolean };
  result?: { elapsed_ms: number }[];
};

/** Where the time of one command went, in milliseconds. */
export type CommandTime = {
  totalMs: number;
  /** Name of the process that answered, as the balancer knows it. */
  process: string;
  reused: boolean;
  /** Balancer, credential, inventory, history and audit. */
  request: number;
  /** Start of the thread of the sessions, the way to it and back, and the proof that an idle session is at its prompt. */
  thread: number;
  /** Waiting for a free session. */
  queue: number;
  /** Connection, key exchange, authentication and the search for the prompt. */
  connect: number;
  /** From the command to the last byte of its reply. */
  command: number;
};

/** Commands that took longer than this are printed one by one, in milliseconds. */
const SLOW_MS = 5000;
const MOST_PRINTED = 10;

/** Returns where the time of a command went. @param totalMs from the request to the end of its answer */
export function commandTime(totalMs: number, process: string, answer: unknown): CommandTime {
  const { timings, session, result = [] } = answer as Answered;
  const { queue_ms: queue = 0, connect_ms: connect = 0, total_ms: call = 0 } = timings ?? {};
  const command = result.reduce((sum, { elapsed_ms }) => sum + elapsed_ms, 0);
  const thread = call - queue - connect - command;
  const reused = session?.reused ?? false;
  return { totalMs, process, reused, request: totalMs - call, thread, queue, connect, command };
}

/** Returns lines for the report: the distribution of all times, and the parts of each slow command. */
export function commandReport(times: readonly CommandTime[]): string[] {
  const sorted = [...times].sort((one, other) => one.totalMs - other.totalMs);
  const at = (share: number) => seconds(sorted[Math.floor(share * (sorted.length - 1))]?.totalMs ?? 0);
  const slow = sorted.filter(({ totalMs }) => totalMs > SLOW_MS).reverse();
  return [
    `commands on a device: half within ${at(0.5)}, 99 of 100 within ${at(0.99)}, all within ${at(1)}; ${slow.length} took longer than ${seconds(SLOW_MS)}`,
    ...slow.slice(0, MOST_PRINTED).map(slowLine),
  ];
}

const slowLine = ({ totalMs, process, reused, request, thread, queue, connect, command }: CommandTime) => {
  const parts = { request, thread, queue, connect, command };
  const where = Object.entries(parts).map(([part, ms]) => `${part} ${seconds(ms)}`);
  return `  ${seconds(totalMs)} in ${process}, ${reused ? 'session reused' : 'new session'}: ${where.join(', ')}`;
};

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
