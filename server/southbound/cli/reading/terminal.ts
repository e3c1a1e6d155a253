import type { OutputBudget } from './output-budget.ts';
import type { Quiet } from './quiet-period.ts';
import { nextReadTurn } from './read-turns.ts';
import { openScreen, type TakenLines } from './screen.ts';
import type { Wire } from './wire.ts';

/** The interpretation of the last line, and how long the line must be unchanged before it is accepted. */
export type Judgement<Kind> = { kind: Kind; quietMs: number };

/** Interprets the last line; null: the device is not waiting. It runs for every piece received, so it must be fast. */
type Judge<Kind> = (line: string) => Judgement<Kind> | null;

/** The result of waiting. */
export type WaitResult<Kind> =
  | { kind: Kind; line: string }
  | { kind: 'timeout' | 'closed' | 'aborted'; line: string };

/** Bytes of one reply that are read as they come; the rest is read in turn with the other sessions. */
const READ_AT_ONCE = 64 * 1024;

/** Maximum number of bytes in one reply, most of which is dropped: a device that sends more never stops. */
const MOST_RECEIVED = 64 * 1024 * 1024;

/** Time without output after which a device waits for the answer to its question for the terminal, in milliseconds. */
const ANSWER_MS = 30;

/** Most such answers between two texts that are sent: the questions may be part of an output. */
const MOST_ANSWERS = 8;

/** Why a session was ended for its output: it had too much itself, or most of that of all sessions. */
export type Excess = 'reply' | 'sessions';

/** The terminal of a device: reading, writing, and waiting for the device to wait. */
export type Terminal = {
  line: () => string;
  lines: () => readonly string[];
  take: () => TakenLines;
  wipe: () => void;
  learnLineEnd: () => void;
  write: (text: string) => void;
  /** Waits until the last line is unchanged and `judge` accepts it. */
  wait: <Kind extends string>(
    judge: Judge<Kind>,
    options: { ms: number; signal?: AbortSignal | undefined },
  ) => Promise<WaitResult<Kind>>;
  /** Returns when the last byte was received, by `performance.now`. */
  heard: () => number;
  bytes: () => number;
  isClosed: () => boolean;
  /** Returns why the terminal was closed for too much output; null if it was not. */
  excess: () => Excess | null;
  /** Sets the size of the results that the call holds, in bytes: they count as output of the session. */
  keepResults: (size: number) => void;
  close: () => void;
  /** Registers a listener for unexpected output and for the end of the connection. */
  onStray: (listener: () => void) => void;
};

/**
 * Opens a terminal on a connection. It sends text, and waits until the screen shows an expected line.
 *
 * @param most maximum number of characters kept of one reply
 * @param budget memory for the output of all sessions
 */
export function openTerminal(wire: Wire, quiet: Quiet, most: number, budget: OutputBudget): Terminal {
  const screen = openScreen(most);
  let heard = performance.now();
  let bytes = 0;
  let wrote = 0;
  let answering = false;
  let closed = false;
  let awaken: (() => void) | null = null;
  let stray: () => void = () => undefined;
  let taken = 0;
  let isPaused = false;
  let excess: Excess | null = null;
  let answers = 0;
  let asked: NodeJS.Timeout | undefined;

  /** Answers as a terminal does, where the device waits: a text with such a question in it goes on at once. */
  const answerLater = () => {
    clearTimeout(asked);
    if (!screen.isAsked() || answers === MOST_ANSWERS) return;
    asked = setTimeout(() => {
      if (closed || !awaken) return;
      answers += 1;
      wire.write(screen.takeAnswer());
    }, ANSWER_MS);
  };

  const giveUp = (reason: Excess) => {
    excess = reason;
    if (reason === 'sessions') screen.take();
    wire.close();
  };
  const share = budget.open(() => giveUp('sessions'));
  const resume = () => {
    isPaused = false;
    wire.resume();
  };

  wire.onData((piece) => {
    const now = performance.now();
    if (answering) quiet.gap(now - heard);
    else if (wrote > 0) quiet.roundTrip(now - wrote);
    answering = true;
    heard = now;
    bytes += piece.length;
    if (excess) return;
    screen.feed(piece);
    answerLater();
    share.pending(screen.held());
    if (excess) return;
    const received = bytes - taken;
    if (received > MOST_RECEIVED) return giveUp('reply');
    if (received > READ_AT_ONCE && !isPaused) {
      isPaused = true;
      wire.pause();
      nextReadTurn(resume);
    }
    if (awaken) awaken();
    else stray();
  });
  wire.onClose(() => {
    closed = true;
    clearTimeout(asked);
    share.close();
    if (awaken) awaken();
    else stray();
  });

  return {
    line: screen.line,
    lines: screen.lines,
    take() {
      taken = bytes;
      share.pending(0);
      return screen.take();
    },
    wipe: screen.wipe,
    learnLineEnd: screen.learnLineEnd,
    write(text) {
      clearTimeout(asked);
      answers = 0;
      answering = false;
      wrote = performance.now();
      wire.write(text);
    },
    wait: <Kind extends string>(
      judge: Judge<Kind>,
      { ms, signal }: { ms: number; signal?: AbortSignal | undefined },
    ) =>
      new Promise<WaitResult<Kind>>((resolve) => {
        let timer: NodeJS.Timeout | undefined;
        let since = 0;
        const done = (ended: WaitResult<Kind>) => {
          clearTimeout(timer);
          clearTimeout(limit);
          signal?.removeEventListener('abort', aborted);
          awaken = null;
          resolve(ended);
        };
        const aborted = () => done({ kind: 'aborted', line: screen.line() });
        const look = () => {
          clearTimeout(timer);
          since += 1;
          const judged = judge(screen.line());
          if (judged) {
            const left = judged.quietMs - (performance.now() - heard);
            timer = setTimeout(believe, Math.max(1, left), judged.kind, since);
          } else if (closed) done({ kind: 'closed', line: screen.line() });
        };
        const believe = (kind: Kind, at: number) => {
          // Data already in the socket is read before the line is accepted.
          setImmediate(() => {
            if (at !== since || !awaken) return;
            // Its turn to read has not come: the device may have sent more.
            if (isPaused) timer = setTimeout(believe, 1, kind, at);
            else done({ kind, line: screen.line() });
          });
        };
        const limit = setTimeout(() => done({ kind: 'timeout', line: screen.line() }), ms);
        awaken = look;
        if (signal?.aborted) return aborted();
        signal?.addEventListener('abort', aborted, { once: true });
        look();
      }),
    heard: () => heard,
    bytes: () => bytes,
    isClosed: () => closed,
    excess: () => excess,
    keepResults: share.results,
    close: wire.close,
    onStray: (listener) => {
      stray = listener;
    },
  };
}
