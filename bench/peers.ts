import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import autocannon from 'autocannon';

/** A server in a process of its own: its URL, and its resource use so far. */
export type Server = { url: string; used: () => Promise<{ cpuUs: number; rss: number }>; stop: () => void };

const ADMIN = { username: 'admin', password: 'bench-admin-password' };

/** Microseconds per tick in /proc/<pid>/stat, and bytes per page in statm. */
const TICK_US = 10_000;
const PAGE = 4096;

/** Starts the service as `npm start` does, or a peer of bench/servers; each prints its URL. */
export async function startServer(name: string, env: Record<string, string> = {}): Promise<Server> {
  const entry =
    name === 'switchyard' ? ['server/app/launch.cjs'] : ['--import', 'tsx', `bench/servers/${name}.ts`];
  const child = spawn(process.execPath, entry, {
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'error', ADMIN_PASSWORD: ADMIN.password, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<never>((_, reject) =>
    child.once('exit', (code) => reject(new Error(`${name}: ${code}`))),
  );
  ended.catch(() => undefined);
  const greeting = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = /^listening on (\S+)$/.exec(line)?.[1];
      if (url) resolve(url);
    });
  });
  const url = await Promise.race([greeting, ended]);
  const used = async () => {
    const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
    const [userTicks = 0, systemTicks = 0] = stat
      .slice(stat.lastIndexOf(')'))
      .split(' ')
      .slice(12, 14)
      .map(Number);
    const [, resident = 0] = (await readFile(`/proc/${child.pid}/statm`, 'utf8')).split(' ').map(Number);
    return { cpuUs: (userTicks + systemTicks) * TICK_US, rss: resident * PAGE };
  };
  return { url, used, stop: () => child.kill('SIGTERM') };
}

/** Returns a token of the benchmark's admin. */
export async function signIn({ url }: Server): Promise<string> {
  const answer = await fetch(`${url}/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(ADMIN),
  });
  if (!answer.ok) throw new Error(`sign-in: ${answer.status} ${await answer.text()}`);
  return answer.text();
}

type Load = {
  method?: 'GET' | 'POST';
  path: string;
  token?: string;
  /** The body, or what makes a body for each request. */
  body?: unknown | (() => unknown);
  seconds?: number;
};

/** Loads one server for some seconds; returns requests per second, CPU microseconds per request, 99th percentile in ms. */
export async function load(server: Server, { method = 'GET', path, token, body, seconds = 4 }: Load) {
  const before = await server.used();
  const result = await autocannon({
    url: server.url + path,
    method,
    connections: 50,
    duration: seconds,
    headers: {
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(typeof body === 'function'
      ? { requests: [{ setupRequest: (request) => ({ ...request, body: JSON.stringify(body()) }) }] }
      : body !== undefined && { body: JSON.stringify(body) }),
  });
  const after = await server.used();
  if (result.non2xx > 0) throw new Error(`${path}: ${result.non2xx} answers were not 200`);
  return {
    perSecond: result.requests.total / result.duration,
    cpuUs: (after.cpuUs - before.cpuUs) / result.requests.total,
    p99: result.latency.p99,
  };
}

export type Figures = Awaited<ReturnType<typeof load>>;

/** Alternates rounds of all, so that other load affects them alike; the best round of each counts. */
export async function inTurns<Runs extends readonly (() => Promise<Figures>)[]>(
  rounds: number,
  ...runs: Runs
): Promise<{ [Key in keyof Runs]: Figures }> {
  const best = (a: Figures | undefined, b: Figures): Figures =>
    a
      ? {
          perSecond: Math.max(a.perSecond, b.perSecond),
          cpuUs: Math.min(a.cpuUs, b.cpuUs),
          p99: Math.min(a.p99, b.p99),
        }
      : b;
  const found = new Map<number, Figures>();
  for (let round = 0; round <= rounds; round++) {
    for (const [at, run] of runs.entries()) {
      const figures = await run();
      // The first round warms all up.
      if (round > 0) found.set(at, best(found.get(at), figures));
    }
  }
  return runs.map((_, at) => found.get(at)) as { [Key in keyof Runs]: Figures };
}

export const show = (label: string, { perSecond, cpuUs, p99 }: Figures) =>
  process.stdout.write(
    `${label.padEnd(34)} ${perSecond.toFixed(0).padStart(7)} requests/s ${cpuUs.toFixed(1).padStart(7)} µs CPU a request, p99 ${p99} ms\n`,
  );

/** Prints one line that says whether a bar holds. */
export const verdict = (label: string, ratio: number, holds: boolean, bar: string) =>
  process.stdout.write(`${label}: ${ratio.toFixed(2)} (bar: ${bar}) ${holds ? 'holds' : 'FALLS SHORT'}\n`);
