import type { Driver } from '../driver.ts';
import { cliFailure, connectTimeout, type FailureLocation } from '../failures.ts';
import { clockless, isProgress, learnPrompt, looksLikePrompt, type Prompt } from '../reading/prompt.ts';
import { asksPassword, isQuestion, mayPage, PAGERS } from '../reading/questions.ts';
import type { Quiet } from '../reading/quiet-period.ts';
import { isPromptWith, type Reply, replyOf } from '../reading/reply.ts';
import type { Judgement, Terminal, WaitResult } from '../reading/terminal.ts';

/** Time after which an unanswered question ends the command, in milliseconds. */
const QUESTION_MS = 1000;

/** Time to wait for the echo of a device that usually echoes, in milliseconds. */
const ECHO_MS = 1000;

/** Lines in which an echo is looked for; every piece received is looked at, so that more would cost too much. */
const MOST_BEFORE_ECHO = 2000;

/** Time after which a line that looks like a prompt, but is not the known one, is accepted, in milliseconds. */
const OTHER_PROMPT_MS = 1500;

/**
 * The same time for a line that is less likely a prompt: one behind many lines, since a command that changes the prompt
 * says little, or one that is no prompt of this kind of device.
 */
const UNLIKELY_PROMPT_MS = 6000;

/** Number of lines behind which a prompt other than the known one is unlikely. */
const MANY_LINES = 20;

/** Time limit for a command that prepares the session, in milliseconds. */
const OWN_MS = 10_000;

/** Maximum quiet time before a pager is answered, in milliseconds; answering too early does no harm. */
const PAGER_MS = 20;

/** Maximum number of pages in one reply. */
const PAGES = 100_000;

/** An open session: its terminal, driver and prompt. */
export type Session = {
  terminal: Terminal;
  quiet: Quiet;
  driver: Driver;
  prompt: Prompt;
  /** Whether the device echoes commands, learned from the first ones. */
  echoes: boolean;
  /** Number of commands that were run. */
  count: number;
  /** The prompt after the last command, without the end of its output on the same line. */
  lastPrompt?: string;
};

/** The reply to a command, and how it ended. */
export type Ran = Reply & {
  ended: 'prompt' | 'question' | 'timeout' | 'closed' | 'aborted';
  line: string;
  truncated: boolean;
  bytes: number;
  elapsedMs: number;
};

type SessionPrompt = 'prompt' | 'question' | 'pager' | 'answer';

/**
 * Runs a command and waits for the prompt; pagers are answered.
 *
 * @param command one line, without a line end
 * @param answers questions to answer; any other question ends the command
 */
export async function runCommand(
  session: Session,
  command: string,
  { ms, signal, answers = [] }: { ms: number; signal?: AbortSignal; answers?: Driver['challenges'] },
): Promise<Ran> {
  const { terminal, quiet, driver, prompt } = session;
  terminal.take();
  const typed = terminal.line();
  const own = promptAt(session).trimEnd();
  quiet.begin();
  const began = performance.now();
  const bytesBefore = terminal.bytes();
  terminal.write(command + driver.enter);
  session.count += 1;
  const ended = await awaitEnd(session, { typed, own, command, answers }, began + ms, signal);
  const elapsedMs = Math.max(
    0,
    (terminal.bytes() > bytesBefore ? terminal.heard() : performance.now()) - began,
  );
  const { lines, truncated } = terminal.take();
  const isOver = ended.kind === 'prompt';
  // Text not followed by a prompt belongs to the reply.
  const all =
    isOver || ended.line === '' || (lines.length === 0 && ended.line === typed)
      ? lines
      : [...lines, ended.line];
  const left = isOver ? beforePrompt(session, own, ended.line) : '';
  const shown = ended.kind === 'question' ? lines : left === '' ? all : [...all, left];
  const reply = replyOf(driver, prompt, withFirst(shown, typed), typed, command);
  if (isOver && reply.echoed) session.echoes = true;
  if (isOver) session.lastPrompt = left === '' ? ended.line.trimEnd() : own;
  return {
    ...reply,
    ended: ended.kind === 'pager' ? 'question' : ended.kind,
    line: left === '' ? ended.line.trim() : own.trim(),
    truncated: truncated || terminal.excess() !== null,
    bytes: terminal.bytes() - bytesBefore,
    elapsedMs,
  };
}

/** Waits until a command has ended; pagers and the expected questions are answered. @param until by `performance.now` */
async function awaitEnd(
  session: Session,
  sent: Omit<At, 'line'>,
  until: number,
  signal: AbortSignal | undefined,
): Promise<WaitResult<'prompt' | 'question' | 'pager'>> {
  const { terminal, driver } = session;
  for (let pages = 0; ; ) {
    const { kind, line } = await terminal.wait((text) => judge(session, { line: text, ...sent }), {
      ms: Math.max(1, until - performance.now()),
      signal,
    });
    if (kind === 'pager' && pages < PAGES) {
      pages += 1;
      terminal.wipe();
      terminal.write(pagerIn(driver, line)?.send ?? ' ');
    } else if (kind === 'answer') terminal.write(sent.answers.find(({ finds }) => finds(line))?.send ?? '\n');
    else return { kind, line };
  }
}

/** Returns the text before the prompt on its line: a shell adds no line end if a program's output has none. */
function beforePrompt({ prompt }: Session, own: string, line: string): string {
  const text = line.trimEnd();
  return own !== '' && !prompt.is(line) && text.endsWith(own) ? text.slice(0, text.length - own.length) : '';
}

/** Returns the prompt at which the device waits, without text before it that belongs to the last output. */
export function promptAt({ terminal, lastPrompt }: Session): string {
  const line = terminal.line();
  return lastPrompt && line.trimEnd().endsWith(lastPrompt) ? lastPrompt : line;
}

/** Returns the line at which the command was typed if nothing was received. */
const withFirst = (lines: readonly string[], typed: string) => (lines.length === 0 ? [typed] : lines);

/** Returns the pager that waits in a line; one of the driver comes first. */
const pagerIn = (driver: Driver, line: string): { send: string; quiet?: number } | undefined =>
  driver.pagers.find(({ finds }) => finds(line)) ?? PAGERS.find(({ finds }) => finds(line));

type At = { line: string; typed: string; own: string; command: string; answers: Driver['challenges'] };

function judge(
  session: Session,
  { line, typed, own, command, answers }: At,
): Judgement<SessionPrompt> | null {
  const { terminal, quiet, driver, prompt, echoes } = session;
  const lines = terminal.lines();
  const text = line.trim();
  if (text === '') return null;
  const pager = pagerIn(driver, line);
  if (pager) return { kind: 'pager', quietMs: Math.max(Math.min(quiet.ms(), PAGER_MS), pager.quiet ?? 0) };
  const candidate = lines.length > 0 ? line : afterTyped(line, typed);
  if (candidate !== null && prompt.is(candidate)) {
    const awaitsEcho =
      echoes && lines.length <= MOST_BEFORE_ECHO && !replyOf(driver, prompt, lines, typed, command).echoed;
    return { kind: 'prompt', quietMs: awaitsEcho ? ECHO_MS : quiet.ms() };
  }
  if (lines.length === 0 && (line === typed || isPromptWith(prompt, line, command))) return null;
  if (answers.some(({ finds }) => finds(line))) return { kind: 'answer', quietMs: quiet.ms() };
  if (isQuestion(line) || asksPassword(line)) return { kind: 'question', quietMs: QUESTION_MS };
  if (mayPage(line)) return { kind: 'pager', quietMs: OTHER_PROMPT_MS };
  if (lines.length > 0 && !isProgress(line) && (driver.isPrompt(line) || looksLikePrompt(line)))
    return { kind: 'prompt', quietMs: otherPromptMs(session, line, own) };
  return null;
}

/** Returns what follows the typed line, of a device that sends neither an echo nor a line end first; null: nothing does. */
const afterTyped = (line: string, typed: string): string | null =>
  line.length > typed.length && line.startsWith(typed) ? line.slice(typed.length) : null;

/** Returns how long a line must stay until it counts as another prompt: the longer, the less it looks like one. */
function otherPromptMs({ terminal, quiet, driver }: Session, line: string, own: string): number {
  if (own.length > 3 && line.trimEnd().endsWith(own)) return Math.max(50, quiet.ms());
  const isLikely = terminal.lines().length <= MANY_LINES && driver.isPrompt(clockless(line));
  return isLikely ? OTHER_PROMPT_MS : UNLIKELY_PROMPT_MS;
}

/**
 * Runs the driver's preparing commands. Their result does not matter, but each must return to the prompt.
 *
 * @throws ServiceError when a command does not return to the prompt in time, or the session ends
 */
export async function prepare(session: Session, where: FailureLocation, signal: AbortSignal): Promise<void> {
  for (const { send, answers } of session.driver.prepare) {
    const { ended } = await runCommand(session, send, { ms: OWN_MS, signal, answers });
    if (ended === 'question') await breakOff(session);
    else if (ended !== 'prompt') throw lost(where, ended, OWN_MS);
  }
}

/** Returns what a device asks for while it raises the privilege level. @param typed the line before the command */
function judgeEnable(
  { terminal, driver, prompt }: Session,
  line: string,
  typed: string,
): Judgement<'password' | 'username' | 'prompt'> | null {
  if (asksPassword(line)) return { kind: 'password', quietMs: 20 };
  if (/(?:user ?name|user|login)\s*:\s*$/i.test(line)) return { kind: 'username', quietMs: 20 };
  const hasAnswered = line !== typed || terminal.lines().length > 0;
  const isPrompt = hasAnswered && (driver.isPrompt(clockless(line)) || prompt.is(line));
  return isPrompt ? { kind: 'prompt', quietMs: 50 } : null;
}

/** Leaves a question with Ctrl-C and waits for the prompt. */
async function breakOff({ terminal, prompt }: Session): Promise<void> {
  terminal.write('\u0003');
  await terminal.wait((line) => (prompt.is(line) ? { kind: 'prompt', quietMs: 50 } : null), { ms: 2000 });
}

/**
 * Raises the privilege level, if the driver supports that and the prompt is unprivileged.
 *
 * @param secret what the device asks for
 * @throws ServiceError with `reason` ENABLE_FAILED when the device rejects the secret; the error of `lost` when the
 *   session ends
 */
export async function enable(
  session: Session,
  secret: string,
  username: string,
  where: FailureLocation,
  signal: AbortSignal,
): Promise<void> {
  const { terminal, driver } = session;
  if (!driver.enable || !driver.isUnprivileged(session.prompt.text)) return;
  const failed = () =>
    cliFailure(where, 'ENABLE_FAILED', 'the device rejects the secret that raises the privilege level');
  terminal.take();
  const typed = terminal.line();
  terminal.write(driver.enable + driver.enter);
  let shown = false;
  for (let step = 0; step < 4; step++) {
    const ended = await terminal.wait((line) => judgeEnable(session, line, typed), { ms: OWN_MS, signal });
    if (ended.kind === 'username') {
      terminal.wipe();
      terminal.write(username + driver.enter);
    } else if (ended.kind === 'password') {
      if (shown) throw failed();
      shown = true;
      terminal.wipe();
      terminal.write(secret + driver.enter);
    } else if (ended.kind === 'prompt') {
      // An unknown kind of device may not have privilege levels.
      if (!shown && GENERIC_DRIVERS.has(driver.device_type)) return;
      const prompt = learnPrompt(driver, ended.line);
      if (driver.isUnprivileged(prompt.text.trim())) throw failed();
      session.prompt = prompt;
      return;
    } else throw ended.kind === 'timeout' ? failed() : lost(where, ended.kind, OWN_MS);
  }
  throw failed();
}

/** Drivers for unknown kinds of devices. */
const GENERIC_DRIVERS = new Set(['generic', 'autodetect']);

/**
 * Returns the error for a session that ended unexpectedly.
 *
 * @param ended how the wait for a prompt ended: `timeout`, `aborted` or `closed`
 * @param ms time waited, in milliseconds
 */
export function lost(where: FailureLocation, ended: string, ms: number) {
  if (ended === 'timeout') return connectTimeout(where, ms);
  if (ended === 'aborted') return cliFailure(where, 'CANCELED', 'the call was canceled', { retryable: true });
  return cliFailure(where, 'SESSION_LOST', 'the device ended the session', { retryable: true });
}
