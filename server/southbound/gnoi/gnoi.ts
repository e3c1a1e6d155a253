import { openKeyedSemaphore } from '#server/kernel/timing/keyed-semaphore.ts';
import type { CallStatus } from './calls.ts';
import type { Channels } from './channels.ts';
import { busy, canceled, statusFailed, tooSlow } from './failures.ts';
import { traceOf } from './hops.ts';
import type { CallOptions, GnoiPort, GnoiTarget } from './ports.ts';

/** Concurrent calls to one target, and calls that may wait for it (contract/engines#device-limits). */
const AT_ONCE = 4;
const LONGEST_LINE = 64;

/** gRPC status codes used here. */
const OK = 0;
const DEADLINE_EXCEEDED = 4;
const UNIMPLEMENTED = 12;
const UNAVAILABLE = 14;

type Calls = typeof import('./calls.ts');

/**
 * Opens gNOI targets over gRPC (contract/engines#gnoi, #gnoi-result).
 *
 * @param allowPrivateTargets whether loopback and link-local addresses may be reached
 */
export function openGnoi({ allowPrivateTargets }: { allowPrivateTargets: boolean }): GnoiPort {
  const turns = openKeyedSemaphore(LONGEST_LINE);
  let loaded: Promise<{ calls: Calls; channels: Channels }> | undefined;
  // Loaded on first use, because gRPC would slow down every start.
  const load = () => {
    loaded ??= Promise.all([import('./calls.ts'), import('./channels.ts')]).then(
      ([calls, { openChannels }]) => ({ calls, channels: openChannels({ allowPrivateTargets }) }),
    );
    return loaded;
  };

  /** Runs `work` on the target's channel when a slot is free, within the deadline. */
  const run = async <Value extends CallStatus>(
    target: GnoiTarget,
    { deadlineMs, signal }: CallOptions,
    work: (calls: Calls, client: Parameters<Calls['askTime']>[0], deadline: number) => Promise<Value>,
  ): Promise<Value> => {
    const deadline = Date.now() + deadlineMs;
    const { calls, channels } = await load();
    const left = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
    const end = await turns(target.name, AT_ONCE, left).catch(() => {
      throw signal.aborted ? canceled(target, 'queue') : tooSlow(target, 'queue', deadlineMs);
    });
    if (!end) throw busy(target);
    try {
      const ms = Math.max(1, deadline - Date.now());
      const value = await channels.use(target, signal, ms, (client) => work(calls, client, deadline));
      if (value.code === UNAVAILABLE) channels.drop(target);
      return value;
    } catch (error) {
      channels.drop(target);
      throw signal.aborted ? canceled(target, 'connect') : error;
    } finally {
      end();
    }
  };

  return {
    async traceroute(target, request, terms) {
      const { code, details, messages, truncated } = await run(target, terms, (calls, client, deadline) =>
        calls.streamTrace(client, target, request, { deadline, signal: terms.signal }),
      );
      const resultWith = (status: 'success' | 'partial') => ({
        status,
        code,
        key: target.name,
        result: traceOf(messages, request, { truncated }),
        responses: messages,
      });
      if (code === OK) return resultWith(truncated ? 'partial' : 'success');
      if (terms.signal.aborted) throw canceled(target, 'request');
      if (code === DEADLINE_EXCEEDED)
        throw tooSlow(target, 'request', terms.deadlineMs, resultWith('partial'));
      const partial = messages.length > 0 ? resultWith('partial') : undefined;
      throw statusFailed(target, { code, details }, [target.password], partial);
    },

    async time(target, terms) {
      const { code, details, time } = await run(target, terms, (calls, client, deadline) =>
        calls.askTime(client, target, { deadline, signal: terms.signal }),
      );
      if (code === OK) return BigInt(time);
      // UNIMPLEMENTED comes from a gNOI server without this method; any other server responds with HTTP only.
      if (code === UNIMPLEMENTED && !/HTTP status/i.test(details)) return null;
      if (terms.signal.aborted) throw canceled(target, 'request');
      if (code === DEADLINE_EXCEEDED) throw tooSlow(target, 'request', terms.deadlineMs);
      throw statusFailed(target, { code, details }, [target.password], undefined);
    },
  };
}
