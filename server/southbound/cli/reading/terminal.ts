import type { Quiet } from './quiet-period.ts';
import { openScreen, type TakenLines } from './screen.ts';
import type { Wire } from './wire.ts';

/** What the last line is taken for, and how long it must stand before that is believed. */
export type Judgement<Kind> = { kind: Kind; quietMs: number };

/** Judges the last line; null: the device is not waiting. Called with each piece that comes, so it must be quick. */
type Judge<Kind> = (line: string) => Judgement<Kind> | null;

/** How waiting ended. */
export type WaitResult<Kind> =
  | { kind: Kind; line: string }
  | { kind: 'timeout' | 'closed' | 'aborted'; line: string };

/** A device's terminal: what is read there, and waiting until the device does. */
export type Terminal = {
  line: () => string;
  lines: () => readonly string[];
  take: () => TakenLines;
  wipe: () => void;
  write: (text: string) => void;
  /** Wait until the last line stands still and is judged to be something. */
  wait: <Kind extends string>(
    judge: Judge<Kind>,
    options: { ms: number; signal?: AbortSignal | undefined },
  ) => Promise<WaitResult<Kind>>;
  /** When the last byte came, and when we last wrote, by `performance.now`. */
  heard: () => number;
  bytes: () => number;
  isClosed: () => boolean;
  close: () => void;
  /** Told of bytes that nobody waits for, and of the end. */
  onStray: (listener: () => void) => void;
};

/** @param most characters of one answer */
export function openTerminal(wire: Wire, quiet: Quiet, most: number): Terminal {
  const screen = openScreen(most);
  let heard = performance.now();
  let bytes = 0;
  let wrote = 0;
  let answering = false;
  let closed = false;
  let awaken: (() => void) | null = null;
  let stray: () => void = () => undefined;

  wire.onData((piece) => {
    const now = performance.now();
    if (answering) quiet.gap(now - heard);
    else if (wrote > 0) quiet.roundTrip(now - wrote);
    answering = true;
    heard = now;
    bytes += piece.length;
    screen.feed(piece);
    if (awaken) awaken();
    else stray();
  });
  wire.onClose(() => {
    closed = true;
    if (awaken) awaken();
    else stray();
  });

  return {
    line: screen.line,
    lines: screen.lines,
    take: screen.take,
    wipe: screen.wipe,
    write(text) {
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
          // What lies in the socket already is read before it is believed that nothing came.
          setImmediate(() => {
            if (at === since && awaken) done({ kind, line: screen.line() });
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
    close: wire.close,
    onStray: (listener) => {
      stray = listener;
    },
  };
}
