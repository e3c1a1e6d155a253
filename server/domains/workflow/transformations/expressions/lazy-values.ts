import { StepFailed } from './step-failed.ts';

/** The computation of a value: it yields each cell that it waits for, and receives the cell's value. */
export type Work = Generator<Cell, unknown, unknown>;

/** A value that is computed on first access and then kept. */
export type Cell = {
  isDone: boolean;
  value: unknown;
  start: (() => Work) | null;
  running: Work | null;
  /** The cell that it currently waits for. */
  waiting: Cell | null;
};

/** Returns a cell with an existing value. */
export const known = (value: unknown): Cell => ({
  isDone: true,
  value,
  start: null,
  running: null,
  waiting: null,
});

/** Returns a cell whose value is computed on demand. */
export const cellOf = (start: () => Work): Cell => ({
  isDone: false,
  value: undefined,
  start,
  running: null,
  waiting: null,
});

/**
 * Returns the value of a cell, after computing everything that it waits for. The call stack stays short, however long the
 * chain is.
 *
 * @throws what the computation throws; StepFailed when a value waits for itself
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
    if (value.running) throw new StepFailed('the step depends on its own result');
    if (!value.isDone) stack.push(value);
  }
  return wanted.value;
}
