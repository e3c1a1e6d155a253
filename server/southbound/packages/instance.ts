import type { Logger } from 'pino';
import { secretMask } from '#server/kernel/secrets/secret-texts.ts';
import { CALL_LIMITS, type CallLimits, type CallQueue, type Live, openCallQueue } from './call-queue.ts';
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

/** Dependencies of an instance. */
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
export class Instance {
  readonly #context: InstanceDependencies;
  readonly #calls: CallQueue;
  readonly #recent = openRecentLines();
  /** Times of deaths, as of `performance.now()`. */
  readonly #deaths: number[] = [];
  readonly #starts = new Set<(failure: PackageFailure | null) => void>();
  #spec: PackageInstance | null = null;
  #specKey = '';
  #mask = (text: string) => text;
  #live: Live | null = null;
  #connection: PackageState['connection'] = 'UNKNOWN';
  #detail: string | null = null;
  /** The package does not load: calls are rejected until this time. */
  #rejection: { message: string; until: number } | null = null;
  #restartTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #isStarting = false;
  #level: string;
  #isClosing = false;

  /** Creates an adapter of a package, which is not started yet. */
  constructor(context: InstanceDependencies) {
    const { limits, log } = context;
    this.#context = context;
    this.#level = log.level;
    this.#calls = openCallQueue({
      limits,
      failure: (...about) => this.#failure(...about),
      current: () => this.#live,
      mask: (text) => this.#mask(text),
      detail: () => (this.#live ? null : this.#detail),
      onSettled: () => this.#endWhenIdle(),
      onNoResults: (on) => {
        log.error({ calls: limits.timeouts }, 'calls in a row had no result: the process is replaced');
        this.#retire(on, 'its calls had no results');
      },
    });
  }

  async call(call: PackageCall): Promise<PackageOutcome> {
    if (this.#isClosing) return { failure: this.#stopping() };
    this.#adopt(call);
    const { level } = this.#context.log;
    if (this.#live && this.#level !== level) {
      this.#level = level;
      this.#live.process.trySend({ type: 'level', level });
    }
    clearTimeout(this.#idleTimer);
    const outcome = this.#calls.add(call);
    this.#ensureProcess();
    this.#calls.pump();
    return outcome;
  }

  /** Starts the process. @returns why it could not; null: it runs */
  async start(instance: PackageInstance): Promise<PackageFailure | null> {
    if (this.#isClosing) return this.#stopping();
    this.#adopt(instance);
    if (this.#live?.ready) return null;
    return new Promise((resolve) => {
      this.#starts.add(resolve);
      this.#ensureProcess();
    });
  }

  /** Lets the calls in flight end, then the process. The next call starts another one. */
  stop(): void {
    this.#deaths.length = 0;
    this.#rejection = null;
    this.#detail = null;
    clearTimeout(this.#restartTimer);
    if (this.#live) this.#drain(this.#live);
    this.#endStarts(this.#failure('ADAPTER_REFUSED', 'it was stopped'));
    // An adapter that was deleted leaves no secrets here.
    if (this.#calls.waiting() === 0) this.#spec = null;
  }

  state(): PackageState {
    const live = this.#live;
    return {
      state: this.#lifeCycle(),
      connection: this.#connection,
      pid: live?.process.pid ?? null,
      detail: this.#detail,
      ...(live?.process.figures() ?? { rss: 0, sent: 0, received: 0 }),
      uptime: live ? (Date.now() - live.process.startedAt.getTime()) / 1000 : 0,
      calls: live?.pending.size ?? 0,
      waiting: this.#calls.waiting(),
      dropped: this.#calls.dropped(),
      deaths: this.#deaths.length,
      isolation: this.#context.launcher.isolation,
    };
  }

  startedAt(): Date | null {
    return this.#live?.process.startedAt ?? null;
  }

  /** Returns the last lines of its log, oldest first. */
  lines(): readonly PackageLine[] {
    return this.#recent.list();
  }

  /** Rejects further calls, lets those in flight end, and ends the process. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#restartTimer);
    clearTimeout(this.#idleTimer);
    this.#failWaiting(this.#stopping());
    const live = this.#live;
    if (!live) return;
    const until = performance.now() + graceMs;
    while (live.pending.size > 0 && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 50));
    this.#calls.endAll(live, this.#failure('SHUTTING_DOWN', 'this process stopped during the call', true));
    this.#retire(live, 'this process is stopping');
  }

  #failure(reason: PackageFailureReason, message: string, begun = false): PackageFailure {
    return { reason, message: `${this.#spec?.instance ?? 'the adapter'}: ${message}`, begun };
  }

  #stopping(): PackageFailure {
    return this.#failure('SHUTTING_DOWN', 'this process is stopping');
  }

  #lifeCycle(): PackageState['state'] {
    if (this.#live) return this.#live.ready ? 'RUNNING' : 'STARTING';
    if (this.#rejection !== null || restartDelay(this.#deaths, performance.now()) === null) return 'DEAD';
    return this.#isStarting || this.#deaths.length > 0 ? 'STARTING' : 'IDLE';
  }

  /** Applies changed properties: calls in flight end with the old ones. */
  #adopt({ instance, properties, secrets, package: of }: PackageInstance): void {
    const key = JSON.stringify([properties, of]);
    const isChange = this.#spec !== null;
    if (isChange && key === this.#specKey) return;
    this.#spec = { instance, properties, secrets, package: of };
    this.#specKey = key;
    if (!isChange) return;
    this.#deaths.length = 0;
    this.#rejection = null;
    if (this.#live) this.#drain(this.#live);
  }

  /** Starts the process unless one lives, after the pause that its deaths ask for. */
  #ensureProcess(): void {
    const spec = this.#spec;
    if (this.#isClosing || this.#live || this.#isStarting || !spec) return;
    const now = performance.now();
    const delay = restartDelay(this.#deaths, now);
    if (this.#rejection && this.#rejection.until > now) this.#rejectWaiting(this.#rejection.message);
    else if (delay === null)
      this.#rejectWaiting(`it died ${RESTARTS.most} times in ten minutes: ${this.#detail}`);
    else {
      clearTimeout(this.#restartTimer);
      if (delay === 0) this.#startNow(spec);
      else this.#restartTimer = setTimeout(() => this.#ensureProcess(), delay).unref();
    }
  }

  #startNow(spec: PackageInstance): void {
    this.#isStarting = true;
    void this.#startProcess(spec).finally(() => {
      this.#isStarting = false;
      // What arrived or changed meanwhile, and calls of a process that ended at once.
      if (!this.#live && (this.#calls.waiting() > 0 || this.#starts.size > 0)) this.#ensureProcess();
    });
  }

  async #startProcess(of: PackageInstance): Promise<void> {
    const { launcher, log } = this.#context;
    const fault = launcher.fault ?? (await packageFault(of));
    if (this.#isClosing || of !== this.#spec) return;
    if (fault !== null) return this.#rejectPackage(fault);
    this.#mask = secretMask(of.secrets ?? [], usernameOf(of.properties));
    this.#connection = 'UNKNOWN';
    this.#level = log.level;
    const { add } = this.#recent;
    const process = startProcess(
      { ...this.#context, instance: of, mask: this.#mask, log, remember: add },
      {
        onStarted: () => this.#started(live),
        onLoadFailed: (reason) => {
          this.#retire(live, 'it does not load');
          this.#rejectPackage(`the package does not load: ${reason}`);
        },
        onState: (event) => this.#connectionChanged(live, event),
        onReply: (reply) => this.#calls.answer(live, reply),
        onHeavy: () => {
          log.warn('the process of the adapter holds too much memory: another takes its place');
          add('warn', 'the process holds too much memory: another takes its place');
          this.#drain(live);
        },
        onEnd: (reason) => this.#ended(live, reason),
      },
    );
    const live: Live = { process, ready: false, draining: false, pending: new Map(), late: new Set() };
    this.#live = live;
    log.info({ pid: process.pid }, 'the process of the adapter was started');
    add('info', `the process ${process.pid} was started`);
  }

  #started(live: Live): void {
    live.ready = true;
    this.#rejection = null;
    this.#endStarts(null);
    this.#calls.pump();
    this.#endWhenIdle();
  }

  #connectionChanged(live: Live, event: string): void {
    const next = connectionOf(event);
    if (this.#live !== live || next === undefined || next === this.#connection) return;
    this.#connection = next;
    if (next === 'ONLINE') this.#detail = null;
    this.#context.onState(this.state());
  }

  /** The process has ended: its calls end with it, and what waits gets another. */
  #ended(live: Live, reason: string): void {
    if (this.#live === live) this.#live = null;
    const died = this.#failure('ADAPTER_DIED', `its process ended during the call: ${reason}`, true);
    this.#calls.endAll(live, died);
    if (live.draining || this.#isClosing) {
      if (this.#calls.waiting() > 0) this.#ensureProcess();
      return;
    }
    this.#noteDeath(reason);
    this.#context.log.error({ reason, deaths: this.#deaths.length }, 'the process of the adapter died');
    this.#recent.add('error', `the process died: ${reason}`);
    this.#context.onState(this.state());
    this.#ensureProcess();
  }

  /** Rejects what waits, and for a while what comes: the package will not load a second later. */
  #rejectPackage(message: string): void {
    this.#noteDeath(message);
    const pauseMs = restartDelay(this.#deaths, performance.now()) ?? RESTARTS.longest;
    this.#rejection = { message, until: performance.now() + pauseMs };
    this.#context.log.error({ reason: message }, 'the package of the adapter was refused');
    this.#recent.add('error', `the package was refused: ${message}`);
    this.#rejectWaiting(message);
    this.#context.onState(this.state());
  }

  #noteDeath(reason: string): void {
    this.#connection = 'OFFLINE';
    this.#detail = reason;
    this.#deaths.push(performance.now());
  }

  #rejectWaiting(message: string): void {
    this.#failWaiting(this.#failure('ADAPTER_REFUSED', message));
  }

  #failWaiting(failure: PackageFailure): void {
    this.#calls.failWaiting(failure);
    this.#endStarts(failure);
  }

  #endStarts(failure: PackageFailure | null): void {
    for (const end of this.#starts) end(failure);
    this.#starts.clear();
  }

  /** Ends the process once nothing was called for a while. */
  #endWhenIdle(): void {
    clearTimeout(this.#idleTimer);
    const live = this.#live;
    const idleMs = idleMsOf(this.#spec?.properties) ?? this.#context.limits.idle;
    if (!live || live.pending.size > 0 || this.#calls.waiting() > 0 || idleMs === 0) return;
    this.#idleTimer = setTimeout(() => {
      this.#context.log.info('the process of the adapter was idle, and was ended');
      this.#retire(live, 'it was idle');
    }, idleMs);
    this.#idleTimer.unref();
  }

  /** Ends a process that is no longer wanted: no death of the package's. */
  #retire(live: Live, reason: string): void {
    if (this.#live === live) this.#live = null;
    this.#connection = 'UNKNOWN';
    live.draining = true;
    live.process.kill(reason);
  }

  /** Lets the calls of a process end; its successor handles the next ones. */
  #drain(live: Live): void {
    if (live.pending.size === 0) this.#retire(live, 'it was replaced');
    else {
      if (this.#live === live) this.#live = null;
      live.draining = true;
    }
  }
}
