import type { Application } from '#db/schemas/operations/application.ts';
import type { PartHealth } from '#db/schemas/operations/part-health.ts';
import type { ServerHealth } from '#db/schemas/operations/server-health.ts';
import type { PackageState } from '#server/southbound/packages/ports.ts';

/** Facts about a process, as Node.js returns them. */
export type ProcessFacts = {
  /** Seconds since it started. */
  uptime: number;
  memory: Memory;
  /** Microseconds. */
  cpu: { user: number; system: number };
  pid: number;
};

type Memory = { rss: number; heapTotal: number; heapUsed: number; external: number; arrayBuffers: number };

/** Facts about the runtime, apart from the process. */
export type RuntimeFacts = {
  release: string;
  arch: string;
  platform: string;
  /** The runtime's own version table, whatever keys it has. */
  versions: Readonly<Record<string, string | undefined>>;
  dependencies: ServerHealth['dependencies'];
};

/** Maximum value: clients read these numbers as signed 32-bit integers (contract/lifecycle#health-server). */
const MOST = 2 ** 31 - 1;

/** Returns memory figures, each below 2³¹. */
export const clampMemory = ({ rss, heapTotal, heapUsed, external, arrayBuffers }: Memory): Memory => ({
  rss: Math.min(rss, MOST),
  heapTotal: Math.min(heapTotal, MOST),
  heapUsed: Math.min(heapUsed, MOST),
  external: Math.min(external, MOST),
  arrayBuffers: Math.min(arrayBuffers, MOST),
});

/** Keys that clients expect to exist (contract/resources#2.4). */
const VERSION_KEYS = [
  'node',
  'v8',
  'uv',
  'zlib',
  'brotli',
  'ares',
  'modules',
  'nghttp2',
  'napi',
  'llhttp',
  'http_parser',
  'openssl',
  'cldr',
  'icu',
  'tz',
  'unicode',
  // Existing clients require these as well (contract/lifecycle#health-server).
  'acorn',
  'ada',
  'cjs_module_lexer',
  'simdutf',
  'undici',
  'uvwasi',
] as const;

/** Keys that runtimes have given up, with the library that took the place of theirs. */
const FORMER_KEYS = { http_parser: 'llhttp', cjs_module_lexer: 'merve' } as const;

/** Version of a library that this build of the runtime does not include. */
const ABSENT = 'none';

/** Returns every version of the runtime as text, always with the documented keys. */
export function versionsOf(known: RuntimeFacts['versions']): ServerHealth['versions'] {
  const versions: Record<string, string> = {};
  for (const [name, version] of Object.entries(known)) {
    if (version !== undefined) versions[name] = String(version);
  }
  for (const [former, name] of Object.entries(FORMER_KEYS)) {
    const version = versions[name];
    if (version !== undefined) versions[former] ??= version;
  }
  for (const name of VERSION_KEYS) versions[name] ??= ABSENT;
  // Every documented key was set above.
  return versions as ServerHealth['versions'];
}

/** Returns the response of `/health/server` (contract/endpoints#4.5). */
export const serverHealth = (
  { uptime, memory, cpu, pid }: ProcessFacts,
  { release, arch, platform, versions, dependencies }: RuntimeFacts,
): ServerHealth => ({
  version: release,
  release,
  // The enums of the schema contain every name that Node.js builds for so far.
  arch: arch as ServerHealth['arch'],
  platform: platform as ServerHealth['platform'],
  versions: versionsOf(versions),
  memoryUsage: clampMemory(memory),
  cpuUsage: { user: cpu.user, system: cpu.system },
  uptime,
  pid,
  dependencies,
});

/** An application or adapter, and its state. */
export type HealthPart = {
  id: string;
  model: string;
  type: PartHealth['type'];
  description: string;
  prefix: string;
  running: boolean;
  /** Null: its state is not known yet. */
  online: boolean | null;
  /** Seconds since it was started in any process; a younger process counts from its own start. */
  sinceStart: number;
  /** Duration of the previous run in seconds. */
  ranFor: number;
  /** Whether it has the figures of the process; integrations have none. */
  hasProcess?: boolean;
  /** Its own process here, of an adapter of a package. */
  own?: PackageState | undefined;
  loggerProps: Application['loggerProps'];
};

const NOTHING: ProcessFacts = {
  uptime: 0,
  memory: { rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 },
  cpu: { user: 0, system: 0 },
  pid: 0,
};

/**
 * Returns a row of `/health/applications` or `/health/adapters`. Parts share the process that responds: they have its
 * figures, and 0 while they are stopped (contract/lifecycle#2).
 *
 * @param timestamp epoch milliseconds
 */
export function partHealth(
  part: HealthPart,
  facts: ProcessFacts,
  release: string,
  timestamp: number,
): PartHealth {
  const { uptime, memory, cpu, pid } = factsOf(part, facts);
  const { console_level = 'info', log_level = 'info', syslog } = part.loggerProps ?? {};
  return {
    id: part.id,
    package_id: part.model,
    version: release,
    type: part.type,
    description: part.description,
    routePrefix: part.prefix,
    state: !part.running ? 'STOPPED' : part.own?.state === 'DEAD' ? 'DEAD' : 'RUNNING',
    connection: { state: connectionState(part) },
    uptime: Math.max(0, Math.min(uptime, part.sinceStart)),
    memoryUsage: clampMemory(memory),
    cpuUsage: { user: cpu.user, system: cpu.system },
    pid,
    logger: { console: console_level, file: log_level, syslog: syslog?.level ?? '' },
    timestamp,
    prevUptime: part.ranFor,
    ...(part.own && part.running && { process: processOf(part.own) }),
  };
}

function factsOf({ running, hasProcess, own }: HealthPart, facts: ProcessFacts): ProcessFacts {
  if (!running) return NOTHING;
  if (hasProcess === false) return { ...NOTHING, uptime: facts.uptime };
  if (!own) return facts;
  const { uptime, rss, pid } = own;
  return { ...NOTHING, uptime, memory: { ...NOTHING.memory, rss }, pid: pid ?? 0 };
}

/** Returns what `/health/adapters` shows of the process of a package; its connection is the adapter's. */
function processOf(own: PackageState): PartHealth['process'] {
  const { state, detail, calls, waiting, dropped, deaths, sent, received, isolation } = own;
  return { state, detail, calls, waiting, dropped, deaths, sent, received, isolation };
}

function connectionState({ running, online, own }: HealthPart): 'ONLINE' | 'OFFLINE' | 'UNKNOWN' {
  // What the process here reports is newer than what any process has stored.
  if (running && own && own.connection !== 'UNKNOWN')
    return own.connection === 'OFFLINE' ? 'OFFLINE' : 'ONLINE';
  if (running && online === null) return 'UNKNOWN';
  return running && online ? 'ONLINE' : 'OFFLINE';
}

/**
 * Returns the overall state: running, degraded when some parts are stopped, stopped when all are (contract/lifecycle#2).
 */
export function togetherOf(running: number, stopped: number): 'running' | 'degraded' | 'stopped' {
  if (stopped === 0) return 'running';
  return running === 0 ? 'stopped' : 'degraded';
}

/** Facts about one processor in `/health/system`. */
type Cpu = {
  model: string;
  speed: number;
  times: { user: number; nice: number; sys: number; idle: number; irq: number };
};

/** Facts about the machine from the operating system. */
export type SystemFacts = {
  arch: string;
  release: string;
  /** Seconds, with fractions. */
  uptime: number;
  /** Bytes. */
  freemem: number;
  totalmem: number;
  /** Averages of 1, 5 and 15 minutes. */
  loadavg: number[];
  cpus: Cpu[];
};

/** Returns the response of `/health/system`: whole numbers except uptime and load (contract/lifecycle#2). */
export const systemHealth = ({ cpus, freemem, totalmem, ...facts }: SystemFacts): SystemFacts => ({
  ...facts,
  freemem: Math.round(freemem),
  totalmem: Math.round(totalmem),
  cpus: cpus.map(({ model, speed, times: { user, nice, sys, idle, irq } }) => ({
    model,
    speed: Math.round(speed),
    times: {
      user: Math.round(user),
      nice: Math.round(nice),
      sys: Math.round(sys),
      idle: Math.round(idle),
      irq: Math.round(irq),
    },
  })),
});
