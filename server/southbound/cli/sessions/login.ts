import type { Driver } from '../driver.ts';
import { authFailed, cliFailure, type FailureLocation, PASSWORD_EXPIRED } from '../failures.ts';
import { clockless, learnPrompt, looksLikePrompt, type Prompt } from '../reading/prompt.ts';
import {
  asksPassword,
  asksUsername,
  CHALLENGES,
  PAGERS,
  rejectsLogin,
  reportsExpiry,
  wantsNewPassword,
} from '../reading/questions.ts';
import type { Quiet } from '../reading/quiet-period.ts';
import type { Judgement, Terminal } from '../reading/terminal.ts';
import { lost } from './session.ts';

/** Time after which a line that looks like any device's prompt is accepted as one, in milliseconds. */
const ANY_PROMPT_MS = 1200;

/** The same time, where the device has not ended the line at which a newline was typed. */
const UNENDED_MS = 700;

/** Time after which a newline is sent to a silent device, in milliseconds. */
const NUDGE_MS = 2000;

/** Most bytes of banners before a prompt: a device that never stops would hold up the sessions with all others. */
const MOST_BEFORE_PROMPT = 4 * 1024 * 1024;

/** Maximum number of steps until a prompt is found. */
const STEPS = 30;

type LoginPrompt =
  | 'prompt'
  | 'any'
  | 'landing'
  | 'username'
  | 'password'
  | 'new-password'
  | 'challenge'
  | 'pager';

type As = { username: string; password: string | undefined };

/**
 * Answers a device's questions at login until it waits at its prompt. The prompt must be repeated after a newline,
 * because a banner may contain a line that looks like a prompt.
 *
 * @param ms time limit
 * @returns the prompt, and the line end that the device reads: that of the driver, or a carriage return if it ignores that
 * @throws ServiceError PROMPT_NOT_FOUND, DEVICE_AUTH_FAILED, SESSION_LOST
 */
export async function findPrompt(
  terminal: Terminal,
  quiet: Quiet,
  driver: Driver,
  { as, where, signal, ms }: { as: As; where: FailureLocation; signal: AbortSignal; ms: number },
): Promise<{ prompt: Prompt; enter: string }> {
  const until = performance.now() + ms;
  const isFlood = () => terminal.bytes() > MOST_BEFORE_PROMPT;
  let named = false;
  let passwordShown = false;
  let nudges = 0;
  let candidate: string | null = null;
  let { enter } = driver;
  /** Number of bytes received when the newline was sent. */
  let atNewline = 0;
  const found = (line: string, before: readonly string[] = []) => ({
    prompt: learnPrompt(driver, line, before),
    enter,
  });
  for (let step = 0; step < STEPS; ) {
    const left = until - performance.now();
    if (left <= 0) break;
    const startedAt = performance.now();
    const ended = await terminal.wait<LoginPrompt>(
      (line) => {
        // Closing the terminal ends the wait.
        if (isFlood()) terminal.close();
        const isAnswered = terminal.bytes() > atNewline;
        return judge(driver, { line, candidate, isAnswered, ended: terminal.lines().length > 0 }, quiet);
      },
      {
        ms: Math.min(left, nudges < 4 ? NUDGE_MS * (nudges + 1) : left),
        signal,
      },
    );
    const { line } = ended;
    if (isFlood())
      throw cliFailure(where, 'PROMPT_NOT_FOUND', 'the device sent more than 4 MiB before a prompt');
    if (ended.kind === 'aborted' || ended.kind === 'closed') {
      if (passwordShown && ended.kind === 'closed') throw authFailed(where);
      throw lost(where, ended.kind, ms);
    }
    if (passwordShown && terminal.lines().some((one) => rejectsLogin(one))) throw authFailed(where);
    step += 1;
    switch (ended.kind) {
      case 'timeout':
        // Some devices ignore an empty line although they wait at the prompt.
        if (candidate !== null && (isAgain(line, candidate) || (line.trim() === '' && nudges > 0))) {
          if (enter !== '\n') {
            enter = driver.enter;
            terminal.take();
            return found(candidate);
          }
          // Others read only the carriage return of a key.
          enter = '\r';
          terminal.write(enter);
          break;
        }
        nudges += 1;
        if (nudges < 4) terminal.write(enter);
        break;
      case 'pager':
        terminal.wipe();
        terminal.write(PAGERS.find(({ finds }) => finds(line))?.send ?? ' ');
        break;
      case 'new-password':
        throw authFailed(where, PASSWORD_EXPIRED);
      case 'username':
        if (named) throw authFailed(where);
        named = true;
        terminal.wipe();
        terminal.write(as.username + driver.enter);
        break;
      case 'password':
        // What is typed now may become the new password.
        if (terminal.lines().some((one) => reportsExpiry(one))) throw authFailed(where, PASSWORD_EXPIRED);
        if (passwordShown || as.password === undefined) throw authFailed(where);
        passwordShown = true;
        terminal.wipe();
        terminal.write(as.password + driver.enter);
        break;
      case 'challenge':
        terminal.wipe();
        terminal.write(answerTo(driver, line));
        break;
      case 'landing':
        terminal.take();
        candidate = null;
        terminal.wipe();
        terminal.write((driver.landing.find(({ finds }) => finds(line))?.send ?? '') + driver.enter);
        break;
      default:
        if (candidate !== null && isAgain(line, candidate)) {
          quiet.roundTrip(Math.max(0.1, terminal.heard() - startedAt));
          const before = terminal.take().lines;
          return found(line, before.slice(-3));
        }
        if (candidate !== null && isRepeated(line, candidate)) {
          terminal.take();
          return found(candidate);
        }
        candidate = line.trimEnd();
        terminal.take();
        atNewline = terminal.bytes();
        terminal.write(enter);
    }
  }
  throw cliFailure(
    where,
    'PROMPT_NOT_FOUND',
    `no prompt of ${driver.device_type} was found within ${Math.round(ms)} ms`,
  );
}

/** Returns a prompt without what differs each time: a counter of lines, a clock. */
const constantPart = (line: string) =>
  clockless(line)
    .trimEnd()
    .replace(/\.\d+(?= ?[>#]$)/, '');

/** Returns whether a line is the prompt that was shown before. */
const isAgain = (line: string, prompt: string) => constantPart(line) === constantPart(prompt);

/** Returns whether a line is a prompt twice or more: a device that echoes nothing does not end the line either. */
function isRepeated(line: string, prompt: string): boolean {
  const parts = line.split(prompt);
  // A single character repeated is a line of a banner.
  return prompt.length > 1 && parts.length > 2 && parts.every((part) => part.trim() === '');
}

/** The last line, the prompt to confirm, and whether anything, or the end of a line, came since the newline was sent. */
type At = { line: string; candidate: string | null; isAnswered: boolean; ended: boolean };

function judge(
  driver: Driver,
  { line, candidate, isAnswered, ended }: At,
  quiet: Quiet,
): Judgement<LoginPrompt> | null {
  if (line.trim() === '') return null;
  const settle = Math.max(20, quiet.ms());
  if (wantsNewPassword(line)) return { kind: 'new-password', quietMs: settle };
  if (asksPassword(line)) return { kind: 'password', quietMs: settle };
  if (asksUsername(line)) return { kind: 'username', quietMs: settle };
  if (driver.challenges.some(({ finds }) => finds(line)) || CHALLENGES.some(({ finds }) => finds(line))) {
    return { kind: 'challenge', quietMs: Math.max(settle, 50) };
  }
  if (PAGERS.some(({ finds }) => finds(line))) return { kind: 'pager', quietMs: Math.max(settle, 50) };
  if (driver.landing.some(({ finds }) => finds(line)))
    return { kind: 'landing', quietMs: Math.max(settle, 100) };
  const isPrompt = driver.isPrompt(clockless(line));
  // A banner may pause behind a character that ends prompts.
  if (candidate !== null && !isAnswered) return null;
  // A device may redraw its prompt before the line ends.
  if (candidate !== null && !ended)
    return isPrompt || looksLikePrompt(line) ? { kind: 'any', quietMs: UNENDED_MS } : null;
  if (isPrompt) return { kind: 'prompt', quietMs: candidate === null ? Math.max(settle, 30) : settle };
  return looksLikePrompt(line) ? { kind: 'any', quietMs: ANY_PROMPT_MS } : null;
}

function answerTo(driver: Driver, line: string): string {
  const own = driver.challenges.find(({ finds }) => finds(line))?.send;
  const send = own ?? CHALLENGES.find(({ finds }) => finds(line))?.send ?? 'enter';
  return send === 'enter' ? driver.enter : send.replace('\n', driver.enter);
}
