import { profileOf } from '../algorithms.ts';
import type { Driver } from '../driver.ts';
import { type FailureLocation, tooMuchOutput } from '../failures.ts';
import type { CliTarget, SessionFacts } from '../ports.ts';
import { detect } from '../reading/detect.ts';
import type { OutputBudget } from '../reading/output-budget.ts';
import { openQuiet } from '../reading/quiet-period.ts';
import { openTerminal } from '../reading/terminal.ts';
import type { Connect } from './connect.ts';
import { findPrompt } from './login.ts';
import { enable, prepare, type Session } from './session.ts';

/** Maximum number of characters in one reply; the rest is dropped, and the reply is marked as truncated. */
export const MOST_OUTPUT = 8 * 1024 * 1024;

/** A session at its prompt. */
export type OpenSession = { session: Session; facts: Omit<SessionFacts, 'reused' | 'queue_ms'> };

/** What sessions are made with: every driver by device type, and the memory for the output of all sessions. */
export type SessionParts = {
  connect: Connect;
  drivers: ReadonlyMap<string, Driver>;
  budget: OutputBudget;
};

/**
 * Connects, authenticates, finds the prompt, raises the privilege level and disables the pager.
 *
 * @returns the session, ready for commands
 * @throws ServiceError with the stage that failed; the connection is closed then
 */
export async function openSession(
  { connect, drivers, budget }: SessionParts,
  target: CliTarget,
  driver: Driver,
  signal: AbortSignal,
): Promise<OpenSession> {
  const began = performance.now();
  const left = () => Math.max(1, target.connectMs - (performance.now() - began));
  const { rows, loginSuffix } = driver;
  const wire = await connect(target, { rows, loginSuffix, signal, ms: target.connectMs });
  const where: FailureLocation = { name: target.name, stage: 'login' };
  const quiet = openQuiet();
  const terminal = openTerminal(wire, quiet, MOST_OUTPUT, budget);
  try {
    const as = { username: target.username, password: target.password };
    const { prompt, enter } = await findPrompt(terminal, quiet, driver, { as, where, signal, ms: left() });
    terminal.learnLineEnd();
    const withEnter = (one: Driver) => (enter === driver.enter ? one : { ...one, enter });
    const session: Session = {
      terminal,
      quiet,
      driver: withEnter(driver),
      prompt,
      echoes: false,
      count: 0,
    };
    if (driver.device_type === 'autodetect') {
      const { ident, banner } = wire.facts;
      const detected = await detect(session, drivers, { ident, banner }, signal);
      if (detected) session.driver = withEnter(detected);
    }
    if (target.enablePassword !== undefined) {
      await enable(session, target.enablePassword, target.username, where, signal);
    }
    await prepare(session, where, signal);
    session.count = 0;
    const { algorithms, hostKey } = wire.facts;
    return {
      session,
      facts: {
        connect_ms: rounded(performance.now() - began),
        device_type: session.driver.device_type,
        algorithms: { profile: profileOf(algorithms), ...algorithms },
        host_key: hostKey,
      },
    };
  } catch (error) {
    terminal.close();
    const excess = terminal.excess();
    if (excess) throw tooMuchOutput(where, excess);
    throw error;
  }
}

/** Returns milliseconds, rounded to two decimals. @param ms milliseconds */
export const rounded = (ms: number) => Math.round(ms * 100) / 100;
