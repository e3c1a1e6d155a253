import type { Driver, KnownAnswer } from '../driver.ts';
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

/** Newlines after which a silent device is no longer sent another. */
const MOST_NUDGES = 4;

/** What a device waits for at login: a line of any device's prompt is `any`, a menu or a shell before the CLI `landing`. */
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

/** The progress of a login: what was sent to the device so far. */
type Progress = {
  isNamed: boolean;
  isPasswordSent: boolean;
  nudges: number;
  /** A line that may be the prompt: a newline was sent, after which a prompt is shown again. */
  candidate: string | null;
  /** Number of bytes received when that newline was sent. */
  bytesAtNewline: number;
  /** The line end that is sent. */
  enter: string;
};

/** What the device shows: its last line, the complete lines before that, and the number of bytes received. */
type Shown = { line: string; lines: readonly string[]; bytes: number };

/** What follows: text to send, of which none is a longer wait; the prompt; or the end of the login. */
type Step =
  | { kind: 'send'; text: string; progress: Progress; discards: 'nothing' | 'line' | 'lines' | 'both' }
  | { kind: 'found'; prompt: string; enter: string; isAnswer: boolean }
  | { kind: 'denied'; message?: string };

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
  let progress: Progress = {
    isNamed: false,
    isPasswordSent: false,
    nudges: 0,
    candidate: null,
    bytesAtNewline: 0,
    enter: driver.enter,
  };
  for (let steps = 0; steps < STEPS; steps += 1) {
    const startedAt = performance.now();
    const left = until - startedAt;
    if (left <= 0) break;
    const { kind, line } = await nextPrompt(terminal, { quiet, driver, progress, where, signal, ms, left });
    const shown = { line, lines: terminal.lines(), bytes: terminal.bytes() };
    const step = stepAfter(kind, shown, progress, { driver, as });
    if (step.kind === 'denied') throw authFailed(where, step.message);
    if (step.kind === 'found') {
      const { lines } = terminal.take();
      if (!step.isAnswer) return { prompt: learnPrompt(driver, step.prompt, []), enter: step.enter };
      quiet.roundTrip(Math.max(0.1, terminal.heard() - startedAt));
      return { prompt: learnPrompt(driver, step.prompt, lines.slice(-3)), enter: step.enter };
    }
    progress = step.progress;
    send(terminal, step);
  }
  throw cliFailure(
    where,
    'PROMPT_NOT_FOUND',
    `no prompt of ${driver.device_type} was found within ${Math.round(ms)} ms`,
  );
}

function send(terminal: Terminal, { text, discards }: Extract<Step, { kind: 'send' }>): void {
  if (discards === 'lines' || discards === 'both') terminal.take();
  if (discards === 'line' || discards === 'both') terminal.wipe();
  if (text !== '') terminal.write(text);
}

const isFlood = (terminal: Terminal) => terminal.bytes() > MOST_BEFORE_PROMPT;

type Waiting = {
  quiet: Quiet;
  driver: Driver;
  progress: Progress;
  where: FailureLocation;
  signal: AbortSignal;
  /** Time limit of the login, and what is left of it, in milliseconds. */
  ms: number;
  left: number;
};

/** Waits for a question or a prompt; `timeout` when the device was silent for so long that it is sent a newline. */
async function nextPrompt(
  terminal: Terminal,
  { quiet, driver, progress, where, signal, ms, left }: Waiting,
): Promise<{ kind: LoginPrompt | 'timeout'; line: string }> {
  const { candidate, bytesAtNewline, nudges, isPasswordSent } = progress;
  const { kind, line } = await terminal.wait<LoginPrompt>(
    (line) => {
      // Closing the terminal ends the wait.
      if (isFlood(terminal)) terminal.close();
      const isAnswered = terminal.bytes() > bytesAtNewline;
      return judge(driver, { line, candidate, isAnswered, ended: terminal.lines().length > 0 }, quiet);
    },
    { ms: nudges < MOST_NUDGES ? Math.min(left, NUDGE_MS * (nudges + 1)) : left, signal },
  );
  if (isFlood(terminal))
    throw cliFailure(where, 'PROMPT_NOT_FOUND', 'the device sent more than 4 MiB before a prompt');
  if (kind === 'closed' && isPasswordSent) throw authFailed(where);
  if (kind === 'aborted' || kind === 'closed') throw lost(where, kind, ms);
  return { kind, line };
}

/** Returns what follows when the device waits, or has been silent. */
function stepAfter(
  kind: LoginPrompt | 'timeout',
  shown: Shown,
  progress: Progress,
  { driver, as }: { driver: Driver; as: As },
): Step {
  const { line, lines } = shown;
  const answer = (text: string, changed: Partial<Progress> = {}): Step => ({
    kind: 'send',
    text,
    progress: { ...progress, ...changed },
    discards: 'line',
  });
  if (progress.isPasswordSent && lines.some(rejectsLogin)) return { kind: 'denied' };
  switch (kind) {
    case 'timeout':
      return stepAfterSilence(line, progress, driver);
    case 'pager':
      return answer(knownIn(PAGERS, line)?.send ?? ' ');
    case 'new-password':
      return { kind: 'denied', message: PASSWORD_EXPIRED };
    case 'username':
      if (progress.isNamed) return { kind: 'denied' };
      return answer(as.username + driver.enter, { isNamed: true });
    case 'password':
      // What is typed now may become the new password.
      if (lines.some(reportsExpiry)) return { kind: 'denied', message: PASSWORD_EXPIRED };
      if (progress.isPasswordSent || as.password === undefined) return { kind: 'denied' };
      return answer(as.password + driver.enter, { isPasswordSent: true });
    case 'challenge':
      return answer(answerTo(driver, line));
    case 'landing': {
      const text = knownIn(driver.landing, line)?.send ?? '';
      return {
        kind: 'send',
        text: text + driver.enter,
        progress: { ...progress, candidate: null },
        discards: 'both',
      };
    }
    default:
      return stepAtPrompt(shown, progress);
  }
}

/** Some devices ignore an empty line although they wait at the prompt; others read only the carriage return of a key. */
function stepAfterSilence(line: string, progress: Progress, driver: Driver): Step {
  const { candidate, nudges, enter } = progress;
  const send = (text: string, changed: Partial<Progress>): Step => ({
    kind: 'send',
    text,
    progress: { ...progress, ...changed },
    discards: 'nothing',
  });
  if (candidate !== null && (isAgain(line, candidate) || (line.trim() === '' && nudges > 0))) {
    return enter === '\n'
      ? send('\r', { enter: '\r' })
      : { kind: 'found', prompt: candidate, enter: driver.enter, isAnswer: false };
  }
  return send(nudges + 1 < MOST_NUDGES ? enter : '', { nudges: nudges + 1 });
}

/** A line that looks like a prompt is one when it is shown again after a newline. */
function stepAtPrompt({ line, bytes }: Shown, progress: Progress): Step {
  const { candidate, enter } = progress;
  if (candidate !== null && isAgain(line, candidate))
    return { kind: 'found', prompt: line, enter, isAnswer: true };
  if (candidate !== null && isRepeated(line, candidate))
    return { kind: 'found', prompt: candidate, enter, isAnswer: false };
  return {
    kind: 'send',
    text: enter,
    progress: { ...progress, candidate: line.trimEnd(), bytesAtNewline: bytes },
    discards: 'lines',
  };
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

/** Questions before the prompt, the most specific first, with the least time until one is accepted, in milliseconds. */
const QUESTIONS: readonly {
  kind: LoginPrompt;
  leastMs: number;
  asks: (line: string, driver: Driver) => boolean;
}[] = [
  { kind: 'new-password', leastMs: 20, asks: wantsNewPassword },
  { kind: 'password', leastMs: 20, asks: asksPassword },
  { kind: 'username', leastMs: 20, asks: asksUsername },
  {
    kind: 'challenge',
    leastMs: 50,
    asks: (line, driver) => (knownIn(driver.challenges, line) ?? knownIn(CHALLENGES, line)) !== undefined,
  },
  { kind: 'pager', leastMs: 50, asks: (line) => knownIn(PAGERS, line) !== undefined },
  {
    kind: 'landing',
    leastMs: 100,
    asks: (line, driver) => knownIn(driver.landing, line) !== undefined,
  },
];

function judge(
  driver: Driver,
  { line, candidate, isAnswered, ended }: At,
  quiet: Quiet,
): Judgement<LoginPrompt> | null {
  if (line.trim() === '') return null;
  const settle = Math.max(20, quiet.ms());
  const question = QUESTIONS.find(({ asks }) => asks(line, driver));
  if (question) return { kind: question.kind, quietMs: Math.max(settle, question.leastMs) };
  const isPrompt = driver.isPrompt(clockless(line));
  if (candidate === null) {
    if (isPrompt) return { kind: 'prompt', quietMs: Math.max(settle, 30) };
    return looksLikePrompt(line) ? { kind: 'any', quietMs: ANY_PROMPT_MS } : null;
  }
  // A banner may pause behind a character that ends prompts.
  if (!isAnswered) return null;
  // A device may redraw its prompt before the line ends.
  if (isPrompt && ended) return { kind: 'prompt', quietMs: settle };
  if (!isPrompt && !looksLikePrompt(line)) return null;
  return { kind: 'any', quietMs: ended ? ANY_PROMPT_MS : UNENDED_MS };
}

const knownIn = (known: readonly KnownAnswer[], line: string) => known.find(({ finds }) => finds(line));

function answerTo(driver: Driver, line: string): string {
  const send = (knownIn(driver.challenges, line) ?? knownIn(CHALLENGES, line))?.send ?? 'enter';
  return send === 'enter' ? driver.enter : send.replace('\n', driver.enter);
}
