import type { Connection } from '#db/embedded.ts';
import { commandReport } from './command-times.ts';
import { type Ledger, verify } from './load.ts';

/**
 * Prints what the load sent and its results.
 *
 * @param failures most requests that may have failed; absent: any number, because the trial cuts something off
 * @throws Error when something acknowledged was lost or is wrong, or too many requests failed
 */
export async function assertNothingLost(
  database: Connection,
  ledger: Ledger,
  print: (line: string) => void,
  { failures }: { failures?: number } = {},
): Promise<void> {
  const { lostWrites, lostJobs, wrongJobs, lostRuns, wrongEvents } = await verify(database, ledger);
  const sent = Object.values(ledger.sent).reduce((sum, count) => sum + count, 0);
  print(`requests: ${sent} sent (${JSON.stringify(ledger.sent)}), ${ledger.failures.length} failed`);
  print(`writes: ${ledger.written.size} acknowledged, ${lostWrites.length} lost`);
  print(`jobs: ${ledger.jobs.size} started, ${lostJobs.length} lost, ${wrongJobs.length} wrong`);
  print(`compliance runs: ${ledger.runs.size} started, ${lostRuns.length} lost`);
  const { received = 0, connections = 0 } = ledger.events ?? {};
  print(
    `events: ${received} received over ${connections} connections, ${wrongEvents.length} missing, repeated or out of order`,
  );
  for (const line of commandReport(ledger.commands)) print(line);
  const reasons = new Map<string, number>();
  for (const { kind, reason } of ledger.failures)
    reasons.set(`${kind}: ${reason}`, (reasons.get(`${kind}: ${reason}`) ?? 0) + 1);
  for (const [reason, count] of [...reasons].sort(([, one], [, other]) => other - one).slice(0, 8))
    print(`  ${count} × ${reason}`);
  for (const one of [...lostWrites, ...lostJobs, ...wrongJobs, ...lostRuns, ...wrongEvents].slice(0, 10))
    print(`  ${one}`);
  const wrong = lostWrites.length + lostJobs.length + wrongJobs.length + lostRuns.length + wrongEvents.length;
  if (wrong > 0) throw new Error(`${wrong} acknowledged pieces of work were lost or are wrong`);
  if (failures !== undefined && ledger.failures.length > failures)
    throw new Error(`${ledger.failures.length} requests failed, at most ${failures} may`);
}
