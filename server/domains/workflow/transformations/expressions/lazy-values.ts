import { StepFailed } from './step-failed.ts';

/** How a value comes about: what it waits for is yielded, and comes back as its value. */
export type Work = Generator<Cell, unknown, unknown>;

/** A value that is worked out when it is first asked for, and then stays. */
export type Cell = {
  isDone: boolean;
  value: unknown;
  start: (() => Work) | null;
  running: Work | null;
  /** What it waits for at the moment. */
  waiting: Cell | null;
};

/** A value that is there. */
export const known = (value: unknown): Cell => ({
  isDone: true,
  value,
  start: null,
  running: null,
  waiting: null,
});

/** A value to be worked out on demand. */
export const cellOf = (start: () => Work): Cell => ({
  isDone: false,
  value: undefined,
  start,
  running: null,
  waiting: null,
});

/**
 * The value of a cell, with everything that it waits for; however long the chain is, the call stack stays short.
 *
 * @throws what the work throws; StepFailed when a value waits for itself
 */
export function force(wanted: Cell): unknown {
  const stack: Cell[] = [wanted];
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    if (top.isDone || !top.start) {
      stack.pop();
      continue;
    }
    top.running ??= top.start();
    const { waiting } = top;
    const { done, value } = waiting ? top.running.next(waiting.value) : top.running.next();
    top.waiting = null;
    if (done) {
      top.isDone = true;
      top.value = value;
      top.start = null;
      top.running = null;
      stack.pop();
      continue;
    }
    top.waiting = value;
    if (value.running) throw new StepFailed('the step waits for itself');
    if (!value.isDone) stack.push(value);
  }
  return wanted.value;
}
