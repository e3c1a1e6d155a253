import { ServiceError, unprocessable } from '#server/kernel/errors.ts';
import { DRIVERS } from '#server/platforms/index.ts';
import type { DriverData } from '#server/platforms/record/driver-data.ts';
import { compileDrivers } from './driver.ts';
import { driverFacts } from './driver-facts.ts';
import { cliFailure, type FailureLocation, tooMuchOutput } from './failures.ts';
import type { CliPort, CliRun, CliTarget, CommandResult, SessionFacts } from './ports.ts';
import { openConnect } from './sessions/connect.ts';
import { rounded } from './sessions/open-session.ts';
import { type Lease, LIMITS, openPool, type SessionLimits } from './sessions/pool.ts';
import { promptAt, type Ran, runCommand } from './sessions/session.ts';

/** Maximum number of characters in all replies of one call. */
const MOST_OF_ALL = 64 * 1024 * 1024;

/** Commands that end a session: the device closing it afterwards is expected. */
const EXIT_COMMAND = /^\s*(?:exit|logout|quit|bye|end-session)\s*$/i;

/** Time for a device to stop after Ctrl-C, in milliseconds. */
const STOP_MS = 1000;

/** Options for sessions; plain data except for `insecure`. */
export type CliOptions = {
  /** ALLOW_PRIVATE_TARGETS */
  allowPrivateTargets: boolean;
  /** Drivers in addition to the built-in ones. */
  added?: readonly DriverData[] | undefined;
  limits?: Partial<SessionLimits> | undefined;
  /** Called for each connection to a host whose key is not checked. */
  insecure: (name: string) => void;
};

/**
 * Opens devices over SSH (contract/engines#cli-sessions) with their sessions in the calling thread; the service runs
 * them in a separate thread (`openCliInThread`).
 *
 * @throws InvalidDriver for an invalid added driver
 */
export function openCli({ allowPrivateTargets, added = [], limits, insecure }: CliOptions): CliPort {
  const drivers = compileDrivers([...DRIVERS, ...added]);
  const pool = openPool(
    { connect: openConnect({ allowPrivateTargets, insecure }), drivers },
    { ...LIMITS, ...limits },
  );
  const driverOf = ({ deviceType }: CliTarget) => {
    const driver = drivers.get(deviceType);
    if (!driver) throw unprocessable(`No driver exists for the device_type ${deviceType}`);
    return driver;
  };

  return {
    drivers: driverFacts(drivers),
    // Everything is loaded already.
    prepare: async () => undefined,

    async run(target, commands, { commandMs, signal, onResult, otherwise }) {
      const lease = await pool.take(target, driverOf(target), { signal });
      const run: CliRun = { result: [], session: factsOf(lease) };
      const report = (result: CommandResult) => {
        run.result.push(result);
        onResult?.(result);
      };
      let keep = false;
      try {
        await runAll({ lease, target, commands, commandMs, signal, otherwise }, run, report);
        keep = isAtFirstPrompt(lease) && run.result.every(({ status }) => status !== 'skipped');
        return run;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        throw withPartial(error, run);
      } finally {
        lease.release(keep);
      }
    },

    async probe(target, signal) {
      const lease = await pool.take(target, driverOf(target), { signal, fresh: true });
      const facts = { prompt: lease.session.prompt.text, session: factsOf(lease) };
      lease.release(true);
      return facts;
    },

    async close() {
      pool.close();
    },
  };
}

const factsOf = ({ facts, reused, queueMs }: Lease): SessionFacts => ({
  reused,
  ...facts,
  connect_ms: reused ? 0 : facts.connect_ms,
  queue_ms: rounded(queueMs),
});

/** Returns whether the session can be reused: it is at its initial prompt and not in another mode. */
const isAtFirstPrompt = ({ session }: Lease) =>
  session.prompt.isHome(promptAt(session)) && !session.terminal.isClosed();

const withPartial = (error: ServiceError, partial: CliRun) =>
  new ServiceError(error.code, error.message, { extra: { ...error.extra, partial }, headers: error.headers });

type CommandRun = {
  lease: Lease;
  target: CliTarget;
  commands: readonly string[];
  commandMs: number;
  signal: AbortSignal;
  otherwise?: readonly string[] | undefined;
};

async function runAll(
  { lease, target, commands, commandMs, signal, otherwise }: CommandRun,
  run: CliRun,
  report: (one: CommandResult) => void,
) {
  const { session } = lease;
  const where: FailureLocation = { name: target.name, stage: 'command' };
  let size = 0;
  for (const [index, command] of commands.entries()) {
    const ran = await runCommand(session, command, { ms: commandMs, signal });
    const before = run.result.at(-1);
    if (before && ran.late.length > 0) join(before, ran.late);
    const room = Math.max(0, MOST_OF_ALL - size);
    if (ran.output.length > room) Object.assign(ran, { output: ran.output.slice(0, room), truncated: true });
    size += ran.output.length;
    session.terminal.keepResults(size);
    const hasExited = ran.ended === 'closed' && EXIT_COMMAND.test(command);
    const hasEnded = ran.ended === 'prompt' || ran.ended === 'question' || hasExited;
    report(
      hasEnded ? resultOf(command, ran) : { ...resultOf(command, ran), status: 'incomplete', prompt: '' },
    );
    if (!hasEnded) throw await interrupted(lease, ran.ended, { where, command, index, commandMs });
    const isRejected = otherwise !== undefined && ran.rejection !== null;
    if (ran.ended === 'prompt' && !isRejected) continue;
    for (const skipped of commands.slice(index + 1)) report(skippedOf(skipped));
    if (ran.ended === 'question') session.terminal.write('\u0003');
    if (ran.ended === 'prompt' && otherwise) {
      const unreported = { result: [], session: null };
      await runAll({ lease, target, commands: otherwise, commandMs, signal }, unreported, () => undefined);
    }
    return;
  }
}

/** Returns the error for a command that did not end; one that may still run is stopped. */
async function interrupted(
  lease: Lease,
  ended: Ran['ended'],
  {
    where,
    command,
    index,
    commandMs,
  }: { where: FailureLocation; command: string; index: number; commandMs: number },
): Promise<ServiceError> {
  const excess = lease.session.terminal.excess();
  if (excess) return tooMuchOutput(where, excess);
  if (ended === 'closed') {
    const message = `the device ended the session during "${shown(command)}"`;
    return cliFailure(where, 'SESSION_LOST', message, { retryable: true });
  }
  await stop(lease);
  if (ended === 'aborted') return cliFailure(where, 'CANCELED', 'the call was canceled', { retryable: true });
  const message = `command ${index + 1} did not finish within ${commandMs} ms`;
  return cliFailure(where, 'COMMAND_TIMEOUT', message, { code: 'GATEWAY_TIMEOUT' });
}

/** Sends Ctrl-C and waits for the prompt for a short time; the session is closed in any case. */
async function stop({ session: { terminal, prompt } }: Lease) {
  terminal.write('\u0003');
  await terminal.wait((line) => (prompt.is(line) ? { kind: 'prompt' as const, quietMs: 20 } : null), {
    ms: STOP_MS,
  });
}

/** Appends late output to the result of the command that it belongs to, which was completed too early. */
function join(result: CommandResult, late: readonly string[]) {
  const [first = '', ...others] = late;
  const prompt = result.prompt;
  const lines = [`${prompt}${first}`, ...others].join('\n').trimEnd();
  result.output = result.output === '' ? lines : `${result.output}\n${lines}`;
  result.output_bytes = Buffer.byteLength(result.output);
}

const resultOf = (
  command: string,
  { ended, output, rejection, truncated, elapsedMs, line }: Ran,
): CommandResult => ({
  command,
  status: rejection === null && ended !== 'question' ? 'success' : 'failed',
  output,
  output_bytes: Buffer.byteLength(output),
  truncated,
  elapsed_ms: rounded(elapsedMs),
  prompt: line,
  failed_when: ended === 'question' ? 'INTERACTIVE_PROMPT' : rejection,
});

const skippedOf = (command: string): CommandResult => ({
  command,
  status: 'skipped',
  output: '',
  output_bytes: 0,
  truncated: false,
  elapsed_ms: 0,
  prompt: '',
  failed_when: null,
});

/** Returns the first word of a command; the others may contain a secret. */
const shown = (command: string) => command.trim().split(/\s+/, 1)[0] ?? '';
