import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endAll } from './processes.ts';

/** A trial: real components in a folder of its own. It prints its figures and throws when a promise does not hold. */
type Trial = (folder: string, print: (line: string) => void) => Promise<void>;

const TRIALS: Readonly<Record<string, () => Promise<Trial>>> = {
  rolling: async () => (await import('./rolling.ts')).rolling,
  'rolling-upgrade': async () => (await import('./rolling.ts')).rollingUpgrade,
  failover: async () => (await import('./failover.ts')).failover,
  silence: async () => (await import('./silence.ts')).silence,
  pooling: async () => (await import('./pooling.ts')).pooling,
  recovery: async () => (await import('./faults.ts')).inRecovery,
  'full-disk': async () => (await import('./faults.ts')).fullDisk,
  'read-only-disk': async () => (await import('./faults.ts')).readOnlyDisk,
  'disk-turns-read-only': async () => (await import('./faults.ts')).diskTurnsReadOnly,
  upgrade: async () => (await import('./upgrade.ts')).upgrade,
  clock: async () => (await import('./faults.ts')).clock,
};

const HELP = `npm run ha [-- name …]

Tries what docs/high-availability.md promises, with PostgreSQL, HAProxy and PgBouncer of Debian's packages, and prints the figures.
Trials: ${Object.keys(TRIALS).join(', ')}
BEFORE names the commit of the version before; absent: the last one before the newest migration.
`;

const wanted = process.argv.slice(2);
if (wanted.some((name) => !Object.hasOwn(TRIALS, name))) {
  process.stdout.write(HELP);
  process.exit(wanted.includes('--help') ? 0 : 64);
}
process.on('exit', endAll);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

let failed = 0;
for (const [name, load] of Object.entries(TRIALS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  // The servers of a trial run as another account, which has to reach the folder.
  const folder = mkdtempSync(join(tmpdir(), `switchyard-${name}-`));
  chmodSync(folder, 0o755);
  process.stdout.write(`\n== ${name}\n`);
  try {
    const trial = await load();
    await trial(folder, (line) => process.stdout.write(`${line}\n`));
    process.stdout.write(`${name}: PASSED\n`);
  } catch (error) {
    failed += 1;
    process.stdout.write(`${name}: FAILED: ${error instanceof Error ? error.stack : String(error)}\n`);
  }
  endAll();
  if (process.env.KEEP !== '1') rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(failed > 0 ? 1 : 0);
