import type { Logger } from 'pino';
import { secretMask } from '#server/kernel/secrets/secret-texts.ts';
import { CALL_LIMITS, type CallLimits, type Live, openCallQueue } from './call-queue.ts';
import type { Egress } from './egress.ts';
import type { Launcher } from './launch.ts';
import { PROCESS_LIMITS, type ProcessLimits, startProcess } from './package-process.ts';
import type {
  PackageCall,
  PackageFailure,
  PackageFailureReason,
  PackageInstance,
  PackageOutcome,
  PackageState,
} from './ports.ts';
import { openRecentLines, type PackageLine } from './recent-lines.ts';
import { connectionOf, idleMsOf, packageFault, usernameOf } from './replies.ts';
import { RESTARTS, restartDelay } from './restarts.ts';

/** Limits of an instance; times in milliseconds. */
export type InstanceLimits = ProcessLimits &
  CallLimits & {
    /** Time without a call after which the process is ended. */
    idle: number;
  };

export const INSTANCE_LIMITS: InstanceLimits = { ...PROCESS_LIMITS, ...CALL_LIMITS, idle: 15 * 60_000 };

/** What an instance needs of its surroundings. */
type InstanceDependencies = {
  launcher: Launcher;
  egress: Egress;
  runtime: string;
  isGuarded: boolean;
  limits: InstanceLimits;
  log: Logger;
  /** Called when the state of the system behind it changed, or the process died. */
  onState: (state: PackageState) => void;
};

/** One instance of a package in this process of the service: its process, its calls, its deaths. */
export type Instance = {
  call: (call: PackageCall) => Promise<PackageOutcome>;
  start: (instance: PackageInstance) => Promise<PackageFailure | null>;
  stop: () => void;
  state: () => PackageState;
  startedAt: () => Date | null;
  /** Returns the last lines of its log, oldest first. */
  lines: () => readonly PackageLine[];
  /** Refuses further calls, lets those in flight end, and ends the process. */
  close: (graceMs: number) => Promise<void>;
};

/** Returns an adapter of a package, which is not started yet. */
export function openInstance(context: InstanceDependencies): Instance {
  const { limits, log } = context;
  const deaths: number[] = [];
  const recent = openRecentLines();
  const starts = new Set<(failure: PackageFailure | null) => void>();
  let spec: PackageInstance | null = null;
  let specKey = '';
  let mask = (text: string) => text;
  let live: Live | null = null;
  let connection: PackageState['connection'] = 'UNKNOWN';
  let detail: string | null = null;
  /** The package does not load: calls are rejected until this time. */
  let rejection: { message: string; until: number } | null = null;
  let timer: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;
  let isStarting = false;
  let level = log.level;
  let closing = false;

  const failure = (reason: PackageFailureReason, message: string, begun = false): PackageFailure => ({
    reason,
    message: `${spec?.instance ?? 'the adapter'}: ${message}`,
    begun,
  });

  /** Ends the process once nothing was called for a while. */
  const settle = () => {
    clearTimeout(idle);
    const one = live;
    const ms = idleMsOf(spec?.properties) ?? limits.idle;
    if (!one || one.pending.size > 0 || calls.waiting() > 0 || ms === 0) return;
    idle = setTimeout(() => {
      log.info('the process of the adapter was idle, and was ended');
      retire(one, 'it was idle');
    }, ms);
    idle.unref();
  };

  /** Ends a process that is no longer wanted: no death of the package's. */
  const retire = (one: Live, reason: string) => {
    if (live === one) live = null;
    connection = 'UNKNOWN';
    one.draining = true;
    one.process.kill(reason);
  };

  /** Lets the calls of a process end; its successor handles the next ones. */
  const drain = (one: Live) => {
    if (one.pending.size === 0) return retire(one, 'it was replaced');
    if (live === one) live = null;
    one.draining = true;
  };

  const calls = openCallQueue({
    limits,
    failure,
    current: () => live,
    mask: (text) => mask(text),
    detail: () => (live ? null : detail),
    onSettled: settle,
    onNoResults: (on) => {
      log.error({ calls: limits.timeouts }, 'calls in a row had no result: the process is replaced');
      retire(on, 'its calls had no results');
    },
  });

  const refuseAll = (message: string) => {
    const failed = failure('ADAPTER_REFUSED', message);
    calls.refuse(failed);
    for (const done of starts) done(failed);
    starts.clear();
  };

  /** Refuses what waits, and for a while what comes: the package will not load a second later. */
  const refuse = (message: string) => {
    detail = message;
    connection = 'OFFLINE';
    deaths.push(performance.now());
    const pause = restartDelay(deaths, performance.now()) ?? RESTARTS.longest;
    rejection = { message, until: performance.now() + pause };
    log.error({ reason: message }, 'the package of the adapter was refused');
    recent.add('error', `the package was refused: ${message}`);
    refuseAll(message);
    context.onState(stateNow());
  };

  /** Starts the process unless one lives, after the pause that its deaths ask for. */
  const ensure = () => {
    if (closing || live || isStarting || !spec) return;
    const now = performance.now();
    if (rejection && rejection.until > now) return refuseAll(rejection.message);
    const delay = restartDelay(deaths, now);
    if (delay === null) return refuseAll(`it died ${RESTARTS.most} times in ten minutes: ${detail}`);
    clearTimeout(timer);
    if (delay > 0) {
      timer = setTimeout(ensure, delay);
      timer.unref();
      return;
    }
    isStarting = true;
    void begin(spec).finally(() => {
      isStarting = false;
      // What arrived or changed meanwhile, and calls of a process that ended at once.
      if (!live && (calls.waiting() > 0 || starts.size > 0)) ensure();
    });
  };

  const begin = async (of: PackageInstance) => {
    const rejected = context.launcher.fault ?? (await packageFault(of));
    if (closing || of !== spec) return;
    if (rejected !== null) return refuse(rejected);
    mask = secretMask(of.secrets ?? [], usernameOf(of.properties));
    connection = 'UNKNOWN';
    level = log.level;
    const process = startProcess(
      { ...context, instance: of, mask, log, remember: recent.add },
      {
        onStarted: () => {
          mine.ready = true;
          rejection = null;
          for (const done of starts) done(null);
          starts.clear();
          calls.pump();
          settle();
        },
        onLoadFailed: (reason) => {
          retire(mine, 'it does not load');
          refuse(`the package does not load: ${reason}`);
        },
        onState: (event) => {
          const next = connectionOf(event);
          if (live !== mine || next === undefined || next === connection) return;
          connection = next;
          if (next === 'ONLINE') detail = null;
          context.onState(stateNow());
        },
        onReply: (reply) => calls.answer(mine, reply),
        onHeavy: () => {
          log.warn('the process of the adapter holds too much memory: another takes its place');
          recent.add('warn', 'the process holds too much memory: another takes its place');
          drain(mine);
        },
        onEnd: (reason) => bury(mine, reason),
      },
    );
    const mine: Live = { process, ready: false, draining: false, pending: new Map(), late: new Set() };
    live = mine;
    log.info({ pid: process.pid }, 'the process of the adapter was started');
    recent.add('info', `the process ${process.pid} was started`);
  };

  /** The process has ended: its calls end with it, and what waits gets another. */
  const bury = (one: Live, reason: string) => {
    if (live === one) live = null;
    calls.endAll(one, failure('ADAPTER_DIED', `its process ended during the call: ${reason}`, true));
    if (one.draining || closing) {
      if (calls.waiting() > 0) ensure();
      return;
    }
    connection = 'OFFLINE';
    detail = reason;
    deaths.push(performance.now());
    log.error({ reason, deaths: deaths.length }, 'the process of the adapter died');
    recent.add('error', `the process died: ${reason}`);
    context.onState(stateNow());
    ensure();
  };

  /** Applies changed properties: calls in flight end with the old ones. */
  const adopt = ({ instance, properties, secrets, package: of }: PackageInstance) => {
    const key = JSON.stringify([properties, of]);
    if (spec && key === specKey) return;
    const isChange = spec !== null;
    spec = { instance, properties, secrets, package: of };
    specKey = key;
    if (!isChange) return;
    deaths.length = 0;
    rejection = null;
    if (live) drain(live);
  };

  const stateNow = (): PackageState => ({
    state: lifeOf(),
    connection,
    pid: live?.process.pid ?? null,
    detail,
    ...(live?.process.figures() ?? { rss: 0, sent: 0, received: 0 }),
    uptime: live ? (Date.now() - live.process.startedAt.getTime()) / 1000 : 0,
    calls: live?.pending.size ?? 0,
    waiting: calls.waiting(),
    dropped: calls.dropped(),
    deaths: deaths.length,
    isolation: context.launcher.isolation,
  });

  const lifeOf = (): PackageState['state'] => {
    if (live) return live.ready ? 'RUNNING' : 'STARTING';
    if (rejection !== null || restartDelay(deaths, performance.now()) === null) return 'DEAD';
    return isStarting || deaths.length > 0 ? 'STARTING' : 'IDLE';
  };

  return {
    call: async (call) => {
      if (closing) return { failure: failure('SHUTTING_DOWN', 'this process is stopping') };
      adopt(call);
      if (live && level !== log.level) {
        level = log.level;
        live.process.trySend({ type: 'level', level });
      }
      clearTimeout(idle);
      const outcome = calls.add(call);
      ensure();
      calls.pump();
      return outcome;
    },
    start: async (given) => {
      if (closing) return failure('SHUTTING_DOWN', 'this process is stopping');
      adopt(given);
      if (live?.ready) return null;
      return new Promise((resolve) => {
        starts.add(resolve);
        ensure();
      });
    },
    stop: () => {
      deaths.length = 0;
      rejection = null;
      detail = null;
      clearTimeout(timer);
      if (live) drain(live);
      for (const done of starts) done(failure('ADAPTER_REFUSED', 'it was stopped'));
      starts.clear();
      // An adapter that was deleted leaves no secrets here.
      if (calls.waiting() === 0) spec = null;
    },
    state: stateNow,
    startedAt: () => live?.process.startedAt ?? null,
    lines: recent.list,
    close: async (graceMs) => {
      closing = true;
      clearTimeout(timer);
      clearTimeout(idle);
      const failed = failure('SHUTTING_DOWN', 'this process is stopping');
      calls.refuse(failed);
      for (const done of starts) done(failed);
      starts.clear();
      const one = live;
      if (!one) return;
      const until = performance.now() + graceMs;
      while (one.pending.size > 0 && performance.now() < until)
        await new Promise((resolve) => setTimeout(resolve, 50));
      calls.endAll(one, failure('SHUTTING_DOWN', 'this process stopped during the call', true));
      retire(one, 'this process is stopping');
    },
  };
}
