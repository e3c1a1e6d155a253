import type { Message } from './frames.ts';
import type { PackageProcess } from './package-process.ts';
import type { PackageCall, PackageFailure, PackageFailureReason, PackageOutcome } from './ports.ts';
import { outcomeOf } from './replies.ts';

/** A call from its arrival to its end, which may come before its reply. */
type Pending = {
  n: number;
  call: PackageCall;
  /** The process that it was sent to; null: it waits. */
  on: Live | null;
  /** Ends the call; later ends are ignored. */
  end: (outcome: PackageOutcome) => void;
};

/** A process that lives. */
export type Live = {
  process: PackageProcess;
  ready: boolean;
  /** It ends after its calls. */
  draining: boolean;
  pending: Map<number, Pending>;
  /** Calls that ended before their reply. */
  late: Set<number>;
};

/** Limits of calls; times in milliseconds. */
export type CallLimits = {
  call: number;
  inFlight: number;
  waiting: number;
  /** Time-outs in a row after which the process is replaced. */
  timeouts: number;
};

export const CALL_LIMITS: CallLimits = { call: 120_000, inFlight: 10, waiting: 1000, timeouts: 5 };

/** Most calls of one process whose replies may still come: older ones will not. */
const MOST_LATE = 1000;

type Options = {
  limits: CallLimits;
  /** Returns the process that calls are sent to. */
  current: () => Live | null;
  failure: (reason: PackageFailureReason, message: string, begun?: boolean) => PackageFailure;
  mask: (text: string) => string;
  /** Returns why no process lives, for calls that waited in vain. */
  detail: () => string | null;
  /** Called when a call has ended. */
  onSettled: () => void;
  /** Called when so many calls in a row had no result. */
  onNoResults: (on: Live) => void;
};

export type CallQueue = ReturnType<typeof openCallQueue>;

/**
 * Opens the queue of one instance's calls: in order of arrival, as many in flight as its process may have.
 *
 * @returns functions that add calls, send those that wait, and pass on the messages and the end of the process
 */
export function openCallQueue({ limits, current, failure, mask, detail, onSettled, onNoResults }: Options) {
  const waiting: Pending[] = [];
  let lastN = 0;
  let timeouts = 0;
  let dropped = 0;

  /** Sends what waits, as far as calls in flight allow. */
  const pump = () => {
    const to = current();
    if (!to?.ready || to.draining) return;
    while (to.pending.size < limits.inFlight) {
      const next = waiting.shift();
      if (!next) return;
      const { n, call } = next;
      const absent = call.args.flatMap((value, index) => (value === undefined ? [index] : []));
      if (to.process.trySend({ type: 'call', n, method: call.method, args: call.args, absent })) {
        to.pending.set(n, next);
        next.on = to;
      } else next.end({ failure: failure('UNSENDABLE', `the arguments of ${call.method} are not JSON`) });
    }
  };

  /** Frees the place of a call that was sent. */
  const release = (one: Live, n: number) => {
    one.pending.delete(n);
    if (one.draining && one.pending.size === 0) one.process.kill('it was replaced');
    pump();
    onSettled();
  };

  /** Ends a call before its reply. */
  const abandon = (pending: Pending, reason: PackageFailureReason, message: string) => {
    const { n, on, end } = pending;
    const at = waiting.indexOf(pending);
    if (at >= 0) waiting.splice(at, 1);
    end({ failure: failure(reason, message, on !== null) });
    if (!on?.pending.has(n)) return;
    if (on.late.size < MOST_LATE) on.late.add(n);
    release(on, n);
  };

  const expire = (pending: Pending, ms: number) => {
    const { on, call } = pending;
    const why = on === null && detail() !== null ? ` (${detail()})` : '';
    abandon(pending, 'CALL_TIMEOUT', `no result of ${call.method} within ${ms} ms${why}`);
    if (on === null || on !== current()) return;
    timeouts += 1;
    if (timeouts < limits.timeouts) return;
    timeouts = 0;
    onNoResults(on);
  };

  return {
    pump,
    /** Adds a call; the caller then starts a process or pumps. */
    add: (call: PackageCall): Promise<PackageOutcome> => {
      if (call.signal?.aborted)
        return Promise.resolve({ failure: failure('CANCELLED', 'the call was cancelled') });
      if (waiting.length >= limits.waiting) {
        const message = `${limits.waiting} calls wait already`;
        return Promise.resolve({ failure: failure('TOO_MANY_REQUESTS', message) });
      }
      const ms = call.timeoutMs ?? limits.call;
      return new Promise<PackageOutcome>((resolve) => {
        lastN += 1;
        const cancel = () => abandon(pending, 'CANCELLED', 'the call was cancelled');
        const late = setTimeout(() => expire(pending, ms), ms);
        const pending: Pending = {
          n: lastN,
          call,
          on: null,
          end: (outcome) => {
            clearTimeout(late);
            call.signal?.removeEventListener('abort', cancel);
            resolve(outcome);
          },
        };
        call.signal?.addEventListener('abort', cancel, { once: true });
        waiting.push(pending);
      });
    },
    /** Ends the call that a reply belongs to. Nothing is known of the reply: the package may have sent it. */
    answer: (from: Live, reply: Message) => {
      const n = typeof reply.n === 'number' ? reply.n : -1;
      const pending = from.pending.get(n);
      if (from.late.delete(n)) dropped += 1;
      if (!pending) return;
      timeouts = 0;
      pending.end(outcomeOf(reply, pending.call, failure, mask));
      release(from, n);
    },
    /** Ends what waits. */
    failWaiting: (failed: PackageFailure) => {
      for (const { end } of waiting.splice(0)) end({ failure: failed });
    },
    /** Ends what was sent to a process. */
    endAll: (one: Live, failed: PackageFailure) => {
      for (const { end } of one.pending.values()) end({ failure: failed });
      one.pending.clear();
    },
    waiting: () => waiting.length,
    dropped: () => dropped,
  };
}
