import { availableParallelism } from 'node:os';
import { type Checked, openChecker } from './check.ts';
import { openPool, type Pool } from './pool.service.ts';
import type { CheckTask, ProgramSource } from './program-source.ts';

/** Fewer devices than this, of no more text than that, are checked where we are: a dry check does not wait for threads. */
const FEW = 50;
const LITTLE = 1_000_000;

/** What one device may take, in milliseconds: the largest configurations that are sent take tenths of seconds. */
const BUDGET_MS = 10_000;

/** How long the event loop may be held, in milliseconds. */
const TURN_MS = 10;

let pool: Pool | undefined;
let checker: ReturnType<typeof openChecker> | undefined;

/** What each task's programs find, in the order of the tasks; the event loop of this process goes on meanwhile. */
export async function checkAll(
  tasks: readonly CheckTask[],
  sources: ReadonlyMap<string, ProgramSource>,
): Promise<readonly (readonly Checked[])[]> {
  const length = tasks.reduce((sum, { text }) => sum + text.length, 0);
  if (tasks.length >= FEW || length > LITTLE) {
    pool ??= openPool({ threads: Math.max(1, availableParallelism() - 1), budgetMs: BUDGET_MS });
    return pool.check(tasks, sources);
  }
  checker ??= openChecker();
  const outcomes: Checked[][] = [];
  let turn = performance.now();
  for (const task of tasks) {
    outcomes.push(here(checker, task, sources));
    if (performance.now() - turn < TURN_MS) continue;
    await new Promise(setImmediate);
    turn = performance.now();
  }
  return outcomes;
}

function here(
  { check }: ReturnType<typeof openChecker>,
  task: CheckTask,
  sources: ReadonlyMap<string, ProgramSource>,
): Checked[] {
  try {
    return check(task, sources);
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    return task.programs.map(() => ({ status: 'error', error: `checking it failed: ${told}` }));
  }
}
